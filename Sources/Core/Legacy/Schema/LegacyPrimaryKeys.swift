import RealmModel
import RealmStorage

/// The primary keys of the classes, which the table `pk` names (chapter 5, section 8.3).
struct LegacyPrimaryKeys {
  static let tableName = "pk"
  private static let classPrefix = "class_"

  /// Position of the column with the primary key, by position of the table.
  private(set) var columns: [Int: Int] = [:]

  /// Ignores rows that name a class or property that does not exist, as the SDKs did.
  ///
  /// - Throws: `damaged` if the table cannot be read.
  init(_ tables: [LegacyTable], _ nodes: NodeReader) throws(RealmFileError) {
    guard let keys = tables.first(where: { $0.name.text == LegacyPrimaryKeys.tableName }),
      let classNames = LegacyPrimaryKeys.cells("pk_table", of: keys, nodes),
      let properties = LegacyPrimaryKeys.cells("pk_property", of: keys, nodes)
    else { return }
    var (classCells, propertyCells) = (classNames, properties)
    let positions = Dictionary(
      tables.enumerated().map { ($1.name.text, $0) }, uniquingKeysWith: { first, _ in first })
    for row in 0..<keys.rowCount {
      let named = try classCells.value(at: row)
      guard case .string(let text) = named,
        let table = positions[LegacyPrimaryKeys.tableName(ofClass: text.text)]
      else { continue }
      let column = try LegacyPrimaryKeys.column(
        try propertyCells.value(at: row), of: tables[table])
      if let column, column.canBePrimaryKey { columns[table] = column.position }
    }
  }

  /// Early releases of the Java SDK stored the name with the prefix.
  private static func tableName(ofClass name: String) -> String {
    name.hasPrefix(classPrefix) ? name : classPrefix + name
  }

  /// The column that a cell names: by its name, or by its position in early releases of the Java SDK.
  private static func column(
    _ cell: MixedValue, of table: LegacyTable
  ) throws(RealmFileError) -> LegacyColumn? {
    switch cell {
    case .string(let name): table.spec.columns.first { $0.name.text == name.text }
    case .int(let position):
      Int(exactly: position).flatMap {
        table.spec.columns.indices.contains($0) ? table.spec.columns[$0] : nil
      }
    default: nil
    }
  }

  private static func cells(
    _ name: String, of table: LegacyTable, _ nodes: NodeReader
  ) -> LegacyCells? {
    guard let column = table.spec.columns.first(where: { $0.name.text == name }),
      case .values(let content, let type) = column.kind, type == .string || type == .int
    else { return nil }
    return LegacyCells(
      root: table.roots[column.slot], content, isNullable: column.isNullable, nodes)
  }
}

extension LegacyColumn {
  fileprivate var canBePrimaryKey: Bool {
    switch kind {
    case .values(_, .int), .values(_, .string), .enumerated: true
    default: false
    }
  }
}
