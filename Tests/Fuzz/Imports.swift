import RealmInterchange
import RealmMaintenance

/// What an import makes of mutated texts.
enum Imports {
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
