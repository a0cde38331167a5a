package import RealmModel
import RealmStorage

/// What a scan over the objects of a table checks.
package struct ObjectPlan: Sendable {
  package let table: Table
  /// True to scan the tombstones of the table instead of its objects.
  package let isTombstones: Bool
  /// Whether to check keys, leaves and collections. If false, the scan only collects links.
  package var checksValues = false
  /// Positions in the table of the columns whose links are summed.
  var linkColumns: Set<Int> = []
  /// Positions in the table of the backlink columns whose backlinks are summed.
  var backlinkColumns: Set<Int> = []
  /// Whether each object must have exactly one owner, named by the backlink columns.
  var hasOwners = false
  /// Columns to compare with their index, by position in the table.
  package var indexedColumns: [Int: IndexMethod] = [:]
  /// Slots of tables that exist but cannot be read: the scan cannot check links to them.
  var unreadableSlots: Set<Int> = []
  /// The pairs to collect individually: link and target, or word and object. Nil if none are needed.
  var collected: Collected?

  /// The pairs to collect, and the most that are kept.
  enum Collected {
    case links(to: TableKey, limit: Int)
    case backlinks(limit: Int)
    case words(limit: Int)
  }

  package init(_ table: Table, tombstones: Bool) {
    (self.table, isTombstones) = (table, tombstones)
  }

  /// True if the scan has nothing to check.
  package var isIdle: Bool {
    !checksValues && linkColumns.isEmpty && backlinkColumns.isEmpty && !hasOwners
      && indexedColumns.isEmpty
  }
}
