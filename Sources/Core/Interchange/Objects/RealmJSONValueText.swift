package import RealmModel
import RealmStorage

/// Writes single values as Realm JSON, with any bytes between them.
package struct RealmJSONValueText: ~Copyable {
  private var target = TextTarget()
  private let writer = ObjectTextWriter(RealmJSONStyle(), schema: ObjectSchema(classes: []))

  package init() {}

  package var byteCount: Int { target.text.count }

  /// Appends a value that is neither a link nor a collection, as in a mixed property.
  package mutating func append(_ value: BatchValue) {
    writer.append(plain: value, inMixed: true, to: &target)
  }

  /// Appends `name` as a string.
  package mutating func append(_ name: Name) {
    target.text.append(bytes: RealmJSONSchema.quoted(name))
  }

  /// Appends `name` as the name of a member, and a colon.
  package mutating func append(member name: Name) {
    target.text.append(bytes: RealmJSONSchema.memberName(name))
  }

  /// Appends `text` as it is.
  package mutating func append(_ text: String) { target.text.append(text) }

  /// Returns the output so far, and removes it.
  package mutating func take() -> [UInt8] {
    defer { target.removeAll() }
    return target.text.bytes
  }
}

// MARK: Values of properties

extension RealmJSONValueText {
  /// What values are, beyond themselves.
  package struct Context {
    /// The schema with the property, and with the classes of embedded objects.
    package let schema: ObjectSchema
    /// The names of classes at the positions that links have.
    package let classNames: [Name]

    package init(schema: ObjectSchema, classNames: [Name]) {
      (self.schema, self.classNames) = (schema, classNames)
    }
  }

  /// Appends the value of a property.
  ///
  /// - Parameter isElement: whether the value is an element of the property's collection.
  package mutating func append(
    _ value: RealmValue, of property: Property, isElement: Bool = false, _ context: Context
  ) {
    switch (isElement ? nil : property.collection, value) {
    case (.list, .list(let elements)), (.set, .list(let elements)):
      append(list: elements) { $0.append(element: $1, of: property, context) }
    case (.dictionary, .dictionary(let entries)):
      append(dictionary: entries, isMixed: property.type == .mixed) {
        $0.append(element: $1, of: property, context)
      }
    default: append(element: value, of: property, context)
    }
  }

  private mutating func append(
    element value: RealmValue, of property: Property, _ context: Context
  ) {
    switch value {
    case _ where property.type == .mixed || property.type == .typedLink:
      append(mixed: value, context)
    case .object(let values):
      guard let objectClass = context.schema.target(of: property) else { return append("null") }
      append(object: values, of: objectClass, context)
    case .link(let link): append(link, isTyped: false, context)
    default: append(plain: value, inMixed: false)
    }
  }

  private mutating func append(
    object values: [RealmValue], of objectClass: ObjectClass, _ context: Context
  ) {
    append("{")
    for (i, (property, value)) in zip(objectClass.properties, values).enumerated() {
      if i > 0 { append(",") }
      append(member: property.name)
      append(value, of: property, context)
    }
    append("}")
  }

  private mutating func append(mixed value: RealmValue, _ context: Context) {
    switch value {
    case .list(let elements): append(list: elements) { $0.append(mixed: $1, context) }
    case .dictionary(let entries):
      append(dictionary: entries, isMixed: true) { $0.append(mixed: $1, context) }
    case .link(let link): append(link, isTyped: true, context)
    default: append(plain: value, inMixed: true)
    }
  }

  private mutating func append(_ link: RealmLink, isTyped: Bool, _ context: Context) {
    var identity = link.primaryKey.first ?? .null
    if link.primaryKey.isEmpty, let key = link.key {
      identity = .int(link.isUnresolved ? key.unresolved.raw : key.raw)
    }
    let isNamed = isTyped || link.isUnresolved
    guard isNamed || identity == .null else { return append(plain: identity, inMixed: false) }
    append("{\"$link\":{")
    if isNamed {
      append("\"class\":")
      append(context.classNames[link.classPosition])
      append(",")
    }
    append("\"id\":")
    append(plain: identity, inMixed: false)
    append(link.isUnresolved ? ",\"unresolved\":true}}" : "}}")
  }

  /// Appends a value that is neither a link nor a collection.
  package mutating func append(plain value: RealmValue, inMixed: Bool) {
    let (arena, slices) = ByteArena.copy([value.stored])
    writer.append(plain: BatchValue(value, slices[0]), inMixed: inMixed, to: &target)
    withExtendedLifetime(arena) {}
  }

  private mutating func append(
    list elements: [RealmValue], _ element: (inout RealmJSONValueText, RealmValue) -> Void
  ) {
    append("[")
    for (i, value) in elements.enumerated() {
      if i > 0 { append(",") }
      element(&self, value)
    }
    append("]")
  }

  private mutating func append(
    dictionary entries: [RealmEntry], isMixed: Bool,
    _ element: (inout RealmJSONValueText, RealmValue) -> Void
  ) {
    let form = RealmJSONValueText.form(of: entries, isMixed: isMixed)
    writer.style.appendDictionaryStart(form, to: &target.text)
    for (i, entry) in entries.enumerated() {
      if i > 0 { append(",") }
      if case .pairs = form { append("[") }
      append(plain: entry.key, inMixed: false)
      if case .pairs = form { append(",") } else { append(":") }
      element(&self, entry.value)
      if case .pairs = form { append("]") }
    }
    writer.style.appendDictionaryEnd(form, to: &target.text)
  }

  private static func form(of entries: [RealmEntry], isMixed: Bool) -> DictionaryForm {
    var form = DictionaryForm.plain
    for entry in entries {
      guard case .string(let key) = entry.key else { return .pairs }
      if isMixed ? key.utf8.first == UInt8(ascii: "$") : key == "$dictionary" { form = .wrapped }
    }
    return form
  }
}

extension RealmValue {
  /// The bytes of a value that has bytes.
  fileprivate var stored: [UInt8]? {
    switch self {
    case .string(let text): Array(text.utf8)
    case .malformedString(let bytes), .binary(let bytes), .objectId(let bytes), .uuid(let bytes):
      bytes
    default: nil
    }
  }
}

extension BatchValue {
  /// - Parameter slice: the bytes of a value that has bytes.
  fileprivate init(_ value: RealmValue, _ slice: ByteSlice?) {
    let bytes = slice ?? .empty
    self =
      switch value {
      case .int(let number): .int(number)
      case .bool(let flag): .bool(flag)
      case .float(let number): .float(number)
      case .double(let number): .double(number)
      case .string, .malformedString: .string(bytes)
      case .binary: .binary(bytes)
      case .date(let seconds, let nanoseconds):
        .timestamp(seconds: seconds, nanoseconds: nanoseconds)
      case .decimal(let number): .decimal(number)
      case .objectId: .objectId(bytes)
      case .uuid: .uuid(bytes)
      case .null, .link, .object, .list, .dictionary: .null
      }
  }
}
