public import RealmCompare
import RealmInterchange
import RealmModel
public import RealmStorage

/// Writes the changes of a comparison as a patch (docs/patch.md).
public struct PatchLines: ~Copyable {
  private var text = RealmJSONValueText()
  private let sink: any OutputSink
  private let context: RealmJSONValueText.Context
  private var classes: [ClassDifference] = []

  /// Bytes that are written at once.
  package var pieceByteCount = 1 << 16

  /// - Parameter sink: receives the lines.
  /// - Throws: `notInPatch` if the schemas differ in ways that no patch can carry; `damaged`; the errors of `sink`.
  public init(to sink: any OutputSink, of diff: RealmDiff) throws {
    self.sink = sink
    context = RealmJSONValueText.Context(
      schema: diff.objectSchemas.new, classNames: diff.classNames)
    let changes = diff.layoutChanges
    let refused = changes.filter { PatchHead.Change($0) == nil }
    guard refused.isEmpty else {
      throw RequestError(.notInPatch(refused.map(\.sentence)))
    }
    let head = PatchHead(
      schemaVersions: try diff.schemaVersions(), schema: diff.comparedSchema,
      changes: changes.compactMap { PatchHead.Change($0) })
    try sink.write(head.line)
  }

  /// Writes an event.
  ///
  /// - Throws: the errors of the sink.
  public mutating func write(_ event: RealmDiff.Event, of diff: RealmDiff) throws(RealmFileError) {
    switch event {
    case .change(let change): try append(change, diff)
    case .endOfClass(let difference): classes.append(difference)
    }
    try flush(from: pieceByteCount)
  }

  /// Writes the last line, with the counts.
  public mutating func finish() throws(RealmFileError) {
    text.append("{\"counts\":{")
    for (i, difference) in classes.filter({ !$0.isEqual }).enumerated() {
      if i > 0 { text.append(",") }
      text.append(member: difference.className)
      text.append("{\"added\":\(difference.added),\"removed\":\(difference.removed)")
      text.append(",\"changed\":\(difference.changed)}")
    }
    text.append("}}\n")
    try flush(from: 0)
  }

  private mutating func flush(from byteCount: Int) throws(RealmFileError) {
    if text.byteCount >= byteCount { try sink.write(text.take()) }
  }

  private mutating func append(
    _ change: ObjectChange, _ diff: RealmDiff
  ) throws(RealmFileError) {
    text.append("{\"class\":")
    text.append(change.className)
    var (old, new): ([(Property, RealmValue)], [(Property, RealmValue)]) = ([], [])
    for value in change.values {
      if let stored = value.old, let property = diff.oldProperty(of: value, in: change) {
        old.append((property, try diff.inNewSchema(stored, of: property)))
      }
      if let stored = value.new, let property = diff.newProperty(of: value, in: change) {
        new.append((property, stored))
      }
    }
    if change.kind != .added { append("old", change, old) }
    if change.kind != .removed { append("new", change, new) }
    text.append("}\n")
  }

  /// Appends an object with its identity and `values`.
  private mutating func append(
    _ side: String, _ change: ObjectChange, _ values: [(Property, RealmValue)]
  ) {
    let objectClass = context.schema.objectClass(named: change.className.text)
    let primaryKey = objectClass?.primaryKey.flatMap { objectClass?.properties[$0].name }
    text.append(",\"\(side)\":{")
    if let primaryKey {
      text.append(member: primaryKey)
    } else {
      text.append(member: Name(objectClass.flatMap(RealmJSONSchema.keyMember) ?? "_key"))
    }
    text.append(plain: change.identity, inMixed: false)
    for (property, value) in values where property.name != primaryKey {
      text.append(",")
      text.append(member: property.name)
      text.append(value, of: newProperty(property, objectClass), context)
    }
    text.append("}")
  }

  /// The property of the new schema with the name of `property`, whose embedded objects have the new class.
  private func newProperty(_ property: Property, _ objectClass: ObjectClass?) -> Property {
    objectClass?.properties.first { $0.name == property.name } ?? property
  }
}

extension SchemaChange {
  /// The class or property, and what happens to it.
  var sentence: String {
    className.text + (property.map { ".\($0.text)" } ?? "") + ": " + kind.name
  }
}
