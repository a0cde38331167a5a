#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Opens inputs that are read at any place and more than once.
package enum InputFile {
  /// The path that stands for standard input.
  package static let standardInput = "-"

  /// Opens the input at `path`. Standard input and other streams are copied to a file without a name.
  ///
  /// - Parameter blockByteCount: bytes of a stream that are copied at a time.
  /// - Throws: `unreadable` with the system's reason; the errors of the copy.
  package static func open(
    _ path: String, blockByteCount: Int = 1 << 18
  ) throws(RealmFileError) -> FileDescriptor {
    guard path != standardInput else {
      return try copy(FileDescriptor(owning: dup(STDIN_FILENO)), path: path, blockByteCount)
    }
    let descriptor = try FileDescriptor(reading: path)
    switch try descriptor.status().st_mode & S_IFMT {
    case S_IFREG: return descriptor
    case S_IFDIR:
      throw RealmFileError(.unreadable(SystemError(EISDIR, "read this as a file")), path: path)
    default: return try copy(descriptor, path: path, blockByteCount)
    }
  }

  private static func copy(
    _ stream: FileDescriptor, path: String, _ blockByteCount: Int
  ) throws(RealmFileError) -> FileDescriptor {
    let target = try UnlinkedFile.make()
    let block = UnsafeMutableRawBufferPointer.allocate(byteCount: blockByteCount, alignment: 8)
    defer { unsafe block.deallocate() }
    var done = 0
    while true {
      let count = unsafe read(stream.number, block.baseAddress, block.count)
      if count == 0 { return target }
      guard count > 0 else {
        if errno == EINTR { continue }
        throw RealmFileError(.unreadable(SystemError(errno, "read the input")), path: path)
      }
      try unsafe UnlinkedFile.write(
        UnsafeRawBufferPointer(rebasing: block[..<count]), at: done, of: target)
      done += count
    }
  }
}
