import CSystem

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// An open file; closed when the last reference is released.
package final class FileDescriptor: Sendable {
  package let number: Int32

  /// Takes ownership of an open descriptor.
  package init(owning number: Int32) { self.number = number }

  /// Opens whatever exists at `path` for reading; symbolic links are followed.
  ///
  /// - Parameters:
  ///   - flags: flags for `open`, in addition to the usual ones.
  ///   - isInput: whether it becomes one of the ``ReadFiles``.
  /// - Throws: `unreadable` with the system's reason.
  convenience init(
    reading path: String, flags: Int32 = 0, isInput: Bool = true
  ) throws(RealmFileError) {
    let number = unsafe open(path, O_RDONLY | O_CLOEXEC | flags)
    guard number >= 0 else {
      throw RealmFileError(.unreadable(SystemError(errno, "open the file")), path: path)
    }
    if isInput { ReadFiles.add(number) }
    self.init(owning: number)
  }

  /// Opens the regular file at `path` for reading; symbolic links are followed.
  ///
  /// - Parameter isInput: false to look what the file is.
  /// - Throws: `unreadable` with the system's reason, also for a folder or a stream.
  package static func openForReading(
    _ path: String, isInput: Bool = true
  ) throws(RealmFileError) -> FileDescriptor {
    // Without O_NONBLOCK, opening a FIFO waits for a writer. The flag has no effect on regular files.
    let descriptor = try FileDescriptor(reading: path, flags: O_NONBLOCK, isInput: isInput)
    let type = try descriptor.status().st_mode & S_IFMT
    guard type == S_IFREG else {
      let reason = type == S_IFDIR ? EISDIR : EINVAL
      throw RealmFileError(.unreadable(SystemError(reason, "read this as a file")), path: path)
    }
    return descriptor
  }

  /// A path that opens the same file while the descriptor is open, even if the file has no name.
  package var path: String { "/dev/fd/\(number)" }

  /// Takes an exclusive lock, which ends when the file is closed.
  ///
  /// - Returns: false if somebody else has it; true also if the file system has no locks.
  func lock() -> Bool { flock(number, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK }

  deinit { close(number) }

  /// The result of `fstat`.
  ///
  /// - Throws: `inputOutput`.
  func status() throws(RealmFileError) -> stat {
    var status = stat()
    guard unsafe fstat(number, &status) == 0 else {
      throw RealmFileError(.inputOutput(SystemError(errno, "read the size of the file")))
    }
    return status
  }

  /// The current size of the file in bytes.
  package func size() throws(RealmFileError) -> Int { Int(try status().st_size) }

  /// The `count` bytes at `offset`; fewer if the file ends earlier.
  ///
  /// - Throws: `inputOutput`.
  package func read(at offset: Int, count: Int) throws(RealmFileError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let got = try unsafe bytes.withUnsafeMutableBufferPointer {
      (buffer) throws(RealmFileError) in
      try unsafe read(at: offset, into: UnsafeMutableRawBufferPointer(buffer))
    }
    bytes.removeSubrange(got...)
    return bytes
  }

  /// Fills `buffer` with the bytes at `offset`.
  ///
  /// - Returns: the number of bytes read, which is smaller if the file ends earlier.
  /// - Throws: `inputOutput`.
  @unsafe
  package func read(
    at offset: Int, into buffer: UnsafeMutableRawBufferPointer
  ) throws(RealmFileError) -> Int {
    var done = 0
    while done < buffer.count {
      let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
      let got = unsafe pread(number, rest.baseAddress, rest.count, off_t(offset + done))
      if got < 0 {
        if errno == EINTR { continue }
        throw RealmFileError(.inputOutput(SystemError(errno, "read the file")), offset: offset)
      }
      if got == 0 { break }
      done += got
    }
    return done
  }

  /// Writes all of `buffer` at `offset`.
  ///
  /// - Throws: `inputOutput`.
  @unsafe
  package func write(
    _ buffer: UnsafeRawBufferPointer, at offset: Int
  ) throws(RealmFileError) {
    var done = 0
    while done < buffer.count {
      let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[done...])
      let put = unsafe pwrite(number, rest.baseAddress, rest.count, off_t(offset + done))
      if put < 0 {
        if errno == EINTR { continue }
        throw RealmFileError(.inputOutput(SystemError(errno, "write the file")), offset: offset)
      }
      done += put
    }
  }

  /// Replaces the content of the file by the blocks of `source`, if the file system can share blocks.
  ///
  /// - Returns: false if it cannot; the file is then unchanged.
  func shareBlocks(of source: FileDescriptor) -> Bool {
    csystem_share_blocks(source.number, number) == 0
  }
}
