import RealmBuilding
package import RealmModel
package import RealmStorage

/// A realm that is read as far as it can be: its classes without those whose table cannot be read.
package struct SalvagedRealm: Sendable {
  /// A table that cannot be read.
  package struct LostTable: Sendable {
    /// Name of the class or internal table; empty if it is lost too.
    package let name: String
    package let isInternal: Bool
    package let rule: Rule
    package let offset: Int
    package let message: String
  }

  package let realm: Realm
  package let lostTables: [LostTable]

  /// - Parameter snapshot: a version of a format from 10 on.
  /// - Throws: `damaged` if the list of tables cannot be read.
  package init(_ snapshot: Snapshot) throws(RealmFileError) {
    var visitor = Visitor()
    let schema = try SchemaReader(nodes: try snapshot.makeReader()).read(snapshot.top, &visitor)
    realm = Realm(snapshot, schema: schema)
    lostTables = visitor.lost
  }

  /// In a realm without classes, a table with objects that no SDK made: of a program that uses the storage engine
  /// itself, or a class whose name is damaged. The Realm libraries keep more such tables in synced realms.
  package var tableOfNoClass: Table? {
    let tables = realm.schema.tables
    guard !tables.contains(where: \.isClass), !lostTables.contains(where: { !$0.isInternal }) else {
      return nil
    }
    return tables.first { table in
      let stored = realm.schema.objects.classes[table.position]
      return table.objectCount > 0 && !stored.isVersionTable && !stored.isPrimaryKeyTable
    }
  }

  private struct Visitor: SchemaVisitor {
    var lost: [LostTable] = []

    mutating func visit(names: Node, _ entries: Node) {}
    mutating func visit(emptySlot slot: Int, _ element: RefElement, name: Name) {}
    mutating func visit(_ layout: TableLayout, name: Name) {}

    mutating func lost(
      _ error: RealmFileError, slot: Int, name: Name
    ) throws(RealmFileError) {
      guard let finding = Finding(error) else { throw error }
      lost.append(
        LostTable(
          name: ObjectClass.className(ofTable: name).text,
          isInternal: !ObjectClass.isClass(tableName: name), rule: finding.rule,
          offset: finding.offset, message: finding.message))
    }
  }
}

/// The classes of a salvaged realm: those that can be read, with names and properties that a new realm can
/// have, and a class without primary key for the objects of each class that lost theirs or are in freed space.
package struct SalvageSchema: Sendable {
  /// Begins the names of classes for objects that lost their primary key, or are in freed space.
  package static let lostPrefix = "LostAndFound_"
  private static let classNameByteLimit = 57
  private static let propertyNameByteLimit = 63

  /// What cannot be in the result.
  package struct LostProperty: Sendable {
    package let className: String
    package let property: String
    package let why: String
  }

  package let objects: ObjectSchema
  /// Positions of the classes whose objects are read, in the realm.
  package let classes: [Int]
  /// For each class the positions of the properties that are kept.
  let properties: [[Int]]
  /// The class for objects without primary key, by the position of theirs.
  package let lostClasses: [Int: Int]
  package let lostProperties: [LostProperty]
  /// Names that a new realm cannot have, and the new ones.
  package let renamed: [(old: String, new: String)]

  /// - Parameter withLostObjects: positions of the classes some of whose objects lost their primary key, or are
  ///   in freed space.
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
        ? "the class that its links lead to is lost" : property.refusal(in: schema)
    }
    guard schema.classes[target].canBeInResult else { return "its links lead to an internal table" }
    return property.refusal(in: schema)
  }

  /// A name that is valid and not taken.
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
  /// Tables that Realm keeps for itself are not in the result, but for what is embedded in objects.
  var canBeInResult: Bool { !isInternal || kind == .embedded }
}

extension Property {
  fileprivate func named(_ name: Name) -> Property {
    Property(
      name: name, type: type, isOptional: isOptional, collection: collection, target: target,
      index: index, hasIntegerKeys: hasIntegerKeys)
  }

  /// The same property as a realm can have it: damage can mark another property as optional, or as indexed. Indexes
  /// are built anew.
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

  /// The same property, whose values may be null.
  fileprivate var optional: Property {
    Property(name: name, type: type, isOptional: true, index: index)
  }
}
