#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Lists of paths in files, as `find` writes them.
package enum PathList {
  /// Maximum number of bytes of a path; longer ones no system call takes.
  private static let longestPath = 1 << 16

  /// The paths in the file at `path`: one a line, or separated by NUL if the file has such a byte. Empty lines are
  /// skipped.
  ///
  /// - Parameter path: `-` is standard input.
  /// - Throws: `unreadable`, also if a path is not UTF-8; `inputOutput`.
  package static func read(_ path: String) throws(RealmFileError) -> [String] {
    let file = try InputFile.open(path)
    do throws(RealmFileError) {
      let hasZero = try file.read(at: 0, count: longestPath).contains(0)
      var lines = LineReader(file, separator: hasZero ? 0 : UInt8(ascii: "\n"))
      var (paths, number): ([String], Int) = ([], 0)
      while let line = try lines.next(limit: longestPath) {
        number += 1
        guard !line.isEmpty else { continue }
        guard let text = String(validating: line, as: UTF8.self) else {
          throw RealmFileError(
            .unreadable(SystemError(EILSEQ, "read path \(number), which is not UTF-8")))
        }
        paths.append(text)
      }
      return paths
    } catch {
      throw error.adding(path: path)
    }
  }
}
