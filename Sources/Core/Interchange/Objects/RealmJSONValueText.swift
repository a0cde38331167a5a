package import RealmModel

/// A text of single values, as Realm JSON writes them in mixed properties, and of what is between them.
package struct RealmJSONValueText: ~Copyable {
  private var target = TextTarget()
  private let writer = ObjectTextWriter(RealmJSONStyle(), schema: ObjectSchema(classes: []))

  package init() {}

  package var byteCount: Int { target.text.count }

  /// Appends a value that is neither a link nor a collection.
  package mutating func append(_ value: BatchValue) {
    writer.append(plain: value, inMixed: true, to: &target)
  }

  /// Appends `name` as a string.
  package mutating func append(_ name: Name) {
    target.text.append(bytes: RealmJSONSchema.quoted(name))
  }

  /// Appends `text` as it is.
  package mutating func append(_ text: String) { target.text.append(text) }

  /// The text so far, which is then removed.
  package mutating func take() -> [UInt8] {
    defer { target.removeAll() }
    return target.text.bytes
  }
}
