package import RealmModel
import RealmStorage

/// Where a new realm stores each class: the keys of tables and columns, and the leaf index of each column
/// (chapter 3, sections 1.2 and 4.1).
///
/// The table with the schema version comes first, if there is one. The tables of the classes follow in the
/// order of their creation.
final class BuildLayout: Sendable {
  /// The most bytes in the name of a table or column (section 1.3).
  static let nameByteLimit = 63

  /// The most columns of a table, backlink columns included: a leaf index has 16 bits (section 1.3).
  static let columnLimit = 65_535

  static let tooManyColumns = BuildError(
    .tooMany(
      "the class has more than \(columnLimit) properties and links from other properties"))

  let schema: ObjectSchema
  let format: FileFormat
  let platform: WriterPlatform
  /// The orders of sets of one type and of keys of dictionaries, of sets of mixed values, and of lists of indexes.
  let (valueOrder, mixedSetOrder, indexOrder): (StoredOrder, StoredOrder, StoredOrder)
  /// The tables by position of the class; nil for a class that is left out.
  let tables: [BuildTable?]
  /// The tables in the order of their slots.
  let slots: [BuildTable]
  /// All columns, by number.
  let columns: [BuildColumn]
  /// What the format cannot hold of the schema; nil for nothing. The build goes on, to find the values that it cannot hold, and
  /// then fails.
  let unsupported: BuildError?

  /// - Parameters:
  ///   - classes: positions of the classes whose objects will be added. An internal class gets a table only
  ///     if it is one of them, or is embedded in one.
  ///   - hasVersion: whether slot 0 holds the table with the schema version.
  ///   - kept: the table keys to keep.
  ///   - copied: the tables to copy, which also keep their column keys.
  ///   - indexes: the indexes to copy.
  /// - Throws: `schema` or `tooMany` for a class or property that no realm can have.
  init(
    _ schema: ObjectSchema, classes: [Int], _ format: FileFormat, _ platform: WriterPlatform,
    hasVersion: Bool, kept: KeptTables? = nil, copied: CopiedTables? = nil,
    indexes: KeptIndexes? = nil
  ) throws(BuildError) {
    (self.schema, self.format, self.platform) = (schema, format, platform)
    valueOrder = StoredOrder(format, platform, .values)
    mixedSetOrder = StoredOrder(format, platform, .mixedSet)
    indexOrder = StoredOrder(format, platform, .index)
    var built = schema.appClasses
    built += classes.filter { !built.contains($0) }
    built += schema.embeddedInternalClasses(of: built)
    do throws(BuildError) {
      try format.check(schema, classes: built)
      unsupported = nil
    } catch {
      unsupported = error
    }
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
          copy: copied?.table(position), built: copied?.builtProperties(position) ?? [], indexes,
          schema, format)
        columns += table.columns
        slots.append(table)
        tables[position] = table
      } catch {
        throw error.adding(className: objectClass.name.text)
      }
    }
    guard slots.count < 0xFFFF, nextSlot <= 0xFFFF else {
      throw BuildError(.tooMany("a realm has at most 65534 classes"))
    }
    (self.tables, self.slots, self.columns) = (
      tables, slots.sorted { $0.key.slot < $1.key.slot }, columns
    )
    for column in columns {
      guard let target = column.property.target, tables[target] == nil else { continue }
      throw BuildError(
        .schema("the target class of its links is left out"),
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
    _ = try BuildLayout(self, classes: [], .current, WriterPlatform(), hasVersion: true)
  }

  /// Positions of the internal embedded classes whose objects are inside objects of `owners`.
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
  /// The columns of the properties, in their order. Unless the table is copied, the position of a column is
  /// its leaf index.
  let columns: [BuildColumn]
  /// The positions of the columns whose leaves are built: all of them, or those of a copied table that get new values. An
  /// edited table has leaves of all columns, but only of some clusters.
  let builtPositions: [Int]

  var isEmbedded: Bool { objectClass.kind == .embedded }
  /// The column of the primary key.
  var primaryKey: BuildColumn? { objectClass.primaryKey.map { columns[$0] } }

  init(
    _ objectClass: ObjectClass, position: Int, key: TableKey, firstNumber: Int, copy: Table?,
    built: [Int], _ indexes: KeptIndexes?, _ schema: ObjectSchema, _ format: FileFormat
  ) throws(BuildError) {
    (self.objectClass, self.position, self.key) = (objectClass, position, key)
    isCopied = copy != nil
    guard objectClass.tableName.count <= BuildLayout.nameByteLimit else {
      let limit = BuildLayout.nameByteLimit - ObjectClass.tablePrefix.count
      throw BuildError(.schema("the name of the class is longer than \(limit) bytes"))
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
                isNullable: property.isOptional, tag: key.raw, format),
            classPosition: position, isPrimaryKey: objectClass.primaryKey == i,
            keptIndex: isCopied ? nil : indexes?.root(ofProperty: i, ofClass: position), schema,
            format))
      } catch {
        throw error.adding(property: property.name.text)
      }
    }
    guard columns.count <= BuildLayout.columnLimit else { throw BuildLayout.tooManyColumns }
    if objectClass.primaryKey != nil, objectClass.kind == .embedded {
      throw BuildError(.schema("an embedded class has no primary key"))
    }
    self.columns = columns
    builtPositions = copy == nil ? Array(columns.indices) : built
  }

  /// The key that an object without a key from the source gets (chapter 3, section 4.2): its number if the
  /// class has a primary key, otherwise a squeezed key.
  ///
  /// - Parameter number: number of the object in its class, from 0 on.
  func objectKey(_ number: Int) -> ObjectKey {
    objectClass.primaryKey == nil
      ? GlobalKey(high: 0, low: UInt64(number)).squeezedKey : ObjectKey(Int64(number))
  }

  /// The next unused number after the object with `key`; nil if the key was not made from a number.
  func nextNumber(after key: ObjectKey) -> Int? {
    guard objectClass.primaryKey == nil else {
      // Keys made from hashes do not use up numbers.
      return key.raw <= BuildTable.largestPlainKey ? Int(key.raw) + 1 : nil
    }
    guard let global = GlobalKey(squeezed: key), global.high == 0 else { return nil }
    return Int(global.low) + 1
  }

  /// Larger keys are taken for hashes of primary keys.
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
  /// The root of the index to copy from another realm; nil to build it.
  let keptIndex: Ref?

  /// Whether the index, if there is one, is in the file. Format 20 has none of primary keys.
  let storesIndex: Bool

  /// True if integers are in the nullable form.
  var isNullable: Bool { property.isOptional }
  /// True if the column has a search index other than a full-text index.
  var isIndexed: Bool { isPrimaryKey || property.index == .search }
  var isFulltextIndexed: Bool { !isPrimaryKey && property.index == .fulltext }
  /// Whether the builder collects the entries of an index.
  var needsEntries: Bool { (isIndexed || isFulltextIndexed) && keptIndex == nil }

  init(
    _ property: Property, number: Int, key: ColumnKey, classPosition: Int, isPrimaryKey: Bool,
    keptIndex: Ref?, _ schema: ObjectSchema, _ format: FileFormat
  ) throws(BuildError) {
    (self.property, self.number, self.key) = (property, number, key)
    (self.classPosition, self.isPrimaryKey) = (classPosition, isPrimaryKey)
    storesIndex = !isPrimaryKey || format.hasPrimaryKeyIndexes
    // Building the primary key's index finds equal keys, and the targets of links.
    self.keptIndex = isPrimaryKey ? nil : keptIndex
    try check(schema)
  }

  private func check(_ schema: ObjectSchema) throws(BuildError) {
    func refuse(_ why: String) -> BuildError { BuildError(.schema(why)) }
    guard property.name.bytes.count <= BuildLayout.nameByteLimit else {
      throw refuse("the name of the property is longer than \(BuildLayout.nameByteLimit) bytes")
    }
    if isPrimaryKey, !property.canBePrimaryKey {
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
  /// Why a class of `schema` cannot have this property; nil if it can.
  package func refusal(in schema: ObjectSchema) -> String? {
    switch type {
    case .link:
      guard let target, schema.classes.indices.contains(target) else {
        return "the target class of its links does not exist"
      }
      switch schema.classes[target].kind {
      case .asymmetric: return "links cannot refer to an asymmetric class"
      case .embedded where collection == .set: return "a set cannot hold embedded objects"
      default: break
      }
      guard isOptional == (collection == nil || collection == .dictionary) else {
        return "links are optional, except in lists and sets"
      }
      return nil
    case .typedLink: return "no SDK opens a realm with a property of typed links"
    case .mixed where !isOptional: return "mixed properties are optional"
    default: return nil
    }
  }

  /// Whether the property can have an index of this kind.
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
