import RealmModel
import RealmStorage

/// Turns tables into classes (chapter 5, sections 8 and 11).
struct LegacyClasses {
  private let tables: [LegacyTable]
  private let primaryKeys: LegacyPrimaryKeys
  private var names = LegacyNames()
  private var classes: [ObjectClass?]
  private var layoutsByClass: [LegacyClassLayout?]
  private(set) var hidden = LegacyHiddenParts()

  /// Names of tables of the SDKs, which realms of later formats do not get.
  fileprivate static let internalNames: Set<String> = [LegacyPrimaryKeys.tableName, "metadata"]

  init(_ tables: [LegacyTable], _ primaryKeys: LegacyPrimaryKeys) {
    var losses = LegacySchemaLosses()
    self.init(tables, primaryKeys, leavingOut: &losses)
  }

  /// - Parameter losses: receives what cannot be read in a damaged realm.
  init(
    _ tables: [LegacyTable], _ primaryKeys: LegacyPrimaryKeys,
    leavingOut losses: inout LegacySchemaLosses
  ) {
    (self.tables, self.primaryKeys) = (tables, primaryKeys)
    classes = Array(repeating: nil, count: tables.count)
    layoutsByClass = Array(repeating: nil, count: tables.count)
    addAll(&losses)
  }

  var schema: ObjectSchema { ObjectSchema(classes: classes.compactMap(\.self)) }
  var layouts: [LegacyClassLayout] { layoutsByClass.compactMap(\.self) }

  private mutating func addAll(_ losses: inout LegacySchemaLosses) {
    // A file that the engine wrote without an SDK has no classes, and all its tables belong to the user.
    let hasClasses = tables.contains { ObjectClass.isClass(tableName: $0.name) }
    let isInternal = tables.map {
      $0.loss != nil || (hasClasses ? !ObjectClass.isClass(tableName: $0.name) : $0.isOfSDK)
    }
    hidden.internalTables = zip(tables, isInternal).count { table, isInternal in
      isInternal && LegacyClasses.internalNames.contains(table.name.text) && !table.isOfSDK
    }
    // Tables are named before the classes of their subtables.
    let classNames = tables.indices.map { position in
      let name = ObjectClass.className(ofTable: tables[position].name)
      return isInternal[position]
        ? name
        : names.unique(
          name, prefix: "table", position: position, byteLimit: LegacyNames.classByteLimit)
    }
    for (position, table) in tables.enumerated() {
      add(
        table.spec, of: table, at: position, isInternal: isInternal[position],
        name: classNames[position], &losses)
      if let loss = table.loss, !hasClasses || ObjectClass.isClass(tableName: table.name) {
        losses.add(loss, classNames[position].text)
      }
    }
  }

  /// Adds the class of a table or of subtables, and the classes of their subtables.
  private mutating func add(
    _ spec: LegacySpec, of table: LegacyTable?, at position: Int, isInternal: Bool, name: Name,
    _ losses: inout LegacySchemaLosses
  ) {
    var propertyNames = LegacyNames()
    var properties: [Property] = []
    var columns: [LegacyColumn] = []
    var embedded: [Int?] = []
    var primaryKey: Int?
    for column in spec.columns where !column.isBacklinks {
      let isOfClass = table != nil && !isInternal
      if let loss = loss(of: column) {
        if isOfClass { losses.add(loss, name.text, property: column.name.text) }
        continue
      }
      guard isShown(column, ofClass: isOfClass) else { continue }
      let unique = propertyNames.unique(
        column.name, prefix: "col", position: column.position,
        byteLimit: LegacyNames.propertyByteLimit)
      var objects: Int?
      if let spec = column.objects {
        objects = classes.count
        classes.append(nil)
        layoutsByClass.append(nil)
        let own = Name(name.bytes + Array("_".utf8) + unique.bytes)
        add(
          spec, of: nil, at: classes.count - 1, isInternal: false,
          name: names.unique(
            own, prefix: "table", position: classes.count - 1,
            byteLimit: LegacyNames.classByteLimit), &losses)
      }
      if isOfClass, let error = spec.lostNames {
        losses.add(error, name.text, property: unique.text, isInSchema: true)
      }
      if table != nil, primaryKeys.columns[position] == column.position {
        primaryKey = properties.count
      }
      properties.append(column.property(name: unique, objects: objects))
      columns.append(column)
      embedded.append(objects)
    }
    classes[position] = ObjectClass(
      name: name, isInternal: isInternal, kind: table == nil ? .embedded : .topLevel,
      properties: properties, primaryKey: primaryKey)
    layoutsByClass[position] = LegacyClassLayout(
      table: table, spec: spec, columns: columns, embedded: embedded)
  }

  /// Why the column of a damaged realm cannot become a property; nil if it can.
  private func loss(of column: LegacyColumn) -> RealmFileError? {
    switch column.kind {
    case .unreadable(let error): error
    case .link(let target), .linkList(let target): tables[target].loss
    case .subtable(let spec): spec.columns.lazy.compactMap { loss(of: $0) }.first
    default: nil
    }
  }

  /// Whether the column becomes a property; counts it if not.
  private mutating func isShown(_ column: LegacyColumn, ofClass isClass: Bool) -> Bool {
    guard column.holdsValues else {
      hidden.emptyColumns += 1
      return false
    }
    guard isClass, column.name.bytes.first == UInt8(ascii: "!") else { return true }
    if column.name.text == "!OID" { hidden.objectIdColumns += 1 } else { hidden.hiddenColumns += 1 }
    return false
  }
}

extension LegacyTable {
  /// The table under the name that its columns have in realms of the SDKs, if its own name is lost.
  var recognized: LegacyTable {
    for name in LegacyClasses.internalNames.sorted() {
      var table = self
      table.name = Name(Array(name.utf8))
      if table.isOfSDK { return table }
    }
    return self
  }

  /// Whether this is a table of the SDKs, with exactly the columns that they give it.
  fileprivate var isOfSDK: Bool {
    let columnCount = spec.columns.count { !$0.isBacklinks }
    return versionColumn != nil && columnCount == 1
      || LegacyPrimaryKeys.keyColumns(of: self) != nil && columnCount == 2
  }
}

extension LegacyColumn {
  /// The property of a column that holds values.
  ///
  /// - Parameter objects: position of the class of its subtables, if they are objects.
  fileprivate func property(name: Name, objects: Int?) -> Property {
    if let elements {
      let (type, target) = elements.typeAndTarget
      return Property(
        name: name, type: type,
        isOptional: type == .mixed || (type != .link && elements.isNullable),
        collection: .list, target: target)
    }
    if let objects {
      return Property(name: name, type: .link, collection: .list, target: objects)
    }
    let (type, target) = typeAndTarget
    if case .linkList = kind {
      return Property(name: name, type: .link, collection: .list, target: target)
    }
    return Property(
      name: name, type: type, isOptional: isNullable || type == .link || type == .mixed,
      target: target, index: isIndexed && type.canHaveIndex ? .search : nil)
  }

  private var typeAndTarget: (PropertyType, Int?) {
    switch kind {
    case .values(_, let type): (type, nil)
    case .enumerated: (.string, nil)
    case .timestamps: (.timestamp, nil)
    case .link(let target), .linkList(let target): (.link, target)
    case .mixed, .subtable, .backlinks, .unreadable: (.mixed, nil)
    }
  }
}

extension PropertyType {
  /// Whether a single value of this type can have a search index in the current format.
  fileprivate var canHaveIndex: Bool {
    switch self {
    case .int, .bool, .string, .timestamp, .mixed: true
    default: false
    }
  }
}
