internal import RealmMaintenance
internal import RealmModel

/// The report of `schema diff` in `--json`; its names are a contract.
struct SchemaDiffSummary: Encodable {
  struct Side: Encodable {
    var path: String
    /// Null for a realm that has none, and for a schema file.
    var schemaVersion: UInt64?

    enum CodingKeys: CodingKey { case path, schemaVersion }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(path, forKey: .path)
      try container.encode(schemaVersion, forKey: .schemaVersion)
    }
  }

  struct Change: Encodable {
    var `class`: String
    var property: String?
    /// `classAdded`, `typeChanged`, …
    var change: String
    /// What there is before and after, in the notation of schemas; absent where there is nothing.
    var from: String?
    var to: String?
    var local: String
    var synced: String
    var losesValues: Bool
    var level: String
  }

  var from: Side
  var to: Side
  var same: Bool
  var changes: [Change]

  init(_ report: SchemaDiffJob.Report) {
    from = Side(path: report.from.path, schemaVersion: report.from.version)
    to = Side(path: report.to.path, schemaVersion: report.to.version)
    same = report.changes.isEmpty
    changes = report.changes.map { Change($0, from: report.from.schema, to: report.to.schema) }
  }
}

extension SchemaDiffSummary.Change {
  init(_ change: SchemaChange, from old: ObjectSchema, to new: ObjectSchema) {
    `class` = change.className.text
    property = change.property?.text
    (self.change, from, to) =
      switch change.kind {
      case .classAdded: ("classAdded", nil, nil)
      case .classRemoved: ("classRemoved", nil, nil)
      case .classKind(let from, let to): ("classKind", from.notation, to.notation)
      case .primaryKey(let from, let to): ("primaryKey", from?.text, to?.text)
      case .propertyAdded(let property): ("propertyAdded", nil, property.notation(new))
      case .propertyRemoved(let property): ("propertyRemoved", property.notation(old), nil)
      case .typeChanged(let from, let to):
        ("typeChanged", from.notation(old), to.notation(new))
      case .madeOptional(let from, let to):
        ("madeOptional", from.notation(old), to.notation(new))
      case .madeRequired(let from, let to):
        ("madeRequired", from.notation(old), to.notation(new))
      case .index(let from, let to): ("index", from?.notation, to?.notation)
      }
    local = change.local.rawValue
    synced = change.synced.rawValue
    losesValues = change.losesValues
    level = change.level.rawValue
  }
}
