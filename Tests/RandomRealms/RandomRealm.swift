import TestSupport

/// A random realm as a Realm JSON document and as lines.
struct RandomRealm {
  let schema: RandomSchema
  /// Objects by position of their class; nil for embedded classes.
  let objects: [[JSONValue]?]
  /// `head`, `schema` and `objects` as in the export of the realm, except for the order.
  let document: JSONValue

  /// - Parameter isSynced: whether a synced realm can have it.
  init(seed: Int, isSynced: Bool) {
    var chance = Chance(seed: seed)
    let schema = RandomSchema(&chance, isSynced: isSynced)
    let version: JSONValue = chance.once(in: 3) ? .null : .number("\(chance.number(0...99))")
    var source = RandomObjects(schema, chance)
    self.schema = schema
    objects = schema.classes.indices.map {
      schema.classes[$0].kind == .embedded ? nil : source.objects(of: $0)
    }
    let head = JSONValue.object([
      JSONValue.Member("format", .string("realm-json")), JSONValue.Member("version", .number("1")),
      JSONValue.Member("schemaVersion", version),
    ])
    let classes = zip(schema.classes, objects).compactMap { objectClass, objects in
      objects.map { JSONValue.Member(JSONText.memberName(objectClass.name), .array($0)) }
    }
    document = .object([
      JSONValue.Member("realm", head),
      JSONValue.Member("schema", .array(schema.classes.map { RandomRealm.text(of: $0, schema) })),
      JSONValue.Member("objects", .object(classes)),
    ])
  }

  var text: String { document.text }

  /// One object per line.
  var lines: String {
    var text = ""
    func append(_ members: [JSONValue.Member]) {
      JSONValue.object(members).append(to: &text)
      text += "\n"
    }
    append([
      JSONValue.Member("realm", document["realm"] ?? .null),
      JSONValue.Member("schema", document["schema"] ?? .null),
    ])
    var counts: [JSONValue.Member] = []
    for (objectClass, objects) in zip(schema.classes, objects) {
      guard let objects else { continue }
      for object in objects {
        append([
          JSONValue.Member("class", .string(objectClass.name)), JSONValue.Member("object", object),
        ])
      }
      counts.append(
        JSONValue.Member(JSONText.memberName(objectClass.name), .number("\(objects.count)")))
    }
    append([JSONValue.Member("counts", .object(counts))])
    return text
  }

  // MARK: Schema

  private static func text(of objectClass: RandomClass, _ schema: RandomSchema) -> JSONValue {
    var members = [JSONValue.Member("name", .string(objectClass.name))]
    if let key = objectClass.primaryKey {
      members.append(JSONValue.Member("primaryKey", .string(objectClass.properties[key].name)))
    }
    switch objectClass.kind {
    case .topLevel: break
    case .embedded: members.append(JSONValue.Member("embedded", .bool(true)))
    case .asymmetric: members.append(JSONValue.Member("asymmetric", .bool(true)))
    }
    if let member = objectClass.keyMember {
      members.append(JSONValue.Member("keyMember", .string(member)))
    }
    let properties = objectClass.properties.map {
      JSONValue.Member(JSONText.memberName($0.name), text(of: $0, schema))
    }
    members.append(JSONValue.Member("properties", .object(properties)))
    return .object(members)
  }

  private static func text(of property: RandomProperty, _ schema: RandomSchema) -> JSONValue {
    let target = property.target.map { schema.classes[$0].name }
    var members: [JSONValue.Member] = []
    if let target, !isShort(target) {
      members = [
        JSONValue.Member("type", .string("object")),
        JSONValue.Member("objectType", .string(target)),
      ]
      if property.isOptional { members.append(JSONValue.Member("optional", .bool(true))) }
      if let collection = property.collection {
        members.append(JSONValue.Member("collection", .string(collection.rawValue)))
      }
      return .object(members)
    }
    let suffix =
      switch property.collection {
      case .list: "[]"
      case .set: "<>"
      case .dictionary: "{}"
      case nil: ""
      }
    let short = JSONValue.string(
      (target ?? property.type) + (property.isOptional ? "?" : "") + suffix)
    guard let index = property.index else { return short }
    return .object([JSONValue.Member("type", short), JSONValue.Member(index, .bool(true))])
  }

  /// Whether the name of a class is not a type, and has no characters of the notation.
  private static func isShort(_ name: String) -> Bool {
    let types = RandomSchema.scalars + ["mixed", "object", "typedLink", "linkingObjects"]
    return !types.contains(name) && !name.isEmpty && !name.contains { "?[]<>{}".contains($0) }
  }
}
