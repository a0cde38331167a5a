import TestSupport

/// A class of a random schema.
struct RandomClass {
  enum Kind { case topLevel, embedded, asymmetric }

  let name: String
  let kind: Kind
  var properties: [RandomProperty] = []
  /// Position of the primary key.
  var primaryKey: Int?

  /// The member with the object key; nil if the objects have none in the JSON.
  var keyMember: String? {
    guard primaryKey == nil, kind != .embedded else { return nil }
    var member = "_key"
    while properties.contains(where: { $0.name.utf8.elementsEqual(member.utf8) }) {
      member = "_" + member
    }
    return member
  }
}

/// A property of a random class.
struct RandomProperty {
  enum Collection: String, CaseIterable { case list, set, dictionary }

  let name: String
  /// As in the schema notation; `object` for links and embedded objects.
  let type: String
  var isOptional = false
  var collection: Collection?
  /// Position of the class of a link or embedded object.
  var target: Int?
  /// `indexed` or `fulltext`.
  var index: String?
}

/// Random classes: every type, required and optional, alone and in each collection, with links, embedded
/// objects and odd names.
struct RandomSchema {
  private(set) var classes: [RandomClass] = []

  static let scalars = [
    "int", "bool", "string", "data", "date", "float", "double", "decimal128", "objectId", "uuid",
  ]
  private static let keyTypes = ["int", "string", "objectId", "uuid"]
  private static let indexed: Set<String> = [
    "int", "bool", "string", "date", "objectId", "uuid", "mixed",
  ]
  private static let oddNames = [
    "string", "mixed", "A?", "a[]", "x<y>", "d{}", "Ünï", "u\u{308}", "名前", "😀", "with space",
    "quote\"s", "back\\slash", "tab\t", "$dollar", "$base64:x", "_key", "__key", "_id", "x.y",
    "null",
    "'", "NAME", "name", "sqlite_x", "a/b",
  ]

  /// Whether a synced realm can have it: each class has a primary key named `_id`, and no dictionary has a key that servers
  /// refuse.
  let isSynced: Bool

  init(_ chance: inout Chance, isSynced: Bool) {
    self.isSynced = isSynced
    let topLevel = chance.number(1...5)
    let embedded = chance.number(0...3)
    var kinds = Array(repeating: RandomClass.Kind.topLevel, count: topLevel)
    // Before, between and after the classes that own their objects.
    for _ in 0..<embedded { kinds.insert(.embedded, at: chance.number(0...kinds.count)) }
    if chance.once(in: 8) { kinds.append(.asymmetric) }
    var names: Set<[UInt8]> = []
    for kind in kinds {
      classes.append(RandomClass(name: RandomSchema.name(57, &names, &chance), kind: kind))
    }
    for position in classes.indices { addProperties(to: position, &chance, isSynced: isSynced) }
  }

  private mutating func addProperties(
    to position: Int, _ chance: inout Chance, isSynced: Bool
  ) {
    var names: Set<[UInt8]> = isSynced ? [Array("_id".utf8)] : []
    let kind = classes[position].kind
    let hasKey =
      kind == .asymmetric || kind == .topLevel && (isSynced || !chance.once(in: 3))
    let keyPlace = hasKey ? chance.number(0...2) : nil
    for place in 0...chance.number(2...10) {
      if place == keyPlace {
        classes[position].primaryKey = place
        classes[position].properties.append(
          RandomProperty(
            name: isSynced ? "_id" : RandomSchema.name(63, &names, &chance),
            type: chance.one(of: RandomSchema.keyTypes), isOptional: chance.once(in: 4)))
      } else {
        let name = RandomSchema.name(63, &names, &chance)
        classes[position].properties.append(property(name, of: position, &chance))
      }
    }
  }

  private func property(
    _ name: String, of position: Int, _ chance: inout Chance
  ) -> RandomProperty {
    let collection = chance.once(in: 2) ? nil : chance.one(of: RandomProperty.Collection.allCases)
    switch chance.number(0...9) {
    case 0, 1:
      let targets = classes.indices.filter { classes[$0].kind == .topLevel }
      return RandomProperty(
        name: name, type: "object", isOptional: collection == nil || collection == .dictionary,
        collection: collection, target: chance.one(of: targets))
    case 2:
      // Only later classes: a class that owns objects of its own class is irregular.
      let targets = classes.indices.filter { $0 > position && classes[$0].kind == .embedded }
      guard !targets.isEmpty else { break }
      let collection = collection == .set ? .list : collection
      return RandomProperty(
        name: name, type: "object", isOptional: collection != .list, collection: collection,
        target: chance.one(of: targets))
    case 3:
      return indexed(RandomProperty(name: name, type: "mixed", collection: collection), &chance)
    default: break
    }
    return indexed(
      RandomProperty(
        name: name, type: chance.one(of: RandomSchema.scalars), isOptional: chance.once(in: 2),
        collection: collection), &chance)
  }

  private func indexed(_ property: RandomProperty, _ chance: inout Chance) -> RandomProperty {
    var property = property
    guard property.collection == nil, chance.once(in: 3) else { return property }
    if property.type == "string", chance.once(in: 2) {
      property.index = "fulltext"
    } else if RandomSchema.indexed.contains(property.type) {
      property.index = "indexed"
    }
    return property
  }

  /// - Parameter limit: bytes of the longest name.
  private static func name(
    _ limit: Int, _ names: inout Set<[UInt8]>, _ chance: inout Chance
  ) -> String {
    while true {
      let name =
        switch chance.number(0...9) {
        case 0, 1: chance.one(of: oddNames)
        case 2: String(repeating: "n", count: chance.number(1...limit))
        default: chance.one(of: ["a", "Person", "dog", "value", "P"]) + "\(chance.number(0...99))"
        }
      if names.insert(Array(name.utf8)).inserted { return name }
    }
  }
}
