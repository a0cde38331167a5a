internal import RealmMaintenance
internal import RealmStorage

/// The JSON of `verify`: the names of the members are a contract.
struct VerifySummary: Encodable {
  struct Finding: Encodable {
    var rule: String
    /// `error`, `warning` or `note`.
    var severity: String
    /// Byte offset in the (decrypted) file.
    var offset: Int
    var className: String?
    var property: String?
    var objectKey: Int64?
    var message: String

    private enum CodingKeys: String, CodingKey {
      case rule, severity, offset, property, objectKey, message
      case className = "class"
    }
  }

  struct Total: Encodable {
    var rule: String
    var severity: String
    var count: Int
  }

  /// A class with objects that cannot be read; without numbers if none of them can be read.
  struct Damage: Encodable {
    var className: String
    var unreadableObjects: Int?
    var objects: Int?

    private enum CodingKeys: String, CodingKey {
      case unreadableObjects, objects
      case className = "class"
    }
  }

  var path: String
  /// False with errors, with `--strict` also with warnings.
  var sound: Bool
  /// Absent if the realm cannot be opened.
  var fileFormat: Int?
  var version: Int?
  var errors: Int
  var warnings: Int
  var notes: Int
  var objects: Int
  var nodes: Int
  var bytes: Int
  var findings: [Finding]
  var totals: [Total]
  var damage: [Damage]

  init(_ report: VerifyJob.Report, isSound: Bool) {
    (path, sound) = (report.path, isSound)
    (fileFormat, version) = (report.fileFormat, report.version)
    errors = report.count(.error)
    warnings = report.count(.warning)
    notes = report.count(.note)
    (objects, nodes, bytes) = (report.objectCount, report.nodeCount, report.byteCount)
    findings = report.findings.map {
      Finding(
        rule: $0.rule.rawValue, severity: $0.severity.rawValue, offset: $0.offset,
        className: $0.className, property: $0.property, objectKey: $0.objectKey,
        message: $0.message)
    }
    totals = report.totals.map {
      Total(rule: $0.rule.rawValue, severity: $0.severity.rawValue, count: $0.count)
    }
    damage = report.damage.map {
      Damage(
        className: $0.name, unreadableObjects: $0.unreadableObjects, objects: $0.objectCount)
    }
  }
}
