import RealmModel
import RealmStorage

/// The primary keys of the classes, from the table `pk` (chapter 5, section 8.3).
struct LegacyPrimaryKeys {
  static let tableName = "pk"

  /// Position of the column with the primary key, by position of the table.
  private(set) var columns: [Int: Int] = [:]

  /// The most rows of the table: a file has fewer tables, each with at most one primary key.
  private static let rowLimit = 1 << 16
  /// Rows that are read at once.
  private static let batchRowCount = 1000
  /// The most bytes of the name of a table or column, which is a short string.
  private static let nameByteLimit = LegacyNames.propertyByteLimit

  /// Reads the table of a damaged realm. Of a class whose row cannot be read, the primary key is unknown.
  ///
  /// - Throws: errors that are not damage.
  init(
    _ tables: [LegacyTable], _ reader: LegacyReader, _ snapshot: Snapshot,
    leavingOut losses: inout LegacySchemaLosses
  ) throws(RealmFileError) {
    let table = tables.first { $0.name.text == LegacyPrimaryKeys.tableName }
    if let table, let loss = table.loss {
      guard loss.isDamage else {
        columns = try LegacyPrimaryKeys.upgraded(tables, snapshot)
        return
      }
      losses.add(loss, LegacyPrimaryKeys.tableName)
    }
    guard let (keys, columns) = LegacyPrimaryKeys.find(in: tables) else {
      if let table, table.loss == nil {
        losses.add(
          .damaged(.specNames, at: table.ref, "no column has the name pk_table or pk_property"),
          LegacyPrimaryKeys.tableName)
      }
      return
    }
    guard keys.rowCount <= LegacyPrimaryKeys.rowLimit else { return }
    var names = Names(of: tables)
    var lost: RealmFileError?
    do throws(RealmFileError) {
      self.columns = try LegacyPrimaryKeys.read(
        keys, columns.classes, columns.properties, &names, reader
      ) { (_, error) throws(RealmFileError) in lost = lost ?? error }
    } catch {
      guard error.isDamage else { throw error }
      lost = error
    }
    if let lost { losses.add(lost, LegacyPrimaryKeys.tableName) }
  }

  /// Reads the table of a realm whose upgrade did not finish, after the table was upgraded to format 10.
  private static func upgraded(
    _ tables: [LegacyTable], _ snapshot: Snapshot
  ) throws(RealmFileError) -> [Int: Int] {
    let realm = try Realm(ofAnyFormat: snapshot)
    let classes = realm.schema.objects.classes
    guard
      let position = classes.firstIndex(where: { $0.isInternal && $0.name.text == tableName }),
      let first = classes[position].properties.firstIndex(where: { $0.name.text == "pk_table" }),
      let second = classes[position].properties.firstIndex(where: {
        $0.name.text == "pk_property"
      })
    else { return [:] }
    var (names, columns): (Names, [Int: Int]) = (Names(of: tables), [:])
    let source = RealmSource(realm, classes: [position])
    let cursor = try source.makeCursor()
    for part in try source.parts() {
      cursor.open(part)
      while let batch = try cursor.next() {
        guard case .scalar(.string(let classNames))? = batch.columns[first],
          case .scalar(let properties)? = batch.columns[second]
        else { continue }
        for row in 0..<batch.count {
          guard let name = classNames[row], let table = names.table(ofClass: name),
            let column = names.column(MixedValue(properties[row]), ofTable: table),
            column.hasIntegersOrStrings
          else { continue }
          columns[table] = column.position
        }
      }
      _ = cursor.close()
    }
    return columns
  }

  private static func find(
    in tables: [LegacyTable]
  ) -> (LegacyTable, (classes: LegacyColumn, properties: LegacyColumn))? {
    tables.lazy.compactMap { table in keyColumns(of: table).map { (table, $0) } }.first
  }

  /// Reads the table. Rows for a class or property that does not exist are ignored, as by the SDKs.
  ///
  /// - Throws: `damaged` if the table cannot be read.
  init(_ tables: [LegacyTable], _ reader: LegacyReader) throws(RealmFileError) {
    guard let (keys, columns) = LegacyPrimaryKeys.find(in: tables) else { return }
    do throws(RealmFileError) {
      guard keys.rowCount <= LegacyPrimaryKeys.rowLimit else {
        throw .damaged(
          .leafRows, at: keys.ref,
          "the table has \(keys.rowCount) rows, expected at most "
            + "\(LegacyPrimaryKeys.rowLimit)")
      }
      var names = Names(of: tables)
      self.columns = try reader.nodes.traversing { () throws(RealmFileError) in
        try LegacyPrimaryKeys.read(keys, columns.classes, columns.properties, &names, reader)
      }
    } catch {
      throw error.adding(className: LegacyPrimaryKeys.tableName)
    }
  }

  /// The columns with the names of classes and properties, if `table` is the table of primary keys.
  static func keyColumns(
    of table: LegacyTable
  ) -> (classes: LegacyColumn, properties: LegacyColumn)? {
    guard table.name.text == tableName, let classes = column("pk_table", of: table),
      let properties = column("pk_property", of: table)
    else { return nil }
    return (classes, properties)
  }

  private static func read(
    _ keys: LegacyTable, _ classNames: LegacyColumn, _ properties: LegacyColumn,
    _ names: inout Names, _ reader: LegacyReader,
    skip: (Int, RealmFileError) throws(RealmFileError) -> Void = {
      (_, error) throws(RealmFileError) in throw error
    }
  ) throws(RealmFileError) -> [Int: Int] {
    var columns: [Int: Int] = [:]
    var classCells = try LegacyColumnReader(
      classNames, root: keys.roots[classNames.slot], reader, keys.rows?.columns[classNames.position]
    )
    var propertyCells = try LegacyColumnReader(
      properties, root: keys.roots[properties.slot], reader,
      keys.rows?.columns[properties.position])
    for first in stride(from: 0, to: keys.rowCount, by: batchRowCount) {
      let rows = first..<min(first + batchRowCount, keys.rowCount)
      let named = try classCells.values(rows, skip: skip)
      let cells = try propertyCells.values(rows, skip: skip)
      for row in 0..<rows.count {
        guard case .string(let name) = named.value(at: row), let table = names.table(ofClass: name),
          let column = names.column(cells.value(at: row), ofTable: table),
          column.hasIntegersOrStrings
        else { continue }
        columns[table] = column.position
      }
    }
    return columns
  }

  /// Finds tables and columns by the bytes of their names.
  private struct Names {
    private let tables: [LegacyTable]
    private let positions: [[UInt8]: Int]
    /// Positions of columns by name, for tables that were already needed.
    private var columns: [Int: [[UInt8]: Int]] = [:]

    init(of tables: [LegacyTable]) {
      self.tables = tables
      positions = Names.positions(of: tables.map(\.name))
    }

    private static func positions(of names: [Name]) -> [[UInt8]: Int] {
      Dictionary(
        names.enumerated().map { ($1.bytes, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The table of the class in a cell. Early releases of the Java SDK stored the name with the prefix, which can
    /// also be part of the name itself.
    func table(ofClass name: ByteSlice) -> Int? {
      guard name.count <= LegacyPrimaryKeys.nameByteLimit else { return nil }
      let prefix = ObjectClass.tablePrefix
      return positions[prefix + name.bytes]
        ?? (name.bytes.starts(with: prefix) ? positions[Array(name.bytes)] : nil)
    }

    /// The column in a cell: its name, or its position in early releases of the Java SDK.
    mutating func column(_ cell: MixedValue, ofTable table: Int) -> LegacyColumn? {
      let all = tables[table].spec.columns
      switch cell {
      case .string(let name):
        guard name.count <= LegacyPrimaryKeys.nameByteLimit else { return nil }
        let known = columns[table] ?? Names.positions(of: all.map(\.name))
        columns[table] = known
        return known[Array(name.bytes)].map { all[$0] }
      case .int(let position):
        return Int(exactly: position).flatMap { all.indices.contains($0) ? all[$0] : nil }
      default: return nil
      }
    }
  }

  /// The column of strings or integers with this name.
  private static func column(_ name: String, of table: LegacyTable) -> LegacyColumn? {
    table.spec.columns.first { $0.name.text == name && $0.hasIntegersOrStrings }
  }
}

extension LegacyColumn {
  fileprivate var hasIntegersOrStrings: Bool {
    switch kind {
    case .values(_, .int), .values(_, .string), .enumerated: true
    default: false
    }
  }
}
