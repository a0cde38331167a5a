import RealmModel
import RealmStorage

/// What a new realm changes in the tables of an old one. Positions of classes and properties are those in the old
/// realm unless stated otherwise.
package struct TableChanges {
  /// The position of each class in the new realm; nil for a class that is removed.
  package let positions: [Int?]
  /// The classes whose tables must be built, because their objects, schema or kind change, and the removed
  /// classes.
  package var changed: Set<Int> = []
  /// The properties with new values, by position of their class: single values that are no links, of classes that
  /// change nothing else and need not be built for another reason.
  package var replaced: [Int: Set<Int>] = [:]
  /// The classes with objects that are missing in the new realm, or have other keys there.
  package var losing: Set<Int> = []
  /// The target classes of new links, by position of the class with the links.
  package var newTargets: [Int: Set<Int>] = [:]
  /// Returns the position in the new realm of a property whose links stay the same if its table is built; nil for
  /// a property whose links change.
  private let keptLinks: (_ position: Int, _ property: Int) -> Int?

  package init(
    positions: [Int?], keptLinks: @escaping (_ position: Int, _ property: Int) -> Int?
  ) {
    (self.positions, self.keptLinks) = (positions, keptLinks)
  }

  /// The links of a property that stay the same if its table is built.
  struct KeptLinks {
    let target: Table
    /// The column of the target with the backlinks.
    let column: ColumnKey
    let origin: Table
    /// Position of the property in the new realm.
    let property: Int
  }

  /// The links that stay the same (`kept`), and by position of a table, the tables that must be built if that table
  /// is built (`needs`).
  func links(of schema: Schema) -> (kept: [KeptLinks], needs: [Int: Set<Int>]) {
    var (kept, needs): ([KeptLinks], [Int: Set<Int>]) = ([], newTargets)
    // Positions of the properties with kept links, by position of the class.
    var keptProperties: [Int: Set<Int>] = [:]
    for table in schema.tables {
      // A mixed property that ever had links has a backlink column, too.
      for column in table.backlinkColumns {
        guard let origin = schema.table(column.origin) else { continue }
        let old = origin.columns.firstIndex { $0.key == column.originColumn }
        // Links to tombstones are built together with the tombstones.
        if let old, table.tombstones == 0, let new = keptLinks(origin.position, old) {
          kept.append(
            KeptLinks(target: table, column: column.key, origin: origin, property: new))
          keptProperties[origin.position, default: []].insert(old)
        } else {
          needs[origin.position, default: []].insert(table.position)
        }
        if table.tombstones != 0 || losing.contains(table.position) {
          needs[table.position, default: []].insert(origin.position)
        }
      }
    }
    for table in schema.tables {
      for (i, column) in table.columns.enumerated() {
        guard let target = column.target.flatMap(schema.table) else { continue }
        if keptProperties[table.position]?.contains(i) != true {
          needs[table.position, default: []].insert(target.position)
        }
      }
    }
    return (kept, needs)
  }
}
