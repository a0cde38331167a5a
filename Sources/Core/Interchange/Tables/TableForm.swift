/// What a database can hold, and how: decides the columns of tables and the form of their values.
struct TableForm: Sendable {
  /// How a date is stored.
  enum Dates: Sendable {
    case options(TableOptions.Dates)
    /// As text for `timestamptz`, to the microsecond.
    case postgres
  }

  /// Name of the database, for errors.
  let database: String
  /// The rules for names.
  let names: TableNames.Rules
  /// Largest number of columns of a table.
  let columnLimit: Int
  let dates: Dates
  let ids: TableOptions.IDs
  /// Whether lists and sets of scalars are arrays in a column, and dictionaries of values JSON; otherwise each
  /// collection has a table.
  let hasArrays: Bool
  /// Whether mixed values are Realm JSON, because a column has one type; otherwise they have a second column
  /// for their type.
  let mixedIsJSON: Bool
  /// Whether NaN is a number. Otherwise it is null.
  let hasNaN: Bool
  /// Whether strings are valid UTF-8 without a byte 0; bytes that are not are replaced. Otherwise such a string
  /// is kept as its bytes.
  let isTextStrict: Bool
  /// Whether foreign keys are tested at the end of a transaction, so that the order of changes does not matter.
  let defersKeys: Bool
  /// The name of an index of `columns` of `table`.
  let indexName: @Sendable (_ table: String, _ columns: [String]) -> String

  /// Tables of SQLite.
  ///
  /// - Parameter columnLimit: largest number of columns of a table; the usual one if the tables are only described.
  static func sqlite(_ options: TableOptions, columnLimit: Int = 2000) -> TableForm {
    let isRoom = options.reader == .room
    return TableForm(
      database: "SQLite", names: isRoom ? .room : .sqlite, columnLimit: columnLimit,
      dates: .options(options.dates),
      ids: options.ids, hasArrays: false, mixedIsJSON: isRoom, hasNaN: false, isTextStrict: false,
      defersKeys: !isRoom,
      indexName: { table, columns in
        let names = ([table] + columns).joined(separator: "_")
        return isRoom ? "index_\(names)" : "\(names)_index"
      })
  }

  static let postgres = TableForm(
    database: "PostgreSQL", names: .postgres, columnLimit: 1600, dates: .postgres, ids: .text,
    hasArrays: true,
    mixedIsJSON: true, hasNaN: true, isTextStrict: true, defersKeys: true,
    indexName: { table, columns in ([table] + columns + ["index"]).joined(separator: "_") })
}
