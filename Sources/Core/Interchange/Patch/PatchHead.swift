package import RealmModel
import RealmStorage

/// The head of a patch: the classes of its objects, and what it changes in the schema (docs/patch.md).
package struct PatchHead: Sendable {
  /// Name and version of the format.
  static let (format, version) = ("realm-patch", 1)

  /// A change of the schema that a patch can carry. What it is like afterwards is in ``PatchHead/schema``.
  package struct Change: Sendable {
    package enum Kind: String, Sendable {
      case classAdded, propertyAdded, madeOptional, index
    }

    package let className: Name
    /// Nil for a change of a class.
    package let property: Name?
    package let kind: Kind

    /// - Returns: nil for a change that no patch can carry.
    package init?(_ change: SchemaChange) {
      switch change.kind {
      case .classAdded: kind = .classAdded
      case .propertyAdded: kind = .propertyAdded
      case .madeOptional: kind = .madeOptional
      case .index: kind = .index
      case .classRemoved, .classKind, .primaryKey, .propertyRemoved, .typeChanged, .madeRequired:
        return nil
      }
      (className, property) = (change.className, change.property)
    }

    fileprivate init(_ className: Name, _ property: Name?, _ kind: Kind) {
      (self.className, self.property, self.kind) = (className, property, kind)
    }
  }

  /// The schema versions before and after the changes; nil if the app set none.
  package let schemaVersions: (old: UInt64?, new: UInt64?)
  /// The classes after the changes, without the properties that the patch does not cover.
  package let schema: ObjectSchema
  package let changes: [Change]

  package init(
    schemaVersions: (old: UInt64?, new: UInt64?), schema: ObjectSchema, changes: [Change]
  ) {
    (self.schemaVersions, self.schema, self.changes) = (schemaVersions, schema, changes)
  }
}

// MARK: Writing

extension PatchHead {
  /// The head as the first line of a patch, with a line feed.
  package var line: [UInt8] {
    var text = TextBuffer()
    text.append("{\"realm\":{\"format\":\"\(PatchHead.format)\",\"version\":\(PatchHead.version)")
    text.append(",\"schemaVersion\":{\"old\":\(PatchHead.text(schemaVersions.old))")
    text.append(",\"new\":\(PatchHead.text(schemaVersions.new))}},\"schema\":")
    RealmJSONSchema.append(
      schema.appClasses.map { schema.classes[$0] }, of: schema, isExport: true, lineEnd: "",
      to: &text)
    text.append(",\"schemaChanges\":[")
    for (i, change) in changes.enumerated() {
      text.append(i > 0 ? ",{\"class\":" : "{\"class\":")
      text.append(bytes: RealmJSONSchema.quoted(change.className))
      if let property = change.property {
        text.append(",\"property\":")
        text.append(bytes: RealmJSONSchema.quoted(property))
      }
      text.append(",\"is\":\"\(change.kind.rawValue)\"}")
    }
    text.append("]}\n")
    return text.bytes
  }

  private static func text(_ version: UInt64?) -> String { version.map(String.init) ?? "null" }
}

// MARK: Reading

extension PatchHead {
  /// Reads the first line of a patch.
  ///
  /// - Throws: `patch`, `schema`, and errors of values.
  init(_ record: JSONRecord) throws(ValueError) {
    guard let realm = record.member(0, "realm"), let schema = record.member(0, "schema"),
      let changes = record.member(0, "schemaChanges"), record.count(0) == 3
    else {
      throw ValueError(
        .patch("expected a first line with the members realm, schema and schemaChanges"), at: 0)
    }
    schemaVersions = try PatchHead.versions(record, realm)
    self.schema = try RealmJSONSchemaReader.read(record, schema)
    guard record.kind(changes) == .array else {
      throw ValueError(.patch("expected an array of schema changes"), at: changes)
    }
    var read: [Change] = []
    for token in record.elements(changes) {
      read.append(try PatchHead.change(record, token, self.schema))
    }
    self.changes = read
  }

  private static func versions(
    _ record: JSONRecord, _ realm: Int
  ) throws(ValueError) -> (old: UInt64?, new: UInt64?) {
    guard let version = record.member(realm, "version"),
      let versions = record.member(realm, "schemaVersion"), record.count(realm) == 3,
      let old = record.member(versions, "old"), let new = record.member(versions, "new"),
      record.count(versions) == 2
    else {
      throw ValueError(
        .patch("expected the members format, version and schemaVersion with old and new"),
        at: realm)
    }
    let number = try record.int(version)
    guard number == PatchHead.version else {
      throw ValueError(
        .patch("found version \(number) of \(format), expected version \(PatchHead.version)"),
        at: version)
    }
    return (try record.schemaVersion(old), try record.schemaVersion(new))
  }

  private static func change(
    _ record: JSONRecord, _ i: Int, _ schema: ObjectSchema
  ) throws(ValueError) -> Change {
    guard let name = record.member(i, "class"), let what = record.member(i, "is"),
      record.kind(what) == .string, let kind = Change.Kind(rawValue: record.bytes(what).text)
    else {
      throw ValueError(
        .patch(
          "expected a schema change with class, property and is: classAdded, propertyAdded, "
            + "madeOptional or index"), at: i)
    }
    let className = Name(try record.string(name).bytes)
    var property: Name?
    if let token = record.member(i, "property") {
      property = Name(try record.string(token).bytes)
    }
    let objectClass = schema.appClasses.lazy.map { schema.classes[$0] }.first {
      $0.name == className
    }
    guard let objectClass, (property == nil) == (kind == .classAdded),
      record.count(i) == (property == nil ? 2 : 3)
    else {
      throw ValueError(.patch("the schema of the patch does not have what changes"), at: i)
    }
    if let property, !objectClass.properties.contains(where: { $0.name == property }) {
      throw ValueError(.unknownProperty(property.text), at: i)
    }
    return Change(className, property, kind)
  }
}
