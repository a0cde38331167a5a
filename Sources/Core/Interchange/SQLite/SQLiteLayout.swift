import RealmModel
import RealmStorage

/// The tables for the objects of classes (`docs/formats.md`).
///
/// Each class has a table, and so has each of its collections. Embedded objects are rows in the table of
/// their class, and their owners refer to them.
struct SQLiteLayout: Sendable {
  /// A table and its indexes.
  struct Table: Sendable {
    let name: String
    /// The definitions of the columns.
    fileprivate(set) var columns: [String] = []
    /// The columns of each index.
    fileprivate(set) var indexes: [[String]] = []

    fileprivate init(_ name: String) { self.name = name }
  }

  /// The place of a property's values.
  enum Place: Sendable {
    /// Position of the column.
    case column(Int)
    /// Positions of the columns of the values and of their types.
    case mixed(Int, type: Int)
    /// Position of the table.
    case collection(table: Int)
  }

  /// The place of a class's objects.
  struct ClassPlace: Sendable {
    /// Position of the table.
    let table: Int
    let columnCount: Int
    /// Whether the first column holds the object keys.
    let hasKeyColumn: Bool
    /// The place of each property.
    let properties: [Place]
  }

  private(set) var tables: [Table] = []
  /// By position of the class; nil for a class that is not written.
  private(set) var classes: [ClassPlace?]
  /// Number of names that are changed for SQLite.
  private(set) var changedNameCount = 0

  private let schema: ObjectSchema
  private var tableNames = SQLiteNames()
  /// By position of the class.
  private var namesOfClasses: [Int: String] = [:]
  private var columnsOfIdentities: [Int: String] = [:]

  /// - Parameters:
  ///   - wanted: positions of the classes to write.
  ///   - columnLimit: largest number of columns of a table.
  /// - Throws: `unsupported` for a class with more properties.
  init(_ schema: ObjectSchema, classes wanted: [Int], columnLimit: Int) throws(RealmFileError) {
    self.schema = schema
    classes = Array(repeating: nil, count: schema.classes.count)
    let included = SQLiteLayout.withEmbedded(wanted, of: schema)
    var columns: [Int: Columns] = [:]
    // All names come first: columns refer to the tables and columns of other classes.
    for position in included {
      let objectClass = schema.classes[position]
      namesOfClasses[position] = tableNames.name(for: objectClass.name)
      let named = Columns(objectClass)
      guard named.count <= columnLimit else {
        throw RealmFileError(
          .unsupported(
            "the table needs \(named.count) columns, but SQLite has at most \(columnLimit)"),
          className: objectClass.name.text)
      }
      changedNameCount += named.changedCount
      columns[position] = named
      columnsOfIdentities[position] = named.identity
    }
    for position in included { if let columns = columns[position] { add(position, columns) } }
    changedNameCount += tableNames.changedCount
  }

  /// `wanted` and the classes embedded in them, in the order of the document.
  private static func withEmbedded(_ wanted: [Int], of schema: ObjectSchema) -> [Int] {
    var reached = Set(wanted)
    var waiting = wanted
    while let position = waiting.popLast() {
      for case let target? in schema.classes[position].properties.map(\.target)
      where schema.classes[target].kind == .embedded && reached.insert(target).inserted {
        waiting.append(target)
      }
    }
    let isApp = Set(schema.appClasses)
    return schema.appClasses.filter(reached.contains)
      + reached.subtracting(isApp).sorted()
  }

  /// The names of the columns of a class.
  private struct Columns {
    private(set) var keyColumn: String?
    private(set) var properties: [String] = []
    /// The column with the types of the values; nil for collections and for properties that are not mixed.
    private(set) var types: [String?] = []
    /// Number of columns.
    let count: Int
    /// Number of names that differ from those in the realm.
    let changedCount: Int
    /// The column that links refer to.
    let identity: String

    init(_ objectClass: ObjectClass) {
      var names = SQLiteNames()
      for property in objectClass.properties { properties.append(names.name(for: property.name)) }
      changedCount = names.changedCount
      for (property, name) in zip(objectClass.properties, properties) {
        types.append(
          property.isAnyType && property.collection == nil ? names.free(name + "_type") : nil)
      }
      if let primaryKey = objectClass.primaryKey, objectClass.kind != .embedded {
        identity = properties[primaryKey]
      } else {
        var key = "_key"
        while !names.isFree(key) { key = "_" + key }
        identity = names.free(key)
        keyColumn = identity
      }
      count =
        objectClass.properties.count { $0.collection == nil } + types.count { $0 != nil }
        + (keyColumn == nil ? 0 : 1)
    }
  }

  // MARK: Tables

  private mutating func add(_ position: Int, _ columns: Columns) {
    let objectClass = schema.classes[position]
    guard let name = namesOfClasses[position] else { return }
    let number = tables.count
    tables.append(Table(name))
    if let key = columns.keyColumn {
      tables[number].columns.append("\(SQLiteNames.quoted(key)) INTEGER PRIMARY KEY")
    }
    var places: [Place] = []
    for (i, property) in objectClass.properties.enumerated() {
      guard property.collection == nil else {
        places.append(.collection(table: tables.count))
        addCollection(property, named: columns.properties[i], of: position, table: name)
        continue
      }
      let isKey = columns.keyColumn == nil && i == objectClass.primaryKey
      let column = tables[number].columns.count
      tables[number].columns.append(
        definition(columns.properties[i], property, isPrimaryKey: isKey))
      if !isKey, property.index == .search || refersToTable(property) {
        tables[number].indexes.append([columns.properties[i]])
      }
      if let type = columns.types[i] {
        tables[number].columns.append("\(SQLiteNames.quoted(type)) TEXT")
        places.append(.mixed(column, type: column + 1))
      } else {
        places.append(.column(column))
      }
    }
    classes[position] = ClassPlace(
      table: number, columnCount: tables[number].columns.count,
      hasKeyColumn: columns.keyColumn != nil, properties: places)
  }

  /// Adds the table of a list, set or dictionary.
  private mutating func addCollection(
    _ property: Property, named name: String, of position: Int, table: String
  ) {
    var collection = Table(tableNames.name(for: Name("\(table)_\(name)")))
    let owner = "\"owner\" \(identityType(of: position))" + (reference(to: position) ?? "")
    collection.columns.append(owner)
    switch property.collection {
    case .list:
      collection.columns.append("\"position\" INTEGER NOT NULL")
      collection.indexes.append(["owner", "position"])
    case .dictionary:
      collection.columns.append(
        "\"key\" \(property.hasIntegerKeys ? "INTEGER" : "TEXT") NOT NULL")
      collection.indexes.append(["owner", "key"])
    case .set, nil: collection.indexes.append(["owner"])
    }
    collection.columns.append(definition("value", property, isPrimaryKey: false))
    if property.isAnyType { collection.columns.append("\"type\" TEXT") }
    if property.index == .search || refersToTable(property) {
      collection.indexes.append(["value"])
    }
    tables.append(collection)
  }

  // MARK: Columns

  private func definition(_ name: String, _ property: Property, isPrimaryKey: Bool) -> String {
    let type = property.target.map { identityType(of: $0) } ?? property.type.sqliteType
    let typed = SQLiteNames.quoted(name) + (type.isEmpty ? "" : " " + type)
    guard !isPrimaryKey else {
      // A null in an INTEGER PRIMARY KEY means "any number".
      return typed + (property.isOptional ? " UNIQUE" : " PRIMARY KEY NOT NULL")
    }
    if property.type == .link { return typed + (property.target.flatMap(reference) ?? "") }
    return typed + (property.isOptional || !property.type.isAlwaysKept ? "" : " NOT NULL")
  }

  /// The type of the column that links to a class refer to.
  private func identityType(of position: Int) -> String {
    let objectClass = schema.classes[position]
    guard let primaryKey = objectClass.primaryKey, objectClass.kind != .embedded else {
      return PropertyType.int.sqliteType
    }
    return objectClass.properties[primaryKey].type.sqliteType
  }

  /// The clause of a foreign key; nil if the target's class is not written.
  private func reference(to position: Int) -> String? {
    guard let table = namesOfClasses[position], let column = columnsOfIdentities[position] else {
      return nil
    }
    return " REFERENCES \(SQLiteNames.quoted(table))(\(SQLiteNames.quoted(column)))"
      + " DEFERRABLE INITIALLY DEFERRED"
  }

  private func refersToTable(_ property: Property) -> Bool {
    property.type == .link && property.target.flatMap(reference) != nil
  }

  // MARK: SQL

  /// The statement that creates a table.
  static func creation(of table: Table) -> String {
    let columns = table.columns.joined(separator: ",\n  ")
    return "CREATE TABLE \(SQLiteNames.quoted(table.name)) (\n  \(columns)\n)"
  }

  /// The statements that create the indexes of all tables.
  func indexCreations() -> [String] {
    var names = tableNames
    return tables.flatMap { table in
      table.indexes.map { columns in
        let name = names.free("\(table.name)_\(columns.joined(separator: "_"))_index")
        let list = columns.map(SQLiteNames.quoted).joined(separator: ", ")
        return
          "CREATE INDEX \(SQLiteNames.quoted(name)) ON \(SQLiteNames.quoted(table.name)) (\(list))"
      }
    }
  }
}

extension Property {
  /// Whether each value has its own type.
  var isAnyType: Bool { type == .mixed || type == .typedLink }
}

extension PropertyType {
  /// The type of a column; empty for any type.
  fileprivate var sqliteType: String {
    switch self {
    case .int, .bool, .link: "INTEGER"
    case .float, .double: "REAL"
    case .string, .timestamp, .decimal, .objectId, .uuid: "TEXT"
    case .binary: "BLOB"
    case .mixed, .typedLink: ""
    }
  }

  /// Whether no value becomes null in SQLite.
  fileprivate var isAlwaysKept: Bool {
    switch self {
    case .int, .bool, .string, .binary, .objectId, .uuid: true
    // A NaN, a date out of range and an unresolved link become null.
    case .float, .double, .timestamp, .decimal, .link, .mixed, .typedLink: false
    }
  }
}
