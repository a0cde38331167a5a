/// The tables of a snapshot, in slot order.
public struct Schema: Sendable {
  public let tables: [Table]
  private let positions: [TableKey: Int]

  init(tables: [Table]) {
    self.tables = tables
    positions = Dictionary(
      tables.enumerated().map { ($1.key, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The table with `key`, or nil where there is none (any more).
  public func table(_ key: TableKey) -> Table? {
    positions[key].map { tables[$0] }
  }

  /// The table with the full name `name`, prefix included.
  public func table(named name: String) -> Table? {
    tables.first { $0.name.text.utf8.elementsEqual(name.utf8) }
  }

  /// The classes of the app, in ascending table key.
  public var classes: [Table] {
    tables.filter(\.isClass).sorted { $0.key < $1.key }
  }
}
