public import RealmModel
import RealmStorage

/// Checks the history of a realm by the rules of chapter 4, section 9.
public struct HistoryCheck {
  /// Newest schema version of each kind of history, by its code (section 1.1).
  private static let newestSchemas: [Int: Int] = [0: 0, 2: 1, 3: 12, 4: 20]
  /// Slots of a top array that holds a file identifier.
  private static let identSlotCount = 11
  /// Objects of tables without primary key carry the identifier in 30 bits of their key.
  private static let identLimit = 0x3FFF_FFFF

  private let reader: RealmReader
  private let now: Int64?

  /// - Parameters:
  ///   - reader: belongs to the check while it runs; may have been used before.
  ///   - now: milliseconds since 1970, to tell entries from the future; nil not to look for them.
  public init(reader: RealmReader, now: Int64?) {
    self.reader = reader
    self.now = now
  }

  /// Checks the history of whatever kind.
  public func check(report: (Defect) -> Void) {
    let top = reader.realm.snapshot.top
    var defects = DefectCollector()
    defer { defects.flush(report) }
    guard checkTop(&defects) else { return }
    guard top.history != 0 else { return }
    switch top.historyType {
    case HistoryKind.inRealm.rawValue: checkLocal(&defects)
    case HistoryKind.syncClient.rawValue
    where top.historySchemaVersion >= ClientHistoryCheck.oldestSchema:
      let check = ClientHistoryCheck(reader: reader, now: now)
      do throws(RealmFileError) {
        try check.run(&defects)
      } catch {
        defects.add("history.node", error.description, at: error.offset ?? top.history)
      }
    default: return
    }
  }

  /// - Returns: false where the history cannot be what the top array says.
  private func checkTop(_ defects: inout DefectCollector) -> Bool {
    let top = reader.realm.snapshot.top
    guard top.ref != 0 else { return false }
    if top.count > TopSlots.type, top.count <= TopSlots.schemaVersion {
      defects.add("history.top", "the top array ends in the middle of the history", at: top.ref)
      return false
    }
    guard let newest = HistoryCheck.newestSchemas[top.historyType] else {
      defects.add("history.top", "history type \(top.historyType) is not used", at: top.ref)
      return false
    }
    if top.historyType == 0, top.history != 0 {
      defects.add("history.top", "a history without a type", at: top.ref)
    }
    if top.historySchemaVersion > newest {
      defects.add(
        "history.top", "schema version \(top.historySchemaVersion) of the history is too new",
        at: top.ref)
      return false
    }
    if top.historyType == HistoryKind.syncClient.rawValue, top.historySchemaVersion >= 10,
      top.count < HistoryCheck.identSlotCount
    {
      defects.add("history.top", "the slot of the file identifier is missing", at: top.ref)
    }
    if top.fileIdent > HistoryCheck.identLimit {
      defects.add(
        "history.ident-range", "the file identifier is \(top.fileIdent)", at: top.ref)
    }
    return true
  }

  /// Slots of the top array.
  private enum TopSlots {
    static let type = 7
    static let schemaVersion = 9
  }

  private func checkLocal(_ defects: inout DefectCollector) {
    let top = reader.realm.snapshot.top
    do throws(RealmFileError) {
      let count = try HistoryCheck.count(root: top.history, reader.nodes)
      if count > top.version {
        defects.add(
          "history.local-length", "\(count) entries for version \(top.version)", at: top.history)
      }
    } catch {
      defects.add("history.node", error.description, at: error.offset ?? top.history)
    }
  }

  /// Number of values of a B+tree of binaries, each of which is looked at.
  static func count(root: Ref, _ nodes: NodeReader) throws(RealmFileError) -> Int {
    try nodes.traversing { () throws(RealmFileError) in
      var count = 0
      var leaves = BinaryColumn(root: root, nodes: nodes)
      while true {
        let mark = nodes.mark()
        defer { nodes.release(to: mark) }
        guard let values = try leaves.next() else { return count }
        count += values.count
      }
    }
  }
}
