import RealmStorage

/// What a scan over the objects of a table looks at.
package struct ObjectPlan: Sendable {
  package let table: Table
  /// The tombstones of the table instead of its objects.
  package let isTombstones: Bool
  /// Checks of keys, leaves and collections; otherwise links are collected only.
  package var checksValues = false
  /// Columns whose links count, by position in the table.
  var linkColumns: Set<Int> = []
  /// Backlink columns whose backlinks count, by position in the table.
  var backlinkColumns: Set<Int> = []
  /// Whether each object must have one owner, which the backlink columns name.
  var hasOwners = false
  /// Columns whose values are compared with an index, by position in the table.
  package var indexedColumns: [Int: IndexMethod] = [:]
  /// Slots of tables that exist and cannot be read: nothing is known of links to them.
  var unreadableSlots: Set<Int> = []
  /// Whose pairs of link and target, or of word and object, are collected one by one.
  var collected: Collected?

  /// What is collected pair by pair, and how many pairs at most.
  enum Collected {
    case links(to: TableKey, limit: Int)
    case backlinks(limit: Int)
    case words(limit: Int)
  }

  package init(_ table: Table, tombstones: Bool) {
    (self.table, isTombstones) = (table, tombstones)
  }

  /// True where there is nothing to look at.
  package var isIdle: Bool {
    !checksValues && linkColumns.isEmpty && backlinkColumns.isEmpty && !hasOwners
      && indexedColumns.isEmpty
  }
}
