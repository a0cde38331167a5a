package import RealmModel

/// A change of an object as values: a line of a patch (docs/patch.md).
package struct PatchLine: Sendable, Hashable {
  package var classPosition: Int
  /// The primary key; the object key for a class without one.
  package var identity: RealmValue
  /// The values before by position of the property, without the primary key; nil for an added object.
  package var old: [Int: RealmValue]?
  /// The values after; nil for a removed object.
  package var new: [Int: RealmValue]?

  package init(
    classPosition: Int, identity: RealmValue, old: [Int: RealmValue]?, new: [Int: RealmValue]?
  ) {
    (self.classPosition, self.identity, self.old, self.new) = (classPosition, identity, old, new)
  }
}

extension RealmJSONValueText {
  /// Appends a line of a patch, with a line feed.
  ///
  /// - Parameter context: the schema of the line.
  package mutating func append(_ line: PatchLine, _ context: Context) {
    let owner = context.schema.classes[line.classPosition]
    append("{\"class\":")
    append(owner.name)
    if let old = line.old { append("old", line.identity, old, of: owner, context) }
    if let new = line.new { append("new", line.identity, new, of: owner, context) }
    append("}\n")
  }

  /// Appends an object with its identity and `values`, in the order of the properties.
  private mutating func append(
    _ side: String, _ identity: RealmValue, _ values: [Int: RealmValue], of owner: ObjectClass,
    _ context: Context
  ) {
    append(",\"\(side)\":{")
    append(member: RealmJSONSchema.identityMember(of: owner))
    append(plain: identity, inMixed: false)
    for (position, value) in values.sorted(by: { $0.key < $1.key })
    where position != owner.primaryKey {
      append(",")
      append(member: owner.properties[position].name)
      append(value, of: owner.properties[position], context)
    }
    append("}")
  }
}
