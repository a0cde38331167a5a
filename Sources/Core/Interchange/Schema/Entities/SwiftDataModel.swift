import RealmModel

/// A class of a realm as a SwiftData model: with the relations that SwiftData needs in both directions.
struct SwiftDataModel {
  struct Member {
    /// How SwiftData stores a property.
    enum Kind {
      /// A value, and the one of a new object.
      case value(type: String, initial: String?)
      /// A list or set of values.
      case values(element: String)
      /// A dictionary of values.
      case entries(element: String)
      case link(target: String, inverse: String, isEmbedded: Bool)
      case links(target: String, inverse: String, isEmbedded: Bool, Order?)
    }

    /// The property beside a relation that keeps what a relation does not: order or keys.
    enum Order {
      case list(identifier: String, identity: String)
      case dictionary(identifier: String, identity: String)
    }

    let property: ModelProperty
    let kind: Kind
    /// The method of `RealmJSON` that reads a value.
    let reader: String
    /// The method that reads the identity of a link's target.
    let identityReader: String

    var name: String { property.property.name.text }
  }

  /// The other side of a link.
  struct Inverse {
    let identifier: String
    /// Identifier of the class with the link.
    let origin: String
    /// Identifier of the link.
    let property: String
    /// Whether the objects are embedded, so that each has one owner.
    let isOwner: Bool
  }

  let name: String
  let identifier: String
  let isTopLevel: Bool
  /// The member of Realm JSON with the object key.
  let keyMember: String
  /// Whether objects are identified by their keys.
  let hasObjectKey: Bool
  let members: [Member]
  let inverses: [Inverse]

  static func all(_ classes: [ModelClass], _ names: ModelNames) -> [SwiftDataModel] {
    let byIdentifier = Dictionary(
      classes.map { ($0.identifier, $0) }, uniquingKeysWith: { first, _ in first })
    var taken = Dictionary(
      classes.map { ($0.identifier, Set($0.properties.map(\.identifier))) },
      uniquingKeysWith: { first, _ in first })
    var inverses: [String: [Inverse]] = [:]
    var members: [String: [Member]] = [:]
    for model in classes {
      members[model.identifier] = model.properties.map { property in
        guard let name = property.target, let target = byIdentifier[name] else {
          return value(property)
        }
        let origin = model.identifier
        let inverse = names.identifier(
          ofProperty: Name(
            origin.prefix(1).lowercased() + origin.dropFirst()
              + property.identifier.prefix(1).uppercased() + property.identifier.dropFirst()),
          taken: &taken[name, default: []])
        let isEmbedded = target.objectClass.kind == .embedded
        inverses[name, default: []].append(
          Inverse(
            identifier: inverse, origin: origin, property: property.identifier, isOwner: isEmbedded)
        )
        let identity = identity(of: target)
        var order: Member.Order?
        if !isEmbedded, property.property.collection != .set, property.property.collection != nil {
          let isList = property.property.collection == .list
          let other = names.identifier(
            ofProperty: Name(property.identifier + (isList ? "Order" : "Keys")),
            taken: &taken[origin, default: []])
          order =
            isList
            ? .list(identifier: other, identity: identity.type)
            : .dictionary(identifier: other, identity: identity.type)
        }
        let kind: Member.Kind =
          property.property.collection == nil
          ? .link(target: name, inverse: inverse, isEmbedded: isEmbedded)
          : .links(target: name, inverse: inverse, isEmbedded: isEmbedded, order)
        return Member(
          property: property, kind: kind, reader: "", identityReader: identity.reader)
      }
    }
    return classes.map { model in
      SwiftDataModel(
        name: model.objectClass.name.text, identifier: model.identifier,
        isTopLevel: model.objectClass.kind != .embedded,
        keyMember: RealmJSONSchema.keyMember(of: model.objectClass) ?? "_key",
        hasObjectKey: model.objectClass.kind != .embedded && model.objectClass.primaryKey == nil,
        members: members[model.identifier] ?? [], inverses: inverses[model.identifier] ?? [])
    }
  }

  /// The type of the identity of a class, and its reader.
  private static func identity(of model: ModelClass) -> (type: String, reader: String) {
    guard let key = model.properties.first(where: \.isPrimaryKey),
      model.objectClass.kind != .embedded
    else { return ("Int", "int()") }
    let (type, _, reader) = scalar(key.property.type)
    return key.mayBeNull ? (type + "?", "optional { try $0.\(reader) }") : (type, reader)
  }

  private static func value(_ model: ModelProperty) -> Member {
    let property = model.property
    let (type, initial, reader) = scalar(property.type)
    // Null is one of the values of a mixed property, as JSON.
    let mayBeNull = model.mayBeNull && property.type != .mixed && property.type != .typedLink
    let element = type + (mayBeNull ? "?" : "")
    let kind: Member.Kind =
      switch property.collection {
      case nil: .value(type: element, initial: mayBeNull ? nil : initial)
      case .dictionary: .entries(element: element)
      case .list, .set: .values(element: element)
      }
    return Member(
      property: model, kind: kind,
      reader: mayBeNull ? "optional { try $0.\(reader) }" : reader, identityReader: "")
  }

  /// The type of values, the one of a new object, and the method of `RealmJSON` that reads it.
  private static func scalar(
    _ type: PropertyType
  ) -> (type: String, initial: String, reader: String) {
    switch type {
    case .int: ("Int", "0", "int()")
    case .bool: ("Bool", "false", "bool()")
    case .float: ("Float", "0", "float()")
    case .double: ("Double", "0", "double()")
    case .string: ("String", "\"\"", "string()")
    case .binary: ("Data", "Data()", "data()")
    case .timestamp: ("Date", "Date.distantPast", "date()")
    case .decimal: ("String", "\"0\"", "decimal()")
    case .objectId: ("String", "\"\"", "objectId()")
    case .uuid: ("UUID", "UUID()", "uuid()")
    // Realm JSON; links to a class that does not exist hold nothing.
    case .mixed, .typedLink, .link: ("String", "\"null\"", "text")
    }
  }
}
