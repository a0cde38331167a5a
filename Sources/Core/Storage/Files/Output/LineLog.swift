#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A file of lines that only its owner can read, and that grows at its end.
///
/// Processes that append lines at the same time do not lose any.
package struct LineLog {
  package let path: String
  /// The most lines that are read. If there are more than twice as many, the oldest ones are removed.
  private let limit: Int

  /// - Parameter path: absolute. Folders that do not exist are created with the first line.
  package init(path: String, limit: Int) { (self.path, self.limit) = (path, limit) }

  /// The newest lines, the oldest of them first; empty if there is no file.
  ///
  /// - Throws: `unreadable`, `inputOutput`; the errors of replacing the file.
  package func lines() throws(RealmFileError) -> [String] {
    let file: FileDescriptor
    do throws(RealmFileError) {
      file = try FileDescriptor(reading: path)
    } catch {
      if case .unreadable(let reason) = error.kind, reason.number == ENOENT { return [] }
      throw error
    }
    var (lines, reader) = ([String](), LineReader(file))
    while let line = try reader.next(limit: LineLog.lineByteCount) {
      lines.append(String(decoding: line, as: UTF8.self))
    }
    let newest = Array(lines.suffix(limit))
    if lines.count > 2 * limit {
      let output = try OutputFile(
        path: path, replacing: true, isInPlace: true, isPrivate: true, operations: .system)
      try output.write(newest.map { $0 + "\n" }.joined())
      try output.publish()
    }
    return newest
  }

  /// Appends a line, which must have no line feed.
  ///
  /// - Throws: `cannotCreate`, `inputOutput`.
  package func append(_ line: String) throws(RealmFileError) {
    try PrivateFolder.make(path.split(separator: "/").dropLast())
    let number = unsafe open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
    guard number >= 0 else {
      throw RealmFileError(.cannotCreate(SystemError(errno, "create the file")), path: path)
    }
    defer { close(number) }
    // One call, so that lines of several processes are not mixed.
    let bytes = Array(line.utf8.prefix(LineLog.lineByteCount)) + [UInt8(ascii: "\n")]
    try unsafe bytes.withUnsafeBufferPointer { (buffer) throws(RealmFileError) in
      try unsafe writeAll(UnsafeRawBufferPointer(buffer), to: number)
    }
  }

  /// The most bytes of a line.
  private static let lineByteCount = 1 << 16
}
