internal import RealmMaintenance

/// The report on a realm that was made from a text, as JSON.
struct ImportSummary: Encodable {
  struct Class: Encodable {
    var name: String
    var objects: Int
    /// Objects of the text that are new in the realm, and that were in it; nil where there was no realm.
    var inserted: Int?
    var updated: Int?

    private enum CodingKeys: String, CodingKey { case name, objects, inserted, updated }

    /// Members without a value are written as null.
    func encode(to encoder: any Encoder) throws {
      var members = encoder.container(keyedBy: CodingKeys.self)
      try members.encode(name, forKey: .name)
      try members.encode(objects, forKey: .objects)
      try members.encode(inserted, forKey: .inserted)
      try members.encode(updated, forKey: .updated)
    }
  }

  var path: String
  var output: String
  var classes: [Class]
  /// Bytes of the realm.
  var bytes: Int
  var schemaVersion: UInt64?
  var ignoredMembers: Int
  var lostSubtypes: Int
  /// Whether the schema was inferred.
  var inferredSchema: Bool
  /// Path of the original, if it was kept.
  var backup: String?
  /// Changesets to upload for the text; nil if the realm is not synced.
  var changesets: Int?
  var dryRun: Bool

  private enum CodingKeys: String, CodingKey {
    case path, output, classes, bytes, schemaVersion, ignoredMembers, lostSubtypes, inferredSchema
    case backup, changesets, dryRun
  }

  init(_ report: ImportJob.Report) {
    (path, output, bytes) = (report.path, report.output, report.byteCount)
    classes = report.counts.map {
      Class(
        name: $0.name, objects: $0.objects, inserted: $0.inserted, updated: $0.updated)
    }
    (backup, lostSubtypes) = (report.backup, report.lostSubtypes)
    changesets = report.changesets
    (schemaVersion, ignoredMembers) = (report.schemaVersion, report.ignoredMembers)
    (inferredSchema, dryRun) = (report.inferredSchema != nil, report.isDryRun)
  }

  /// Members without a value are written as null.
  func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: CodingKeys.self)
    try members.encode(path, forKey: .path)
    try members.encode(output, forKey: .output)
    try members.encode(classes, forKey: .classes)
    try members.encode(bytes, forKey: .bytes)
    try members.encode(schemaVersion, forKey: .schemaVersion)
    try members.encode(ignoredMembers, forKey: .ignoredMembers)
    try members.encode(lostSubtypes, forKey: .lostSubtypes)
    try members.encode(inferredSchema, forKey: .inferredSchema)
    try members.encode(backup, forKey: .backup)
    try members.encode(changesets, forKey: .changesets)
    try members.encode(dryRun, forKey: .dryRun)
  }

  /// A line for the realm, and one for each class.
  var text: String {
    let objects = classes.reduce(0) { $0 + $1.objects }
    let width = classes.map { String($0.objects).count }.max() ?? 0
    let lines = classes.map { entry in
      let count = String(entry.objects)
      return "  " + String(repeating: " ", count: width - count.count) + count
        + "  \(entry.name.printable)\(entry.changes)\n"
    }
    let uploads =
      changesets.map { "  \(Text.count($0, "changeset", "changesets")) to upload\n" } ?? ""
    let kept = backup.map { "the original is \($0.printable)\n" } ?? ""
    return "\(output.printable): \(dryRun ? "would get " : "")"
      + "\(Text.count(objects, "object", "objects")) of "
      + "\(Text.count(classes.count, "class", "classes")), \(Text.size(bytes))\n" + lines.joined()
      + uploads + kept
  }
}

extension ImportSummary.Class {
  /// What the text did to the objects of the class; empty where it did nothing.
  fileprivate var changes: String {
    let parts = [(inserted ?? 0, "new"), (updated ?? 0, "changed")].filter { $0.0 > 0 }
    guard !parts.isEmpty else { return "" }
    return " (" + parts.map { "\($0.0) \($0.1)" }.joined(separator: ", ") + ")"
  }
}
