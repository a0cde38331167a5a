internal import RealmMaintenance

/// The report of `convert`, as JSON and as text.
struct ConvertSummary: Encodable {
  struct Property: Encodable {
    var `class`: String
    var property: String
  }

  private var rewrite: RewriteSummary
  private var pendingChanges: Int
  private var asymmetricClasses: [String]
  private var droppedTables: [String]
  private var keptTables: [String]
  private var droppedProperties: [Property]
  private var serverProperties: [Property]
  private var schemaVersion: UInt64?
  private var legacy: LegacyLosses?

  private enum CodingKeys: String, CodingKey {
    case pendingChanges, asymmetricClasses, droppedTables, keptTables, droppedProperties
    case serverProperties, schemaVersion
  }

  init(_ report: ConvertJob.Report) {
    rewrite = RewriteSummary(report.rewrite)
    pendingChanges = report.pendingChanges
    asymmetricClasses = report.asymmetricClasses
    (droppedTables, keptTables) = (report.droppedTables, report.keptTables)
    droppedProperties = report.droppedProperties.map(Property.init)
    serverProperties = report.serverProperties.map(Property.init)
    (schemaVersion, legacy) = (report.schemaVersion, report.legacy)
  }

  func encode(to encoder: any Encoder) throws {
    try rewrite.encode(to: encoder)
    var members = encoder.container(keyedBy: CodingKeys.self)
    try members.encode(pendingChanges, forKey: .pendingChanges)
    try members.encode(asymmetricClasses, forKey: .asymmetricClasses)
    try members.encode(droppedTables, forKey: .droppedTables)
    try members.encode(keptTables, forKey: .keptTables)
    try members.encode(droppedProperties, forKey: .droppedProperties)
    try members.encode(serverProperties, forKey: .serverProperties)
    try members.encode(schemaVersion, forKey: .schemaVersion)
    try LegacyLossesSummary(legacy).encode(to: encoder)
  }

  var text: String {
    var lines = rewrite.text(done: "converted to a local realm")
    lines += "  schema version \(schemaVersion.map(String.init) ?? "not set")\n"
    if !droppedTables.isEmpty {
      lines += "  internal tables left out: \(droppedTables.joined(separator: ", "))\n"
    }
    if !droppedProperties.isEmpty {
      let names = droppedProperties.map { "\($0.class).\($0.property)" }
      lines += "  properties left out: \(names.joined(separator: ", "))\n"
    }
    return lines + (legacy?.text ?? "")
  }
}

extension ConvertSummary.Property {
  fileprivate init(_ pair: (class: String, property: String)) {
    self.init(class: pair.class, property: pair.property)
  }
}
