import RealmModel
import RealmStorage

/// The primary keys of the classes, which the table `pk` names (chapter 5, section 8.3).
struct LegacyPrimaryKeys {
  static let tableName = "pk"
  private static let classPrefix = "class_"

  /// Position of the column with the primary key, by position of the table.
  private(set) var columns: [Int: Int] = [:]

  /// A file has fewer tables, and each has at most one primary key.
  private static let rowLimit = 1 << 16
  /// Rows that are read at once.
  private static let batchRowCount = 1000

  /// Ignores rows that name a class or property that does not exist, as the SDKs did.
  ///
  /// - Throws: `damaged` if the table cannot be read.
  init(_ tables: [LegacyTable], _ reader: LegacyReader) throws(RealmFileError) {
    guard let keys = tables.first(where: { $0.name.text == LegacyPrimaryKeys.tableName }),
      let classNames = LegacyPrimaryKeys.column("pk_table", of: keys),
      let properties = LegacyPrimaryKeys.column("pk_property", of: keys)
    else { return }
    do throws(RealmFileError) {
      guard keys.rowCount <= LegacyPrimaryKeys.rowLimit else {
        throw .damaged(
          .leafRows, at: keys.ref,
          "the table has \(keys.rowCount) rows; the most tables with a primary key are "
            + "\(LegacyPrimaryKeys.rowLimit)")
      }
      columns = try reader.nodes.traversing { () throws(RealmFileError) in
        try LegacyPrimaryKeys.read(keys, classNames, properties, of: tables, reader)
      }
    } catch {
      throw error.adding(className: LegacyPrimaryKeys.tableName)
    }
  }

  private static func read(
    _ keys: LegacyTable, _ classNames: LegacyColumn, _ properties: LegacyColumn,
    of tables: [LegacyTable], _ reader: LegacyReader
  ) throws(RealmFileError) -> [Int: Int] {
    var columns: [Int: Int] = [:]
    var classCells = try LegacyColumnReader(classNames, root: keys.roots[classNames.slot], reader)
    var propertyCells = try LegacyColumnReader(
      properties, root: keys.roots[properties.slot], reader)
    let positions = Dictionary(
      tables.enumerated().map { ($1.name.text, $0) }, uniquingKeysWith: { first, _ in first })
    for first in stride(from: 0, to: keys.rowCount, by: batchRowCount) {
      let rows = first..<min(first + batchRowCount, keys.rowCount)
      let (named, cells) = (try classCells.values(rows), try propertyCells.values(rows))
      for row in 0..<rows.count {
        guard case .string(let text) = named.value(at: row),
          let table = positions[tableName(ofClass: text.text)],
          let column = column(cells.value(at: row), of: tables[table]), column.canBePrimaryKey
        else { continue }
        columns[table] = column.position
      }
    }
    return columns
  }

  /// Early releases of the Java SDK stored the name with the prefix.
  private static func tableName(ofClass name: String) -> String {
    name.hasPrefix(classPrefix) ? name : classPrefix + name
  }

  /// The column that a cell names: by its name, or by its position in early releases of the Java SDK.
  private static func column(
    _ cell: MixedValue, of table: LegacyTable
  ) -> LegacyColumn? {
    switch cell {
    case .string(let name): table.spec.columns.first { $0.name.text == name.text }
    case .int(let position):
      Int(exactly: position).flatMap {
        table.spec.columns.indices.contains($0) ? table.spec.columns[$0] : nil
      }
    default: nil
    }
  }

  /// The column of strings or integers with this name.
  private static func column(_ name: String, of table: LegacyTable) -> LegacyColumn? {
    table.spec.columns.first { column in
      guard column.name.text == name else { return false }
      switch column.kind {
      case .values(_, .string), .values(_, .int), .enumerated: return true
      default: return false
      }
    }
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
