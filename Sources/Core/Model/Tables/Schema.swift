/// The tables of a snapshot, in slot order.
package struct Schema: Sendable {
  package let tables: [Table]
  /// The classes stored by the tables; each class has the position of its table.
  package let objects: ObjectSchema
  private let positions: [TableKey: Int]

  package init(_ drafts: [TableDraft] = []) {
    let positions = Dictionary(
      drafts.enumerated().map { ($1.layout.key, $0) }, uniquingKeysWith: { first, _ in first })
    self.positions = positions
    tables = drafts.enumerated().map { position, draft in
      Table(draft, position: position) { positions[$0] }
    }
    objects = ObjectSchema(
      classes: tables.map(\.objectClass),
      appClasses: tables.filter(\.isClass).sorted { $0.key < $1.key }.map(\.position))
  }

  /// The table with `key`; nil if it does not exist, or no longer exists.
  package func table(_ key: TableKey) -> Table? {
    positions[key].map { tables[$0] }
  }

  /// The table with the full name `name`, prefix included.
  package func table(named name: String) -> Table? {
    tables.first { $0.name.text.utf8.elementsEqual(name.utf8) }
  }

  /// The properties that link to the class at `position`, as `Class.property`. A mixed property is included
  /// if it ever stored a link to the class.
  package func origins(ofLinksTo position: Int) -> [String] {
    tables[position].backlinkColumns.compactMap { backlink in
      guard let origin = table(backlink.origin), origin.isClass,
        let column = origin.columns.first(where: { $0.key == backlink.originColumn })
      else { return nil }
      return "\(origin.className.text).\(column.name.text)"
    }
  }

  /// The tables of the app's classes, in ascending order of their keys.
  package var classes: [Table] {
    tables.filter(\.isClass).sorted { $0.key < $1.key }
  }
}
