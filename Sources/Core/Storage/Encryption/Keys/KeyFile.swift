#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A key read from a file, standard input or the output of a command.
public struct KeyFile: Sendable {
  public let key: RealmKey
  /// Whether the group or others have any access to the key file. Commands warn about that.
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
    ReadFiles.add(number)
    let descriptor = FileDescriptor(owning: number)
    return try read(descriptor: descriptor.number, name: path)
  }

  /// Reads a key from an open descriptor, such as that of a pipe, up to its end. The descriptor stays open.
  ///
  /// - Parameter name: the name of the source, for errors.
  /// - Throws: `unreadable` or `unusable`, with the name as path.
  public static func read(descriptor: Int32, name: String) throws(KeyError) -> KeyFile {
    do throws(KeyError) {
      // One more byte than allowed, to detect a file that is too long.
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
