import Foundation
import RealmInterchange
import RealmJobs
import RealmStorage
import TestSupport

/// Imports a file, or a folder with one.
struct Imports {
  /// Bytes in front of the file: its name, and the request.
  static let headerByteCount = 2

  /// Names of the file. Without an extension, the content decides the format.
  private static let names = [
    "x", "x.json", "x.ndjson", "x.csv", "x.folder/Person.json", "x.folder/Person.csv",
  ]
  private static let realms = [
    MeasuredQuery.realm, Golden.path("names-v0.realm"), Golden.path("unresolved.realm"),
  ]

  private let bytes: [UInt8]
  private let folder: TemporaryFolder

  init(_ bytes: [UInt8], in folder: TemporaryFolder) {
    (self.bytes, self.folder) = (bytes, folder)
  }

  func run() throws {
    guard bytes.count > Imports.headerByteCount else { return }
    let name = Imports.names[Int(bytes[0]) % Imports.names.count]
    let choice = Int(bytes[1])
    // The other name in the folder would be another class.
    try? FileManager.default.removeItem(atPath: folder.path("x.folder"))
    var path = try folder.write(Array(bytes[Imports.headerByteCount...]), to: name)
    if name.contains("/") { path = folder.path("x.folder") }
    var request = ImportJob.Request()
    request.options.ignoresUnknown = choice & 1 != 0
    request.options.errorLimit = choice & 2 != 0 ? 10 : 1
    request.nullsMissingLinks = choice & 4 != 0
    let modes = ImportJob.Mode.allCases
    let result = folder.path("imported.realm")
    let isNew = choice & 8 == 0
    let destination: ImportJob.Destination =
      isNew
      ? .new(result, replacing: true, key: nil)
      : .existing(
        ImportJob.Target(
          path: Imports.realms[choice >> 4 % Imports.realms.count], key: nil,
          mode: modes[choice >> 6 % modes.count]))
    let failure = try FuzzRun.expecting("import") {
      _ = try ImportJob(path: path, to: destination, request: request, isDryRun: !isNew).run()
    }
    if isNew, failure == nil { try Salvages.requireNoErrors(result, "the imported realm") }
  }
}
