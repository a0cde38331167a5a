import RealmModel
import RealmStorage

/// The tables for the objects of classes (`docs/formats.md`): what the writers of databases fill, and the
/// printers of model classes and of SQL describe.
///
/// Each class has a table, and so has each of its collections unless the database has arrays. Embedded objects
/// are rows in the table of their class, and their owners refer to them.
struct TableLayout: Sendable {
  /// A table and its indexes.
  struct Table: Sendable {
    let name: String
    let content: Content
    fileprivate(set) var columns: [Column] = []
    fileprivate(set) var indexes: [Index] = []

    /// The columns that rows have values for: the database numbers the rows of collections.
    var filledColumns: ArraySlice<Column> {
      if case .collection = content { columns.dropFirst() } else { columns[...] }
    }

    fileprivate init(_ name: String, _ content: Content) {
      (self.name, self.content) = (name, content)
    }
  }

  /// The rows of a table.
  enum Content: Sendable {
    /// The objects of a class.
    case objects(ofClass: Int)
    /// The elements or entries of a collection.
    case collection(Int, ofClass: Int)

    /// Position of the class.
    var classPosition: Int {
      switch self {
      case .objects(let position), .collection(_, let position): position
      }
    }
  }

  /// A column. The primary key of each table is one column.
  struct Column: Sendable {
    /// What the column is for.
    enum Role: Sendable, Equatable {
      /// The object key, or the number of a row in the table of a collection.
      case key
      /// The property at a position.
      case property(Int)
      /// The type of the mixed value in the column before it.
      case typeName
      /// The primary key of the object that owns the collection.
      case owner
      case position, entryKey, value
    }

    let name: String
    let role: Role
    let type: ValueType
    let isNullable: Bool
    var isPrimaryKey = false
    /// The table that the values refer to.
    var reference: Reference?
  }

  /// What a column stores.
  indirect enum ValueType: Sendable, Equatable {
    case int, bool, float, double, string, binary, date, decimal, objectId, uuid
    /// Values that have a type of their own.
    case any
    /// Realm JSON.
    case json
    /// The name of a type.
    case typeName
    case array(ValueType, isNullable: Bool)
  }

  /// A foreign key of one column.
  struct Reference: Sendable {
    let classPosition: Int
    let table: String
    let column: String
    /// Whether a row goes with the row it refers to; otherwise it refers to nothing then.
    let isCascade: Bool
  }

  struct Index: Sendable {
    let name: String
    let columns: [String]
    let isUnique: Bool
  }

  /// The place of a property's values.
  enum Place: Sendable {
    /// Position of the column.
    case column(Int)
    /// Position of the column of the values; their types are in the next one.
    case mixed(Int)
    /// Position of the column of Realm JSON, for mixed values and for collections.
    case json(Int)
    /// Position of the column of arrays.
    case array(Int)
    /// Position of the table.
    case collection(table: Int)
  }

  /// The place of a class's objects.
  struct ClassPlace: Sendable {
    /// Position of the table.
    let table: Int
    let columnCount: Int
    /// Whether the first column holds the object keys, and is the primary key.
    let hasKeyColumn: Bool
    /// The place of each property.
    let properties: [Place]
  }

  let form: TableForm
  let schema: ObjectSchema
  private(set) var tables: [Table] = []
  /// By position of the class; nil for a class that is not written.
  private(set) var classes: [ClassPlace?]
  /// Number of names that are changed for the database.
  private(set) var changedNameCount = 0

  private var tableNames: TableNames
  /// By position of the class.
  private var namedColumns: [Int: (table: String, columns: Columns)] = [:]

  /// - Parameters:
  ///   - wanted: positions of the classes to write.
  ///   - hasUniqueKeys: false if objects of a class may have the same primary key. Object keys then identify
  ///     all objects.
  /// - Throws: `unsupported` for a class with more properties than a table can have columns.
  init(
    _ schema: ObjectSchema, classes wanted: [Int], _ form: TableForm, hasUniqueKeys: Bool = true
  ) throws(RealmFileError) {
    let schema = hasUniqueKeys ? schema : schema.withoutPrimaryKeys
    (self.schema, self.form) = (schema, form)
    classes = Array(repeating: nil, count: schema.classes.count)
    tableNames = .tables(form.names)
    let included = TableLayout.withEmbedded(wanted, of: schema)
    // All names come first: columns refer to the tables and columns of other classes.
    for position in included {
      let objectClass = schema.classes[position]
      let named = Columns(objectClass, form)
      guard named.count <= form.columnLimit else {
        throw RealmFileError(
          .unsupported(
            "the table needs \(named.count) columns, but \(form.database) has at most \(form.columnLimit)"
          ), className: objectClass.name.text)
      }
      changedNameCount += named.changedCount
      namedColumns[position] = (tableNames.name(for: objectClass.name), named)
    }
    for position in included { add(position) }
    changedNameCount += tableNames.changedCount
    for i in tables.indices { nameIndexes(of: i) }
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
    /// The column with the types of the values; nil for properties without such a column.
    private(set) var types: [String?] = []
    /// Number of columns.
    let count: Int
    /// Number of names that differ from those in the realm.
    let changedCount: Int
    /// The column that links refer to.
    let identity: String

    init(_ objectClass: ObjectClass, _ form: TableForm) {
      var names = TableNames.columns(form.names)
      for property in objectClass.properties { properties.append(names.name(for: property.name)) }
      changedCount = names.changedCount
      for (property, name) in zip(objectClass.properties, properties) {
        let hasType = property.isAnyType && property.collection == nil && !form.mixedIsJSON
        types.append(hasType ? names.free(name + "_type") : nil)
      }
      let primaryKey = objectClass.primaryKey.flatMap { objectClass.kind == .embedded ? nil : $0 }
      // A primary key that may be null identifies objects in links, but a table needs one that may not.
      if primaryKey.map({ objectClass.properties[$0].isOptional }) ?? true {
        var key = "_key"
        while !names.isFree(key) { key = "_" + key }
        keyColumn = names.free(key)
      }
      identity = primaryKey.map { [properties] in properties[$0] } ?? keyColumn ?? ""
      count =
        objectClass.properties.count { form.place(of: $0) != .table } + types.count { $0 != nil }
        + (keyColumn == nil ? 0 : 1)
    }
  }

  // MARK: Tables

  private mutating func add(_ position: Int) {
    let objectClass = schema.classes[position]
    guard let (name, columns) = namedColumns[position] else { return }
    let number = tables.count
    tables.append(Table(name, .objects(ofClass: position)))
    if let key = columns.keyColumn {
      tables[number].columns.append(
        Column(name: key, role: .key, type: .int, isNullable: false, isPrimaryKey: true))
    }
    var places: [Place] = []
    for (i, property) in objectClass.properties.enumerated() {
      let isIdentity = i == objectClass.primaryKey && objectClass.kind != .embedded
      let (columnName, at) = (columns.properties[i], tables[number].columns.count)
      switch form.place(of: property) {
      case .table:
        places.append(.collection(table: tables.count))
        addCollection(i, named: columnName, of: position, table: name)
        continue
      case .json: places.append(.json(at))
      case .array: places.append(.array(at))
      case .column: places.append(columns.types[i] == nil ? .column(at) : .mixed(at))
      }
      let isPrimaryKey = isIdentity && columns.keyColumn == nil
      let column = column(columnName, .property(i), property, isPrimaryKey: isPrimaryKey)
      tables[number].columns.append(column)
      if let type = columns.types[i] {
        tables[number].columns.append(
          Column(name: type, role: .typeName, type: .typeName, isNullable: true))
      }
      let isIndexed = property.index == .search && property.collection == nil
      if !isPrimaryKey, isIdentity || isIndexed || column.reference != nil {
        add(index: [columnName], isUnique: isIdentity, to: number)
      }
    }
    classes[position] = ClassPlace(
      table: number, columnCount: tables[number].columns.count,
      hasKeyColumn: columns.keyColumn != nil, properties: places)
  }

  /// Adds the table of a list, set or dictionary.
  private mutating func addCollection(
    _ i: Int, named name: String, of position: Int, table: String
  ) {
    let property = schema.classes[position].properties[i]
    let number = tables.count
    var collection = Table(
      tableNames.name(for: Name("\(table)_\(name)")), .collection(i, ofClass: position))
    collection.columns = [
      Column(name: "id", role: .key, type: .int, isNullable: false, isPrimaryKey: true),
      owner(position),
    ]
    var (order, value): ([String], [Column]) = ([], [])
    switch property.collection {
    case .list:
      order = ["position"]
      collection.columns.append(
        Column(name: "position", role: .position, type: .int, isNullable: false))
    case .dictionary:
      order = ["key"]
      collection.columns.append(
        Column(
          name: "key", role: .entryKey, type: property.hasIntegerKeys ? .int : .string,
          isNullable: false))
    case .set, nil: break
    }
    value = [column("value", .value, property, isPrimaryKey: false)]
    if property.isAnyType, !form.mixedIsJSON {
      value.append(Column(name: "type", role: .typeName, type: .typeName, isNullable: true))
    }
    collection.columns += value
    tables.append(collection)
    add(index: ["owner"] + order, isUnique: false, to: number)
    if property.index == .search || value[0].reference != nil {
      add(index: ["value"], isUnique: false, to: number)
    }
  }

  private mutating func add(index columns: [String], isUnique: Bool, to table: Int) {
    tables[table].indexes.append(Index(name: "", columns: columns, isUnique: isUnique))
  }

  /// Names the indexes, after all tables have their names.
  private mutating func nameIndexes(of table: Int) {
    tables[table].indexes = tables[table].indexes.map { index in
      let name = tableNames.free(form.indexName(tables[table].name, index.columns))
      return Index(name: name, columns: index.columns, isUnique: index.isUnique)
    }
  }

  // MARK: Columns

  private func column(
    _ name: String, _ role: Column.Role, _ property: Property, isPrimaryKey: Bool
  ) -> Column {
    let isElement = role == .value
    guard form.place(of: property) != .array else {
      let type = ValueType.array(
        form.type(of: property.type), isNullable: !form.isRequired(property))
      return Column(name: name, role: role, type: type, isNullable: false)
    }
    guard property.type == .link else {
      let isCollection = property.collection != nil && !isElement
      let type: ValueType = isCollection ? .json : form.type(of: property.type)
      return Column(
        name: name, role: role, type: type,
        isNullable: !isPrimaryKey && !isCollection && !form.isRequired(property),
        isPrimaryKey: isPrimaryKey)
    }
    let isEmbedded = schema.target(of: property)?.kind == .embedded
    let isMember = isElement && property.collection != .dictionary
    return Column(
      name: name, role: role, type: property.target.map(identityType) ?? .int,
      isNullable: !(isMember && isEmbedded),
      reference: property.target.flatMap { reference(to: $0, isCascade: isMember) })
  }

  /// The column for the owner of a collection of the class at `position`.
  private func owner(_ position: Int) -> Column {
    guard let (table, columns) = namedColumns[position], let key = columns.keyColumn else {
      return Column(
        name: "owner", role: .owner, type: identityType(position), isNullable: false,
        reference: reference(to: position, isCascade: true))
    }
    return Column(
      name: "owner", role: .owner, type: .int, isNullable: false,
      reference: Reference(
        classPosition: position, table: table, column: key, isCascade: true))
  }

  /// The type of the column that links to a class refer to.
  private func identityType(_ position: Int) -> ValueType {
    let objectClass = schema.classes[position]
    guard let primaryKey = objectClass.primaryKey, objectClass.kind != .embedded else {
      return .int
    }
    return form.type(of: objectClass.properties[primaryKey].type)
  }

  /// A foreign key; nil if the target's class is not written.
  private func reference(to position: Int, isCascade: Bool) -> Reference? {
    namedColumns[position].map {
      Reference(
        classPosition: position, table: $0.table, column: $0.columns.identity, isCascade: isCascade)
    }
  }
}
