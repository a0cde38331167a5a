#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// An open file; closed when the last reference goes.
package final class FileDescriptor: Sendable {
  package let number: Int32

  /// Takes over an open descriptor.
  package init(owning number: Int32) { self.number = number }

  /// Opens `path` for reading; symbolic links are followed.
  ///
  /// - Throws: `unreadable` with the system's reason; a folder is unreadable too.
  package static func openForReading(_ path: String) throws(RealmFileError) -> FileDescriptor {
    // Without O_NONBLOCK the open of a FIFO waits for a writer; for regular files it says nothing.
    let number = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard number >= 0 else {
      throw RealmFileError(.unreadable(SystemError(errno, "open the file")), path: path)
    }
    let descriptor = FileDescriptor(owning: number)
    let type = try descriptor.status().st_mode & S_IFMT
    guard type == S_IFREG else {
      let reason = type == S_IFDIR ? EISDIR : EINVAL
      throw RealmFileError(.unreadable(SystemError(reason, "read this as a file")), path: path)
    }
    return descriptor
  }

  /// A path that opens the same file while it is open here, also one without a name.
  package var path: String { "/dev/fd/\(number)" }

  deinit { close(number) }

  /// What `fstat` says.
  ///
  /// - Throws: `inputOutput`.
  func status() throws(RealmFileError) -> stat {
    var status = stat()
    guard unsafe fstat(number, &status) == 0 else {
      throw RealmFileError(.inputOutput(SystemError(errno, "read the size of the file")))
    }
    return status
  }

  /// Bytes of the file now.
  package func size() throws(RealmFileError) -> Int { Int(try status().st_size) }

  /// Up to `count` bytes from `offset`: fewer where the file ends before.
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

  /// Fills `buffer` from `offset` on.
  ///
  /// - Returns: the bytes read: fewer than asked for where the file ends before.
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
}
