import RealmJobs
import RealmStorage
import TestSupport

/// Migrates a realm by a plan, and verifies the result.
struct Plans {
  private static let realms = [
    Golden.path("names-v0.realm"), MeasuredQuery.realm, Golden.path("tasks-synced.realm"),
    Golden.path("links.realm"),
  ]

  private let bytes: [UInt8]
  private let folder: TemporaryFolder

  init(_ bytes: [UInt8], in folder: TemporaryFolder) {
    (self.bytes, self.folder) = (bytes, folder)
  }

  func run() throws {
    guard let first = bytes.first else { return }
    let plan = try folder.write(Array(bytes.dropFirst()), to: "plan.yml")
    let result = folder.path("migrated.realm")
    var output: String?
    try FuzzRun.expecting("migrate") {
      output = try MigrateJob(
        path: Plans.realms[Int(first) % Plans.realms.count], key: nil,
        destination: .file(result, replacing: true), source: .plan(path: plan, to: nil),
        sampleCount: 1
      ).run().rewrite?.output
    }
    if output != nil { try Salvages.requireNoErrors(result, "the migrated realm") }
  }
}
