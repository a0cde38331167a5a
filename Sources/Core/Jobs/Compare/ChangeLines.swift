public import RealmCompare
import RealmInterchange
public import RealmModel
public import RealmStorage

/// Writes the changes of a comparison as JSON, one object per line (docs/diff.md).
public struct ChangeLines: ~Copyable {
  private var text = RealmJSONValueText()
  private let sink: any OutputSink
  private let contexts: (old: RealmJSONValueText.Context, new: RealmJSONValueText.Context)
  private var classes: [ClassDifference] = []

  /// Bytes that are written at once.
  package var pieceByteCount = 1 << 16

  /// - Parameter sink: receives the lines.
  public init(to sink: any OutputSink, of diff: RealmDiff) throws(RealmFileError) {
    self.sink = sink
    let (schemas, names) = (diff.objectSchemas, diff.classNames)
    contexts = (
      RealmJSONValueText.Context(schema: schemas.old, classNames: names),
      RealmJSONValueText.Context(schema: schemas.new, classNames: names)
    )
    for change in diff.schemaChanges { append(change) }
    try flush(from: 0)
  }

  /// Writes an event.
  public mutating func write(_ event: RealmDiff.Event, of diff: RealmDiff) throws(RealmFileError) {
    switch event {
    case .change(let change): append(change, diff)
    case .endOfClass(let difference): classes.append(difference)
    }
    try flush(from: pieceByteCount)
  }

  /// Writes the last line, with the counts.
  public mutating func finish() throws(RealmFileError) {
    text.append("{\"counts\":{")
    for (i, difference) in classes.enumerated() {
      if i > 0 { text.append(",") }
      text.append(member: difference.className)
      text.append("{\"added\":\(difference.added),\"removed\":\(difference.removed)")
      text.append(",\"changed\":\(difference.changed),\"equal\":\(difference.equal)}")
    }
    text.append("}}\n")
    try flush(from: 0)
  }

  private mutating func flush(from byteCount: Int) throws(RealmFileError) {
    if text.byteCount >= byteCount { try sink.write(text.take()) }
  }

  private mutating func append(_ change: SchemaChange) {
    text.append("{\"change\":\"schema\",\"class\":")
    text.append(change.className)
    if let property = change.property {
      text.append(",\"property\":")
      text.append(property)
    }
    text.append(",\"is\":\"\(change.kind.name)\"}\n")
  }

  private mutating func append(_ change: ObjectChange, _ diff: RealmDiff) {
    text.append("{\"change\":\"\(change.kind.rawValue)\",\"class\":")
    text.append(change.className)
    text.append(",\"id\":")
    text.append(plain: change.identity, inMixed: false)
    if change.kind != .added {
      append(",\"old\":{", change, contexts.old) { value in
        value.old.flatMap { old in diff.oldProperty(of: value, in: change).map { (old, $0) } }
      }
    }
    if change.kind != .removed {
      append(",\"new\":{", change, contexts.new) { value in
        value.new.flatMap { new in diff.newProperty(of: value, in: change).map { (new, $0) } }
      }
    }
    text.append("}\n")
  }

  private mutating func append(
    _ start: String, _ change: ObjectChange, _ context: RealmJSONValueText.Context,
    _ side: (ObjectChange.Value) -> (RealmValue, Property)?
  ) {
    text.append(start)
    var isFirst = true
    for value in change.values {
      guard let (value, property) = side(value) else { continue }
      if !isFirst { text.append(",") }
      isFirst = false
      text.append(member: property.name)
      text.append(value, of: property, context)
    }
    text.append("}")
  }
}

extension SchemaChange.Kind {
  /// The change for scripts.
  public var name: String {
    switch self {
    case .classAdded: "classAdded"
    case .classRemoved: "classRemoved"
    case .classKind: "classKind"
    case .primaryKey: "primaryKey"
    case .propertyAdded: "propertyAdded"
    case .propertyRemoved: "propertyRemoved"
    case .typeChanged: "typeChanged"
    case .madeOptional: "madeOptional"
    case .madeRequired: "madeRequired"
    case .index: "index"
    }
  }
}
