/// The tables of a layout as SQL statements for SQLite.
enum SQLiteText {
  /// The statement that creates a table.
  static func creation(of table: TableLayout.Table, _ form: TableForm) -> String {
    let columns = table.columns.map { definition(of: $0, form) }.joined(separator: ",\n  ")
    return "CREATE TABLE \(TableNames.quoted(table.name)) (\n  \(columns)\n)"
  }

  static func creation(of index: TableLayout.Index, _ table: TableLayout.Table) -> String {
    let columns = index.columns.map(TableNames.quoted).joined(separator: ", ")
    return "CREATE \(index.isUnique ? "UNIQUE " : "")INDEX \(TableNames.quoted(index.name)) "
      + "ON \(TableNames.quoted(table.name)) (\(columns))"
  }

  private static func definition(of column: TableLayout.Column, _ form: TableForm) -> String {
    let type = self.type(column.type, form)
    var text = TableNames.quoted(column.name) + (type.isEmpty ? "" : " " + type)
    if column.isPrimaryKey { text += " PRIMARY KEY" }
    if !column.isNullable { text += " NOT NULL" }
    if let reference = column.reference {
      text += " " + self.reference(reference, TableNames.quoted(reference.table), form)
    }
    return text
  }

  /// The clause of a foreign key.
  ///
  /// - Parameter table: the quoted name of the table that is referred to.
  static func reference(
    _ reference: TableLayout.Reference, _ table: String, _ form: TableForm
  ) -> String {
    "REFERENCES \(table)(\(TableNames.quoted(reference.column))) "
      + "ON DELETE \(reference.isCascade ? "CASCADE" : "SET NULL")"
      + (form.defersKeys ? " DEFERRABLE INITIALLY DEFERRED" : "")
  }

  /// The type of a column; empty for values of any type.
  static func type(_ type: TableLayout.ValueType, _ form: TableForm) -> String {
    switch type {
    case .int, .bool: return "INTEGER"
    case .float, .double: return "REAL"
    case .string, .decimal, .json, .typeName, .array: return "TEXT"
    case .binary: return "BLOB"
    case .objectId, .uuid: return form.ids == .blob ? "BLOB" : "TEXT"
    case .date:
      switch form.dates {
      case .options(.iso), .postgres: return "TEXT"
      case .options(.unixMilliseconds): return "INTEGER"
      case .options(.unix): return "REAL"
      }
    case .any: return ""
    }
  }
}
