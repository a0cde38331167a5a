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
}
