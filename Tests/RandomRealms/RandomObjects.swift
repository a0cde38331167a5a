import TestSupport

/// Random objects of a random schema, as Realm JSON writes them.
struct RandomObjects {
  let schema: RandomSchema
  private var chance: Chance
  /// The distinct identities of the objects of each class; empty for embedded ones.
  private var identities: [[JSONValue]] = []

  init(_ schema: RandomSchema, _ chance: Chance) {
    (self.schema, self.chance) = (schema, chance)
    for objectClass in schema.classes { identities.append(makeIdentities(of: objectClass)) }
  }

  private mutating func makeIdentities(of objectClass: RandomClass) -> [JSONValue] {
    // Objects of an asymmetric class are sent to a server and not kept.
    guard objectClass.kind == .topLevel else { return [] }
    let count =
      switch chance.number(0...11) {
      case 0, 1: 0
      case 2: chance.number(250...600)
      default: chance.number(1...20)
      }
    var taken: Set<String> = []
    var made: [JSONValue] = []
    guard let position = objectClass.primaryKey else {
      var key = chance.number(0...3)
      for _ in 0..<count {
        made.append(.number("\(key)"))
        key += chance.once(in: 10) ? chance.number(1...100_000) : 1
      }
      return made
    }
    let key = objectClass.properties[position]
    while made.count < count {
      let value =
        key.isOptional && chance.once(in: 10)
        ? .null
        : key.type == "string" && chance.once(in: 2)
          ? .string("key \(made.count)") : RandomValues.value(of: key.type, &chance)
      if taken.insert(value.text).inserted { made.append(value) }
    }
    return made
  }

  /// The objects of the class in `position`.
  mutating func objects(of position: Int) -> [JSONValue] {
    identities[position].map { object(of: position, identity: $0, depth: 0) }
  }

  private mutating func object(of position: Int, identity: JSONValue?, depth: Int) -> JSONValue {
    let objectClass = schema.classes[position]
    var members: [JSONValue.Member] = []
    if let keyMember = objectClass.keyMember, let identity {
      members.append(JSONValue.Member(keyMember, identity))
    }
    for (i, property) in objectClass.properties.enumerated() {
      let value =
        i == objectClass.primaryKey && identity != nil
        ? identity ?? .null : self.value(of: property, depth: depth)
      members.append(JSONValue.Member(JSONText.memberName(property.name), value))
    }
    return .object(members)
  }

  private mutating func value(of property: RandomProperty, depth: Int) -> JSONValue {
    switch property.collection {
    case nil: return element(of: property, depth: depth)
    case .list:
      return .array((0..<elementCount(depth)).map { _ in element(of: property, depth: depth) })
    case .set:
      var taken: Set<String> = []
      var members: [JSONValue] = []
      for _ in 0..<elementCount(depth) {
        let member = element(of: property, depth: depth)
        if taken.insert(SetMember.text(of: member)).inserted { members.append(member) }
      }
      return .array(members)
    case .dictionary:
      let keys = keys(elementCount(depth))
      return dictionary(
        keys.map { JSONValue.Member($0, element(of: property, depth: depth)) },
        isMixed: property.type == "mixed")
    }
  }

  private mutating func elementCount(_ depth: Int) -> Int {
    switch chance.number(0...39) {
    case 0..<10: 0
    case 39 where depth == 0 && chance.once(in: 4): chance.number(990...1100)
    default: chance.number(1...5)
    }
  }

  private mutating func keys(_ count: Int) -> [String] {
    let odd =
      ["", "ключ", "quote\"", "\u{1}"]
      + (schema.isSynced ? [] : ["$a", "$dictionary", "$link", "a.b"])
    var taken: Set<[UInt8]> = []
    return (0..<count).compactMap { _ in
      let key = chance.once(in: 6) ? chance.one(of: odd) : "key \(chance.number(0...9999))"
      return taken.insert(Array(key.utf8)).inserted ? key : nil
    }
  }

  /// A dictionary in the wrapper that its keys need.
  private func dictionary(_ entries: [JSONValue.Member], isMixed: Bool) -> JSONValue {
    let needsWrapper = entries.contains {
      isMixed ? $0.name.hasPrefix("$") : $0.name == "$dictionary"
    }
    let plain = JSONValue.object(entries)
    return needsWrapper ? .object([JSONValue.Member("$dictionary", plain)]) : plain
  }

  /// A single value, or an element of a collection.
  private mutating func element(of property: RandomProperty, depth: Int) -> JSONValue {
    if property.isOptional, chance.once(in: 5) { return .null }
    guard property.type != "mixed" else {
      return mixed(depth: property.collection == .set ? nil : depth)
    }
    guard let target = property.target else {
      return RandomValues.value(of: property.type, &chance)
    }
    guard schema.classes[target].kind != .embedded else {
      return object(of: target, identity: nil, depth: depth + 1)
    }
    // Lists and sets have no null links.
    guard !identities[target].isEmpty else { return unresolved(target) }
    if chance.once(in: 50) { return unresolved(target) }
    let identity = chance.one(of: identities[target])
    return identity.isNull ? link([JSONValue.Member("id", .null)]) : identity
  }

  private func link(_ members: [JSONValue.Member]) -> JSONValue {
    .object([JSONValue.Member("$link", .object(members))])
  }

  /// A link to a deleted object.
  private mutating func unresolved(_ target: Int) -> JSONValue {
    let objectClass = schema.classes[target]
    let id: JSONValue
    if let key = objectClass.primaryKey {
      // With a random value that no object has.
      id =
        switch objectClass.properties[key].type {
        case "int": .number("\(-5_000_000 - chance.number(0...9))")
        case "string": .string("deleted \(chance.number(0...9))")
        case let type: RandomValues.value(of: type, &chance)
        }
    } else {
      id = .number("\(1_000_000_000 + chance.number(0...9))")
    }
    return link([
      JSONValue.Member("class", .string(objectClass.name)), JSONValue.Member("id", id),
      JSONValue.Member("unresolved", .bool(true)),
    ])
  }

  /// - Parameter depth: nil if no collections are possible.
  private mutating func mixed(depth: Int?) -> JSONValue {
    switch chance.number(0...11) {
    case 0: return .null
    case 1:
      let targets = schema.classes.indices.filter { !identities[$0].isEmpty }
      guard !targets.isEmpty else { return .null }
      let target = chance.one(of: targets)
      return link([
        JSONValue.Member("class", .string(schema.classes[target].name)),
        JSONValue.Member("id", chance.one(of: identities[target])),
      ])
    case 2, 3:
      guard let depth, depth < 4 else { return .bool(true) }
      let count = chance.number(0...4)
      if chance.once(in: 2) { return .array((0..<count).map { _ in mixed(depth: depth + 1) }) }
      return dictionary(
        keys(count).map { JSONValue.Member($0, mixed(depth: depth + 1)) }, isMixed: true)
    case 4:
      let float = RandomValues.value(of: "float", &chance)
      return .object([JSONValue.Member("$float", float)])
    default:
      let type = chance.one(of: RandomSchema.scalars.filter { $0 != "float" })
      return RandomValues.value(of: type, &chance)
    }
  }
}

/// A member of a set in a form that is the same for equal values.
enum SetMember {
  static func text(of value: JSONValue) -> String {
    if let number = value.number { return number == "-0.0" ? "0.0" : numeric(number) }
    if let float = value["$float"]?.number { return numeric(float) }
    if let decimal = value["$numberDecimal"]?.string { return numeric(decimal) }
    if let special = value["$numberDouble"]?.string ?? value["$float"]?["$numberDouble"]?.string {
      return numeric(special)
    }
    return value.text
  }

  /// Numbers that are close count as equal: a set may have fewer members than possible.
  private static func numeric(_ token: String) -> String {
    guard let number = Double(token) else { return token.lowercased() }
    let near = Float(number)
    return near == 0 ? "0.0" : "\(near)"
  }
}
