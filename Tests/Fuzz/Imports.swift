import Foundation
import RealmInterchange
import RealmMaintenance
import RealmStorage

/// Texts of realms, and what an import makes of their mutations.
enum Imports {
  /// The texts whose mutations are imported.
  private static let formats: [ObjectTextFormat] = [.json, .ndjson, .plain]

  /// The texts of the realm at `path`.
  static func texts(of path: String, key: RealmKey?) throws -> [(name: String, bytes: [UInt8])] {
    let name = URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
    return try formats.map { format in
      let text = CollectedText()
      _ = try ExportJob(ExportJob.Request(format: .text(format))).run(
        open: { access throws(JobError) in
          try inJob(Snapshot(path: path, key: key, access: access))
        },
        makeOutput: { _ in .text(text) }, canStartAnew: false, progress: { _, _ in })
      return ("\(name).\(format.rawValue)", text.bytes)
    }
  }

  /// Imports the text at `path` as a dry run.
  static func run(_ path: String, seed: Int) throws {
    var request = ImportJob.Request()
    request.jobs = seed % 2 + 1
    request.options.ignoresUnknown = seed % 3 == 0
    // What fails in one way or another is told in lists, and read into a realm of its own.
    request.options.errorLimit = seed % 5 == 0 ? 10 : 1
    request.nullsMissingLinks = seed % 7 == 0
    _ = try ImportJob(
      path: path, to: .new(path + ".realm", replacing: false, key: nil), request: request,
      isDryRun: true
    ).run()
  }
}

/// Collects a text in memory.
private final class CollectedText: OutputSink {
  private(set) var bytes: [UInt8] = []

  @unsafe
  func write(_ bytes: UnsafeRawBufferPointer) throws(RealmFileError) {
    unsafe self.bytes.append(contentsOf: bytes)
  }

  func publish() {}
}
