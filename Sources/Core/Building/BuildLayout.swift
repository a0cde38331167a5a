package import RealmModel
import RealmStorage

/// Where a new realm stores each class: the keys of tables and columns, and the position of each column's
/// leaf in a cluster (chapter 3, sections 1.2 and 4.1).
///
/// The table with the schema version, if the realm has one, comes first. The tables of the classes follow
/// in the order in which they are created.
final class BuildLayout: Sendable {
  /// The longest name of a table or column, in bytes (section 1.3).
  static let nameByteLimit = 63

  /// The most columns of a table, backlink columns included: a leaf index has 16 bits (section 1.3).
  static let columnLimit = 65_535

  static let tooManyColumns = BuildError(
    .tooMany(
      "the class has more than \(columnLimit) properties and links from other properties"))

  let schema: ObjectSchema
  /// By position of the class; nil for classes that are left out.
  let tables: [BuildTable?]
  /// The tables in the order of their slots.
  let slots: [BuildTable]
  /// All columns, by number.
  let columns: [BuildColumn]

  /// - Parameters:
  ///   - classes: positions of the classes whose objects will come. A table that Realm keeps for itself
  ///     is created only if it is among them, or embedded in one of them.
  ///   - hasVersion: whether slot 0 holds the table with the schema version.
  ///   - kept: keys that tables keep.
  ///   - copied: tables that keep the keys of their columns, too.
  ///   - indexes: indexes that are copied.
  /// - Throws: `schema` for a class or property that no realm can have.
  init(
    _ schema: ObjectSchema, classes: [Int], hasVersion: Bool, kept: KeptTables? = nil,
    copied: CopiedTables? = nil, indexes: KeptIndexes? = nil
  ) throws(BuildError) {
    self.schema = schema
    var built = schema.appClasses
    built += classes.filter { !built.contains($0) }
    built += schema.embeddedInternalClasses(of: built)
    var tables: [BuildTable?] = Array(repeating: nil, count: schema.classes.count)
    var slots: [BuildTable] = []
    var columns: [BuildColumn] = []
    var names = Set<[UInt8]>()
    var nextSlot = kept?.firstNewSlot ?? (hasVersion ? 1 : 0)
    for position in built {
      let objectClass = schema.classes[position]
      guard names.insert(objectClass.tableName).inserted else {
        throw BuildError(.schema("two classes have this name"), className: objectClass.name.text)
      }
      do throws(BuildError) {
        let key = kept?.keys[position] ?? TableKey(nextSlot)
        if kept?.keys[position] == nil { nextSlot += 1 }
        let table = try BuildTable(
          objectClass, position: position, key: key, firstNumber: columns.count,
          copy: copied?.table(position), indexes, schema)
        columns += table.columns
        slots.append(table)
        tables[position] = table
      } catch {
        throw error.adding(className: objectClass.name.text)
      }
    }
    guard slots.count < 0xFFFF, nextSlot <= 0xFFFF else {
      throw BuildError(.tooMany("a realm has 65534 classes at most"))
    }
    (self.tables, self.slots, self.columns) = (
      tables, slots.sorted { $0.key.slot < $1.key.slot }, columns
    )
    for column in columns {
      guard let target = column.property.target, tables[target] == nil else { continue }
      throw BuildError(
        .schema("the class that its links lead to is left out"),
        className: schema.classes[column.classPosition].name.text,
        property: column.property.name.text)
    }
  }
}

extension ObjectSchema {
  /// Checks that a realm can have this schema.
  ///
  /// - Throws: `schema` or `tooMany`, with class and property.
  package func checkIsBuildable() throws(BuildError) {
    _ = try BuildLayout(self, classes: [], hasVersion: true)
  }

  /// Positions of the internal embedded classes whose objects come inside objects of `classes`.
  fileprivate func embeddedInternalClasses(of owners: [Int]) -> [Int] {
    var (found, waiting): ([Int], [Int]) = ([], owners)
    while let owner = waiting.popLast() {
      for target in classes[owner].properties.compactMap(\.target)
      where classes.indices.contains(target) && classes[target].isInternal
        && classes[target].kind == .embedded && !owners.contains(target) && !found.contains(target)
      {
        found.append(target)
        waiting.append(target)
      }
    }
    return found.sorted()
  }
}

/// A class and the columns of its properties.
final class BuildTable: Sendable {
  let objectClass: ObjectClass
  /// Position of the class in the schema.
  let position: Int
  let key: TableKey
  /// Whether the table is copied from another realm.
  let isCopied: Bool
  /// The columns of the properties, in their order; unless the table is copied, leaf indexes are positions
  /// here.
  let columns: [BuildColumn]

  var isEmbedded: Bool { objectClass.kind == .embedded }
  /// Column of the primary key.
  var primaryKey: BuildColumn? { objectClass.primaryKey.map { columns[$0] } }

  init(
    _ objectClass: ObjectClass, position: Int, key: TableKey, firstNumber: Int, copy: Table?,
    _ indexes: KeptIndexes?, _ schema: ObjectSchema
  ) throws(BuildError) {
    (self.objectClass, self.position, self.key) = (objectClass, position, key)
    isCopied = copy != nil
    guard objectClass.tableName.count <= BuildLayout.nameByteLimit else {
      throw BuildError(.schema("the name of the class is longer than 57 bytes"))
    }
    var columns: [BuildColumn] = []
    var names = Set<[UInt8]>()
    for (i, property) in objectClass.properties.enumerated() {
      let isNew = names.insert(property.name.bytes).inserted
      do throws(BuildError) {
        guard isNew else { throw BuildError(.schema("two properties have this name")) }
        columns.append(
          try BuildColumn(
            property, number: firstNumber + i,
            key: copy?.columns[i].key
              ?? ColumnKey(
                leafIndex: i, property.type.columnType, collection: property.collection,
                isNullable: property.isOptional, tag: key.raw),
            classPosition: position, isPrimaryKey: objectClass.primaryKey == i,
            keptIndex: isCopied ? nil : indexes?.root(ofProperty: i, ofClass: position), schema))
      } catch {
        throw error.adding(property: property.name.text)
      }
    }
    guard columns.count <= BuildLayout.columnLimit else { throw BuildLayout.tooManyColumns }
    if objectClass.primaryKey != nil, objectClass.kind == .embedded {
      throw BuildError(.schema("an embedded class has no primary key"))
    }
    self.columns = columns
  }

  /// The key of object number `number` (counted from 0) of the objects without keys from the source
  /// (chapter 3, section 4.2): the number itself if the class has a primary key, otherwise a squeezed
  /// key.
  func objectKey(_ number: Int) -> ObjectKey {
    objectClass.primaryKey == nil
      ? GlobalKey(high: 0, low: UInt64(number)).squeezedKey : ObjectKey(Int64(number))
  }

  /// The next unused number after the object with `key`; nil if it cannot be known.
  func nextNumber(after key: ObjectKey) -> Int? {
    guard objectClass.primaryKey == nil else {
      // Keys made from hashes do not use up numbers.
      return key.raw <= BuildTable.largestPlainKey ? Int(key.raw) + 1 : nil
    }
    guard let global = GlobalKey(squeezed: key), global.high == 0 else { return nil }
    return Int(global.low) + 1
  }

  private static let largestPlainKey: Int64 = 1 << 40
}

/// A property and its column.
final class BuildColumn: Sendable {
  let property: Property
  /// Number of the column among the columns of all tables.
  let number: Int
  let key: ColumnKey
  let classPosition: Int
  let isPrimaryKey: Bool
  /// The root of the index that is copied from another realm; nil if it is built.
  let keptIndex: Ref?

  /// True if integers are stored in the nullable form.
  var isNullable: Bool { property.isOptional }
  /// True if there is a search index that is not a full-text index.
  var isIndexed: Bool { isPrimaryKey || property.index == .search }
  var isFulltextIndexed: Bool { !isPrimaryKey && property.index == .fulltext }
  /// Whether the entries of an index are collected.
  var needsEntries: Bool { (isIndexed || isFulltextIndexed) && keptIndex == nil }

  init(
    _ property: Property, number: Int, key: ColumnKey, classPosition: Int, isPrimaryKey: Bool,
    keptIndex: Ref?, _ schema: ObjectSchema
  ) throws(BuildError) {
    (self.property, self.number, self.key) = (property, number, key)
    (self.classPosition, self.isPrimaryKey) = (classPosition, isPrimaryKey)
    // The primary key's index finds equal keys, and gives links their targets.
    self.keptIndex = isPrimaryKey ? nil : keptIndex
    try check(schema)
  }

  private func check(_ schema: ObjectSchema) throws(BuildError) {
    func refuse(_ why: String) -> BuildError { BuildError(.schema(why)) }
    guard property.name.bytes.count <= BuildLayout.nameByteLimit else {
      throw refuse("the name of the property is longer than \(BuildLayout.nameByteLimit) bytes")
    }
    let isKeyType = [.int, .string, .objectId, .uuid].contains(property.type)
    if isPrimaryKey, !isKeyType || property.collection != nil {
      throw refuse("a primary key is one int, string, objectId or uuid")
    }
    if let why = property.refusal(in: schema) { throw refuse(why) }
    guard let index = isPrimaryKey ? .search : property.index, !property.admits(index) else {
      return
    }
    throw refuse(
      index == .fulltext
        ? "only strings can have a full-text index" : "properties of its type cannot have an index")
  }
}

extension Property {
  /// Why no class of `schema` can have a property of this type; nil if it can.
  package func refusal(in schema: ObjectSchema) -> String? {
    switch type {
    case .link:
      guard let target, schema.classes.indices.contains(target) else {
        return "the class that its links lead to does not exist"
      }
      switch schema.classes[target].kind {
      case .asymmetric: return "links cannot lead to an asymmetric class"
      case .embedded where collection == .set: return "a set cannot hold embedded objects"
      default: break
      }
      guard isOptional == (collection == nil || collection == .dictionary) else {
        return "links, and those in dictionaries, are optional; those in lists and sets are not"
      }
      return nil
    case .typedLink: return "the reference opens no realm with a property of typed links"
    case .mixed where !isOptional: return "mixed properties are optional"
    default: return nil
    }
  }

  /// Whether a realm can have an index of a kind for the property.
  package func admits(_ index: PropertyIndex) -> Bool {
    switch index {
    case .search:
      collection == .list && type == .string
        || collection == nil
          && [.int, .bool, .string, .timestamp, .objectId, .uuid, .mixed].contains(type)
    case .fulltext: type == .string && collection == nil
    }
  }
}

extension PropertyType {
  /// The column type that stores a property of this type.
  var columnType: ColumnType {
    switch self {
    case .int: .int
    case .bool: .bool
    case .string: .string
    case .binary: .binary
    case .mixed: .mixed
    case .timestamp: .timestamp
    case .float: .float
    case .double: .double
    case .decimal: .decimal
    case .objectId: .objectId
    case .uuid: .uuid
    case .link: .link
    case .typedLink: .typedLink
    }
  }
}
