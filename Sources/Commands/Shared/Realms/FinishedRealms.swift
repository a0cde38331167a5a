import RealmStorage

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The realms that an earlier run finished with success, from its report.
struct FinishedRealms {
  /// What is needed of a line of a report; ``RealmRun`` writes it.
  private struct Line: Decodable {
    struct File: Decodable {
      let size: Int
      let modified: String
    }

    let path: String
    let exitCode: Int32
    let file: File
  }

  /// Maximum number of bytes of a line. A longer one is not understood, and its realm is processed again.
  private static let longestLine = 1 << 26

  /// Number of lines that are no reports on a realm, such as the last one of a run that was killed.
  private(set) var unknownLines = 0
  private var states: [ExactText: FileState] = [:]

  /// - Parameter path: a report, one JSON object a line. Of several lines for one realm the last one counts.
  /// - Throws: `unreadable`, `inputOutput`.
  init(report path: String) throws {
    var lines = LineReader(try InputFile.open(path))
    let decoder = JSONDecoder()
    while let bytes = try lines.next(limit: FinishedRealms.longestLine) {
      guard let line = try? decoder.decode(Line.self, from: Data(bytes)),
        let modified = UTCTime(line.file.modified)
      else {
        unknownLines += bytes.isEmpty ? 0 : 1
        continue
      }
      states[ExactText(line.path)] =
        line.exitCode == ExitStatus.done.rawValue
        ? FileState(size: line.file.size, modified: modified) : nil
    }
  }

  /// Whether the realm at `path` was finished and is the same file as then.
  func contains(_ path: String) -> Bool {
    guard let state = states[ExactText(path)] else { return false }
    return state == FileState(ofFileAt: path)
  }
}
