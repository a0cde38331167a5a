import RealmModel
package import RealmStorage

/// The kind of history that a realm has, from top slot 7 (chapter 4, section 1.1).
public enum HistoryKind: Int, Sendable {
  case none = 0
  /// Separate log files, in very old realms. No current library supports them.
  case outOfRealm = 1
  /// Transaction logs for other processes, in every local realm.
  case inRealm = 2
  case syncClient = 3
  case syncServer = 4

  /// - Throws: `unknownHistory` for any other code.
  package init(of top: TopArray) throws(RealmFileError) {
    guard let kind = HistoryKind(rawValue: top.historyType) else {
      throw RealmFileError(.unknownHistory(top.historyType), offset: top.ref)
    }
    self = kind
  }

  /// Whether a realm that has the history of a client or server, by its type, has the root of a local history instead: a tree of
  /// binaries. The reference opens it.
  package static func isLocal(_ top: TopArray, _ nodes: NodeReader) throws(RealmFileError) -> Bool {
    guard [syncClient, syncServer].contains(HistoryKind(rawValue: top.historyType)),
      top.history != 0
    else { return false }
    do throws(RealmFileError) {
      let root = try nodes.lookUp(top.history)
      // Offsets, bytes and null flags of a leaf; a leaf of long values and an inner node have other flags than other roots.
      guard root.hasRefs, root.count == 3 || root.hasContext || root.isInner else { return false }
      _ = try BinaryColumn.count(root: top.history, nodes: nodes)
      return true
    } catch {
      guard error.isDamage else { throw error }
      return false
    }
  }
}
