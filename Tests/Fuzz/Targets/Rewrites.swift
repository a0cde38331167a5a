import Foundation
import RealmJobs
import RealmModel
import RealmStorage
import RealmVerify
import TestSupport

/// Rewrites a realm in one of several ways, and verifies the result: it has no errors where the realm has
/// none, and the realm stays unchanged. Damage may show in another way: nodes are copied
/// without knowing their contents, so a broken rule in a class may break others of the class.
struct Rewrites {
  private let path: String
  private let newKey: RealmKey
  private let choice: Int

  /// - Parameter choice: selects the way, and the property that one of the ways drops.
  init(of path: String, choice: Int) throws {
    (self.path, self.choice) = (path, choice)
    newKey = try RealmKey(bytes: Array(1...64))
  }

  func run() throws {
    let before = try Data(contentsOf: URL(fileURLWithPath: path))
    var known: Damage?
    try FuzzRun.expecting("verify") { known = try damage(path, nil) }
    let (name, resultKey, rewrite) = ways[choice % ways.count]
    let result = path + ".result"
    try? FileManager.default.removeItem(atPath: result)
    try FuzzRun.expecting(name) { try rewrite(result) }
    guard FileManager.default.fileExists(atPath: result) else { return }
    var found: Damage?
    let failure = try FuzzRun.expecting("verify after \(name)") {
      found = try damage(result, resultKey)
    }
    // Nodes are also copied from a realm that cannot be verified, or whose classes cannot.
    if let known, try hasReadableTables(known) {
      guard let found else {
        throw FuzzFailure(
          "\(name) writes a file that cannot be verified: "
            + "\(String(describing: failure))")
      }
      let new = found.rules.filter { part, rules in
        // Of classes that share a node only the first has its error, until each has a node of its own.
        known.rules[part] == nil && (rules.isEmpty || !rules.isSubset(of: known.sharedRules))
      }.keys.sorted()
      guard new.isEmpty else {
        throw FuzzFailure("\(name) damages \(new), the realm has \(known.rules.keys.sorted())")
      }
    }
    guard try Data(contentsOf: URL(fileURLWithPath: path)) == before else {
      throw FuzzFailure("\(name) changes the realm that it reads")
    }
  }

  private typealias Way = (name: String, key: RealmKey?, rewrite: (String) throws -> Void)

  private var ways: [Way] {
    func file(_ path: String) -> RealmDestination { .file(path, replacing: false) }
    func convert(_ dropping: @escaping () throws -> [String]) -> (String) throws -> Void {
      { result in
        let request = ConvertJob.Request(
          droppedProperties: try dropping(), discardsUnsynced: true)
        _ = try ConvertJob(path: path, key: nil, destination: file(result), request: request).run()
      }
    }
    return [
      (
        "compact", nil,
        { _ = try CompactJob(path: path, key: nil, destination: file($0)).run() }
      ),
      (
        "compact to a stream", nil,
        { result in
          let sink = FileSink(try OutputFile(path: result, replacing: false))
          _ = try CompactJob(path: path, key: nil, destination: .stream(sink)).run()
        }
      ),
      (
        "encrypt", newKey,
        {
          _ = try ChangeKeyJob(
            path: path, key: nil, change: .encrypt(newKey), destination: file($0)
          ).run()
        }
      ),
      (
        "copy", nil,
        {
          _ = try CopyJob(
            path: path, key: nil, destination: file($0), discardsUnsynced: true
          ).run()
        }
      ),
      (
        "convert to a synced realm", nil,
        { _ = try ConvertToSyncedJob(path: path, key: nil, destination: file($0)).run() }
      ),
      ("convert", nil, convert { [] }),
      ("convert without a property", nil, convert { try property() }),
    ]
  }

  /// The name of one of the properties of the realm, if it has any.
  private func property() throws -> [String] {
    let schema = try Realm(try Snapshot(path: path, key: nil)).schema
    let names = schema.classes.flatMap { $0.columns.map(\.name.text) }
    return names.isEmpty ? [] : [names[choice % names.count]]
  }

  private struct Damage {
    /// The rules that each class breaks, which are none if only its objects cannot be read; one item for all errors
    /// outside of classes. A damaged history is not checked further.
    var rules: [String: Set<Rule>] = [:]
    /// The rules that nodes break to which several refs point.
    var sharedRules: Set<Rule> = []
    var fileFormat: Int?
  }

  /// Whether classes were verified: of formats 2 to 9, either all tables can be read or none.
  private func hasReadableTables(_ damage: Damage) throws -> Bool {
    guard let format = damage.fileFormat, FileFormat.legacyNumbers.contains(format) else {
      return true
    }
    return try FuzzRun.expecting("info") { _ = try InfoJob(path: path, key: nil).run() } == nil
  }

  private func damage(_ path: String, _ key: RealmKey?) throws -> Damage {
    let report = try VerifyJob(
      VerifyJob.Request(path: path, key: key, maxFindings: 1000)
    ).run()
    var damage = Damage()
    damage.fileFormat = report.fileFormat
    for part in report.damage { damage.rules["class \(part.name)"] = [] }
    let errors = report.findings.filter { $0.severity == .error }
    let shared = Set(errors.filter { $0.rule == .storageNodeOverlap }.map(\.offset))
    for error in errors {
      let part = error.className.map { "class \($0)" } ?? "what belongs to no class"
      damage.rules[part, default: []].insert(error.rule)
      if error.className != nil, shared.contains(error.offset) {
        damage.sharedRules.insert(error.rule)
      }
    }
    return damage
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
