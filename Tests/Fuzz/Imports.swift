import RealmInterchange
import RealmJobs
import RealmStorage

/// Imports of mutated files.
enum Imports {
  /// Imports the file at `path` as a dry run into a new realm, or into the realm that it was exported from.
  ///
  /// - Parameter realm: path and key of that realm.
  static func run(_ path: String, realm: (path: String, key: RealmKey?), seed: Int) throws {
    var request = ImportJob.Request()
    request.jobs = seed % 2 + 1
    request.options.ignoresUnknown = seed % 3 == 0
    // Some requests list all errors, and some import into a new realm.
    request.options.errorLimit = seed % 5 == 0 ? 10 : 1
    request.nullsMissingLinks = seed % 7 == 0
    let modes = ImportJob.Mode.allCases
    let destination: ImportJob.Destination =
      seed % 11 < 4
      ? .existing(
        ImportJob.Target(
          path: realm.path, key: realm.key, mode: modes[seed / 11 % modes.count]))
      : .new(path + ".realm", replacing: false, key: nil)
    _ = try ImportJob(path: path, to: destination, request: request, isDryRun: true).run()
  }
}
