/// The tables as SQL for SQLite.
struct SQLText: TableLanguage {
  let names = ModelNames(classWords: [], propertyWords: [])
  let linkEnding = ""

  func text(_ model: TableModel) -> String {
    model.entities.map { entity in
      let statements =
        [SQLiteText.creation(of: entity.table, model.form)]
        + entity.table.indexes.map { SQLiteText.creation(of: $0, entity.table) }
      return statements.map { $0 + ";\n" }.joined()
    }.joined(separator: "\n")
  }
}
