import RealmBuilding
import RealmModel
import RealmStorage

/// The classes of the result: those that can be read, with names and properties that a new realm can
/// have; and a class without primary key for each class with objects that lost theirs or are in
/// freed space.
package struct SalvageSchema: Sendable {
  /// The prefix of classes for objects that lost their primary key or are in freed space.
  package static let lostPrefix = "LostAndFound_"
  private static let classNameByteLimit = 57
  private static let propertyNameByteLimit = 63

  /// A property that cannot be in the result.
  struct LostProperty: Sendable {
    let className: String
    let property: String
    let why: String
  }

  let objects: ObjectSchema
  /// Positions of the classes whose objects are read, in the realm.
  let classes: [Int]
  /// For each class, the positions of the properties in the result.
  let properties: [[Int]]
  /// The class for objects without primary key, by the position of their own class.
  let lostClasses: [Int: Int]
  let lostProperties: [LostProperty]
  /// Names that are invalid in a new realm, and the new ones.
  let renamed: [(old: String, new: String)]

  /// - Parameter withLostObjects: positions of the classes with objects that lost their primary key or
  ///   are in freed space.
  init(_ schema: ObjectSchema, withLostObjects: [Int]) {
    var lostProperties: [LostProperty] = []
    var renamed: [(old: String, new: String)] = []
    var classNames = Set<String>()
    var names: [Name] = []
    for (i, objectClass) in schema.classes.enumerated() {
      let name = SalvageSchema.name(
        objectClass.name, "class_\(i)", SalvageSchema.classNameByteLimit, &classNames)
      if name.bytes != objectClass.name.bytes { renamed.append((objectClass.name.text, name.text)) }
      names.append(name)
    }
    let classes = schema.topLevelClasses
    var kept: [[Int]] = []
    var built: [ObjectClass] = []
    for (i, objectClass) in schema.classes.enumerated() {
      var propertyNames = Set<String>()
      var (positions, properties): ([Int], [Property]) = ([], [])
      var primaryKey: Int?
      for (j, property) in objectClass.properties.enumerated() {
        if objectClass.canBeInResult,
          let why = SalvageSchema.loss(of: property.buildable, in: schema)
        {
          lostProperties.append(
            LostProperty(className: names[i].text, property: property.name.text, why: why))
          continue
        }
        let name = SalvageSchema.name(
          property.name, "property_\(j)", SalvageSchema.propertyNameByteLimit, &propertyNames)
        if name.bytes != property.name.bytes {
          renamed.append(("\(names[i].text).\(property.name.text)", name.text))
        }
        if objectClass.primaryKey == j { primaryKey = positions.count }
        positions.append(j)
        properties.append(property.buildable.named(name))
      }
      kept.append(positions)
      built.append(
        ObjectClass(
          name: names[i], isInternal: objectClass.isInternal, kind: objectClass.kind,
          properties: properties, primaryKey: primaryKey))
    }
    var lostClasses: [Int: Int] = [:]
    for position in withLostObjects {
      let primaryKey = built[position].primaryKey
      lostClasses[position] = built.count
      kept.append(kept[position])
      built.append(
        ObjectClass(
          name: SalvageSchema.name(
            Name(SalvageSchema.lostPrefix + names[position].text),
            "\(SalvageSchema.lostPrefix)\(position)", SalvageSchema.classNameByteLimit, &classNames),
          properties: built[position].properties.enumerated().map {
            $0 == primaryKey ? $1.optional : $1
          }))
    }
    objects = ObjectSchema(
      classes: built,
      appClasses: schema.appClasses + lostClasses.values.sorted())
    (self.classes, properties, self.lostClasses) = (classes, kept, lostClasses)
    (self.lostProperties, self.renamed) = (lostProperties, renamed)
  }

  /// Why the result cannot have a property; nil if it can.
  private static func loss(of property: Property, in schema: ObjectSchema) -> String? {
    guard property.type == .link, let target = property.target else {
      return property.type == .link
        ? "the class that its links refer to is lost" : property.refusal(in: schema)
    }
    guard schema.classes[target].canBeInResult else {
      return "its links refer to an internal table"
    }
    return property.refusal(in: schema)
  }

  /// A valid name that is not taken.
  private static func name(
    _ name: Name, _ substitute: String, _ limit: Int, _ taken: inout Set<String>
  ) -> Name {
    if name.isValid, !name.bytes.isEmpty, name.bytes.count <= limit, !name.bytes.contains(0),
      taken.insert(name.text).inserted
    {
      return name
    }
    var new = substitute
    while !taken.insert(new).inserted { new += "_" }
    return Name(new)
  }
}

extension ObjectClass {
  /// Whether the class is not an internal table, or is embedded: embedded objects are in objects of other
  /// classes.
  var canBeInResult: Bool { !isInternal || kind == .embedded }
}

extension Property {
  fileprivate func named(_ name: Name) -> Property {
    Property(
      name: name, type: type, isOptional: isOptional, collection: collection, target: target,
      index: index, hasIntegerKeys: hasIntegerKeys)
  }

  /// The property as a realm can have it: damage can mark one as optional or indexed. Indexes are built
  /// again.
  fileprivate var buildable: Property {
    let canBeNull =
      switch type {
      case .link: collection == nil || collection == .dictionary
      case .mixed: true
      default: isOptional
      }
    return Property(
      name: name, type: type, isOptional: canBeNull, collection: collection, target: target,
      index: index.flatMap { admits($0) ? $0 : nil }, hasIntegerKeys: hasIntegerKeys)
  }

  /// The same property with optional values.
  fileprivate var optional: Property {
    Property(name: name, type: type, isOptional: true, index: index)
  }
}
