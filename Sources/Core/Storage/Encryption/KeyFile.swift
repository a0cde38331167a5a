#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A key read from a file, from standard input or from what a command writes.
public struct KeyFile: Sendable {
  public let key: RealmKey
  /// True where the key is in a file that its group or others may read, write or execute: worth a
  /// warning.
  public let isReadableByOthers: Bool

  /// Reads the key file at `path`; `-` is standard input.
  ///
  /// - Throws: `unreadable` or `unusable`, with the path.
  public static func read(_ path: String) throws(KeyError) -> KeyFile {
    if path == "-" { return try read(descriptor: STDIN_FILENO, name: path) }
    let number = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard number >= 0 else {
      throw KeyError(.unreadable(SystemError(errno, "open the key file")), path: path)
    }
    let descriptor = FileDescriptor(owning: number)
    return try read(descriptor: descriptor.number, name: path)
  }

  /// Reads a key from an open descriptor, as a pipe, up to its end. The descriptor stays open.
  ///
  /// - Parameter name: what errors call the source.
  /// - Throws: `unreadable` or `unusable`, with the name as path.
  public static func read(descriptor: Int32, name: String) throws(KeyError) -> KeyFile {
    do throws(KeyError) {
      // One byte more than allowed tells a file that is too long.
      var content = SecretBytes(capacity: KeyText.maximumByteCount + 1)
      try content.fill(from: descriptor)
      guard content.count <= KeyText.maximumByteCount else { throw KeyText.tooLong }
      var status = stat()
      let isFile =
        unsafe fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
      return KeyFile(
        key: try KeyText.parse(content),
        isReadableByOthers: isFile && status.st_mode & 0o077 != 0)
    } catch {
      throw error.adding(path: name)
    }
  }
}
