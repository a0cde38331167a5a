import RealmModel

/// A property of a class on both sides, or on one.
struct PropertyPair: Sendable {
  /// Position in the old class; nil if it has no such property.
  let old: Int?
  /// Position in the new class; nil if it has no such property.
  let new: Int?

  /// Whether the property is a set on both sides.
  func areSets(_ oldClass: ObjectClass, _ newClass: ObjectClass) -> Bool {
    guard let old, let new else { return false }
    return oldClass.properties[old].collection == .set
      && newClass.properties[new].collection == .set
  }
}

/// A class on both sides, or on one, and how its objects are matched.
struct ClassPair: Sendable {
  enum Matching: Sendable {
    case primaryKey
    case objectKey
    /// Objects with equal values.
    case content
  }

  let name: Name
  /// Position in the old schema; nil if it has no such class.
  let old: Int?
  /// Position in the new schema; nil if it has no such class.
  let new: Int?
  let matching: Matching
  let properties: [PropertyPair]
}

/// Two schemas, with their classes and properties matched by name.
final class SchemaPair: Sendable {
  let old: ObjectSchema
  let new: ObjectSchema
  /// Position in the common numbering of a class of the new schema: its position in the old schema, or a number after
  /// all of these.
  let commonPositions: [Int]
  /// The properties of the classes of the old schema that the new one also has, by position in the old schema.
  private let properties: [Int: [PropertyPair]]
  private let ignored: [Name: Set<Name>]

  /// - Parameter ignored: properties that are not compared, by name of their class.
  init(_ old: ObjectSchema, _ new: ObjectSchema, ignored: [Name: Set<Name>]) {
    (self.old, self.new, self.ignored) = (old, new, ignored)
    let oldByName = Dictionary(
      old.appClasses.map { (old.classes[$0].name, $0) }, uniquingKeysWith: { first, _ in first })
    var common = new.classes.indices.map { old.classes.count + $0 }
    var properties: [Int: [PropertyPair]] = [:]
    for position in new.appClasses {
      guard let other = oldByName[new.classes[position].name] else { continue }
      common[position] = other
      properties[other] = SchemaPair.pairs(
        old.classes[other], new.classes[position], ignored[new.classes[position].name] ?? [])
    }
    (commonPositions, self.properties) = (common, properties)
  }

  private static func pairs(
    _ old: ObjectClass, _ new: ObjectClass, _ ignored: Set<Name>
  ) -> [PropertyPair] {
    let positions = Dictionary(
      new.properties.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    let known = Set(old.properties.map(\.name))
    let pairs =
      old.properties.indices.map {
        PropertyPair(old: $0, new: positions[old.properties[$0].name])
      }
      + new.properties.indices.filter { !known.contains(new.properties[$0].name) }.map {
        PropertyPair(old: nil, new: $0)
      }
    return pairs.filter { pair in
      let property = pair.old.map { old.properties[$0] } ?? pair.new.map { new.properties[$0] }
      return property.map { !ignored.contains($0.name) } ?? false
    }
  }

  /// The properties of an embedded object, or of a class of both sides.
  ///
  /// - Parameters:
  ///   - old: position in the old schema.
  ///   - new: position in the new schema.
  /// - Returns: nil if the positions are of different classes.
  func properties(_ old: Int, _ new: Int) -> [PropertyPair]? {
    commonPositions[new] == old ? properties[old] : nil
  }

  /// The names of classes in the common numbering.
  var classNames: [Name] { old.classes.map(\.name) + new.classes.map(\.name) }

  /// The classes to compare, in the order of the old schema, followed by those that only the new schema has.
  ///
  /// - Parameter matchesContent: whether objects without primary keys are matched by their values.
  func classes(matchesContent: Bool) -> [ClassPair] {
    var newByCommon: [Int: Int] = [:]
    for position in new.appClasses { newByCommon[commonPositions[position]] = position }
    var pairs: [ClassPair] = []
    for position in old.appClasses {
      let objectClass = old.classes[position]
      guard let other = newByCommon[position] else {
        if objectClass.kind != .embedded { pairs.append(only(old: position)) }
        continue
      }
      let newClass = new.classes[other]
      switch (objectClass.kind == .embedded, newClass.kind == .embedded) {
      case (true, true): continue
      // Objects that belong to owners on one side only have no counterparts.
      case (false, true): pairs.append(only(old: position))
      case (true, false): pairs.append(only(new: other))
      case (false, false):
        pairs.append(
          ClassPair(
            name: objectClass.name, old: position, new: other,
            matching: matching(objectClass, newClass, matchesContent: matchesContent),
            properties: properties[position] ?? []))
      }
    }
    for position in new.appClasses where commonPositions[position] >= old.classes.count {
      if new.classes[position].kind != .embedded { pairs.append(only(new: position)) }
    }
    return pairs
  }

  private func only(old position: Int) -> ClassPair {
    ClassPair(
      name: old.classes[position].name, old: position, new: nil, matching: .objectKey,
      properties: visible(old.classes[position]).map { PropertyPair(old: $0, new: nil) })
  }

  private func only(new position: Int) -> ClassPair {
    ClassPair(
      name: new.classes[position].name, old: nil, new: position, matching: .objectKey,
      properties: visible(new.classes[position]).map { PropertyPair(old: nil, new: $0) })
  }

  private func visible(_ objectClass: ObjectClass) -> [Int] {
    objectClass.properties.indices.filter {
      !(ignored[objectClass.name]?.contains(objectClass.properties[$0].name) ?? false)
    }
  }

  /// Objects keep their object keys when a migration changes the primary key of their class.
  private func matching(
    _ old: ObjectClass, _ new: ObjectClass, matchesContent: Bool
  ) -> ClassPair.Matching {
    let (oldKey, newKey) = (
      old.primaryKey.map { old.properties[$0] }, new.primaryKey.map { new.properties[$0] }
    )
    guard let oldKey, let newKey else {
      return matchesContent && oldKey == nil && newKey == nil ? .content : .objectKey
    }
    return oldKey.name == newKey.name && oldKey.type == newKey.type ? .primaryKey : .objectKey
  }
}
