package import RealmModel
package import RealmStorage

/// The nodes of a legacy realm and its lists of distinct strings. Used by one thread.
package final class LegacyReader {
  package let nodes: NodeReader
  private let lists: LegacyStringLists

  /// - Throws: the errors of an encrypted source.
  convenience init(_ snapshot: Snapshot, _ lists: LegacyStringLists) throws(RealmFileError) {
    self.init(try snapshot.makeReader(), lists)
  }

  package init(_ nodes: NodeReader, _ lists: LegacyStringLists) {
    (self.nodes, self.lists) = (nodes, lists)
  }

  /// The distinct strings of an enumerated column, in the list at `root`. They are readable as long as
  /// ``listHold``.
  ///
  /// - Throws: as ``LegacyStringLists/strings(at:isNullable:)``.
  package func strings(at root: Ref, isNullable: Bool) throws(RealmFileError) -> SliceColumn {
    try lists.strings(at: root, isNullable: isNullable)
  }

  /// Keeps the strings of the lists readable.
  private(set) lazy var listHold = Hold([lists])
}
