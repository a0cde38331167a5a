internal import RealmMaintenance

/// The report on a realm that was made from a text, as JSON.
struct ImportSummary: Encodable {
  struct Class: Encodable {
    var name: String
    var objects: Int
  }

  var path: String
  var output: String
  var classes: [Class]
  /// Bytes of the realm.
  var bytes: Int
  var schemaVersion: UInt64?
  var ignoredMembers: Int
  /// Whether the schema was inferred.
  var inferredSchema: Bool
  var dryRun: Bool

  private enum CodingKeys: String, CodingKey {
    case path, output, classes, bytes, schemaVersion, ignoredMembers, inferredSchema, dryRun
  }

  init(_ report: ImportJob.Report) {
    (path, output, bytes) = (report.path, report.output, report.byteCount)
    classes = report.counts.map { Class(name: $0.name, objects: $0.objects) }
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
    try members.encode(inferredSchema, forKey: .inferredSchema)
    try members.encode(dryRun, forKey: .dryRun)
  }

  /// A line for the realm, and one for each class.
  var text: String {
    let objects = classes.reduce(0) { $0 + $1.objects }
    let width = classes.map { String($0.objects).count }.max() ?? 0
    let lines = classes.map { entry in
      let count = String(entry.objects)
      return "  " + String(repeating: " ", count: width - count.count) + count
        + "  \(entry.name.printable)\n"
    }
    return "\(output.printable): \(dryRun ? "would get " : "")"
      + "\(Text.count(objects, "object", "objects")) of "
      + "\(Text.count(classes.count, "class", "classes")), \(Text.size(bytes))\n" + lines.joined()
  }
}
