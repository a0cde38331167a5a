import Foundation
import RealmJobs
import RealmModel
import RealmStorage
import RealmVerify
import TestSupport

/// Rewrites a realm in every way, and verifies the results: they have no errors where the realm had
/// none, and the realm stays unchanged. Damage may show in another way: nodes are copied
/// without knowing their contents, so a broken rule in a class may break others of the class.
struct Rewrites {
  /// A result with more errors than its realm.
  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  private let path: String
  private let key: RealmKey?
  private let newKey: RealmKey
  private let seed: Int

  /// - Parameter seed: chooses the property that one of the ways drops.
  init(of path: String, key: RealmKey?, seed: Int) throws {
    (self.path, self.key, self.seed) = (path, key, seed)
    newKey = try RealmKey(bytes: Array(1...64))
  }

  /// - Parameter step: runs a way by its name; errors about the realm are expected.
  func run(_ step: (String, () throws -> Void) throws -> Void) throws {
    let before = try Data(contentsOf: URL(fileURLWithPath: path))
    var known: Set<String> = []
    // If the realm cannot be opened, any result fails the check.
    try step("verify") { known = try damage(path, key) }
    for (name, resultKey, rewrite) in ways {
      let result = path + ".result"
      try? FileManager.default.removeItem(atPath: result)
      try step(name) { try rewrite(result) }
      guard FileManager.default.fileExists(atPath: result) else { continue }
      var found: Set<String> = []
      try step("verify after \(name)") { found = try damage(result, resultKey) }
      let new = found.subtracting(known).sorted()
      guard new.isEmpty else {
        throw Failure(description: "\(name) damages \(new), the realm has \(known.sorted())")
      }
    }
    guard try Data(contentsOf: URL(fileURLWithPath: path)) == before else {
      throw Failure(description: "the realm was changed")
    }
  }

  private typealias Way = (name: String, key: RealmKey?, rewrite: (String) throws -> Void)

  private var ways: [Way] {
    func file(_ path: String) -> RealmDestination { .file(path, replacing: false) }
    func convert(_ dropping: @escaping () throws -> [String]) -> (String) throws -> Void {
      { result in
        let request = ConvertJob.Request(
          droppedProperties: try dropping(), discardsUnsynced: true)
        _ = try ConvertJob(path: path, key: key, destination: file(result), request: request).run()
      }
    }
    let change: ChangeKeyJob.Change = key == nil ? .encrypt(newKey) : .decrypt
    return [
      (
        "compact", key,
        { _ = try CompactJob(path: path, key: key, destination: file($0)).run() }
      ),
      (
        "compact to a stream", key,
        { result in
          let sink = FileSink(try OutputFile(path: result, replacing: false))
          _ = try CompactJob(path: path, key: key, destination: .stream(sink)).run()
        }
      ),
      (
        change.name, key == nil ? newKey : nil,
        {
          _ = try ChangeKeyJob(path: path, key: key, change: change, destination: file($0)).run()
        }
      ),
      (
        "copy", key,
        {
          _ = try CopyJob(
            path: path, key: key, destination: file($0), discardsUnsynced: true
          ).run()
        }
      ),
      (
        "convert to a synced realm", key,
        { _ = try ConvertToSyncedJob(path: path, key: key, destination: file($0)).run() }
      ),
      ("convert", key, convert { [] }),
      ("convert without a property", key, convert { try property() }),
    ]
  }

  /// The name of one of the properties of the realm, if it has any.
  private func property() throws -> [String] {
    let schema = try Realm(try Snapshot(path: path, key: key)).schema
    let names = schema.classes.flatMap { $0.columns.map(\.name.text) }
    return names.isEmpty ? [] : [names[seed % names.count]]
  }

  /// The classes with errors or objects that cannot be read, and the rules that are broken outside of
  /// classes. Of classes that share a node only the first has the error.
  private func damage(_ path: String, _ key: RealmKey?) throws -> Set<String> {
    let report = try VerifyJob(
      VerifyJob.Request(path: path, key: key, maxFindings: 1000, jobs: 2)
    ).run()
    return Set(report.damage.map { "class \($0.name)" }).union(
      report.findings.filter { $0.severity == .error }.map { finding in
        finding.className.map { "class \($0)" } ?? finding.rule.rawValue
      })
  }
}

/// Writes a stream to a file.
private final class FileSink: OutputSink, @unchecked Sendable {
  private let file: OutputFile

  init(_ file: OutputFile) { self.file = file }

  @unsafe
  func write(_ bytes: UnsafeRawBufferPointer) throws(RealmFileError) {
    try unsafe file.write(bytes)
  }

  func publish() throws(RealmFileError) { try file.publish() }
}
