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
    let number = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard number >= 0 else {
      throw RealmFileError(.unreadable(SystemError(errno, "open the file")), path: path)
    }
    let descriptor = FileDescriptor(owning: number)
    guard try descriptor.status().st_mode & S_IFMT == S_IFREG else {
      throw RealmFileError(.unreadable(SystemError(EISDIR, "read this as a file")), path: path)
    }
    return descriptor
  }

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
    var done = 0
    while done < count {
      let got = unsafe bytes.withUnsafeMutableBytes { buffer in
        unsafe pread(number, buffer.baseAddress! + done, count - done, off_t(offset + done))
      }
      if got < 0 {
        if errno == EINTR { continue }
        throw RealmFileError(.inputOutput(SystemError(errno, "read the file")), offset: offset)
      }
      if got == 0 { break }
      done += got
    }
    bytes.removeSubrange(done...)
    return bytes
  }
}
