package import RealmModel
package import RealmStorage
import RealmSync

/// Checks the history (chapter 4, section 9), in one piece.
struct HistoryPass: VerifyPass {
  let context: VerifyContext
  /// Milliseconds since 1970, to find entries from the future; nil to skip this check.
  let now: Int64?

  func pieces() -> [VerifyPiece] {
    [
      VerifyPiece { (worker) throws(RealmFileError) in
        var findings = Findings(limit: context.limit)
        try HistoryCheck(reader: worker.reader, now: now).check(&findings)
        return VerifyPiece.Outcome(findings)
      }
    ]
  }
}

/// Checks the history of a realm by the rules of chapter 4, section 9.
package struct HistoryCheck {
  /// The newest schema version of each history kind, by its code (section 1.1).
  private static let newestSchemas: [Int: Int] = [0: 0, 2: 1, 3: 12, 4: 20]
  /// Schema versions that no library wrote, by the code of the history kind (section 1.1).
  private static let unusedSchemas: [Int: ClosedRange<Int>] = [3: 3...9, 4: 11...19]
  /// Numbers of slots of the root of a server's history: 7 in schema version 3, 11 in version 20 (section 1.6).
  private static let serverSlots = 7...11
  /// Number of slots of a top array with a file identifier.
  private static let identSlotCount = 11
  /// Object keys in tables without a primary key contain the identifier in 30 bits.
  private static let identLimit = 0x3FFF_FFFF

  private let reader: RealmReader
  private let now: Int64?

  /// - Parameter now: milliseconds since 1970, to find entries from the future; nil to skip this check.
  package init(reader: RealmReader, now: Int64?) {
    self.reader = reader
    self.now = now
  }

  /// Checks a history of any kind.
  ///
  /// - Throws: errors other than damage.
  package func check(_ findings: inout Findings) throws(RealmFileError) {
    let top = reader.realm.snapshot.top
    findings.about(
      Findings.Subject(
        at: top.history == 0 ? top.ref : top.history, ruleLimit: Findings.columnRuleLimit))
    do throws(RealmFileError) {
      try check(top, &findings)
    } catch {
      try findings.add(error)
    }
  }

  private func check(_ top: TopArray, _ findings: inout Findings) throws(RealmFileError) {
    guard checkTop(&findings) else { return }
    guard top.history != 0 else { return }
    if try HistoryKind.isLocal(top, reader.nodes) {
      findings.add(
        Finding(
          .historyRoot, .warning, at: top.history,
          "the type of the history is \(top.historyType), but its root is that of a local one, type 2"
        ))
      return try checkLocal(&findings)
    }
    switch top.historyType {
    case HistoryKind.inRealm.rawValue: try checkLocal(&findings)
    case HistoryKind.syncClient.rawValue
    where top.historySchemaVersion >= ClientHistoryCheck.oldestSchema:
      try ClientHistoryCheck(reader: reader, now: now).run(&findings)
    case HistoryKind.syncClient.rawValue:
      // Of a history from before 2020, only the root and the number of entries are checked.
      _ = try ClientHistory(reader.realm.snapshot)
    case HistoryKind.syncServer.rawValue: try checkServer(&findings)
    default: return
    }
  }

  /// - Returns: false if the history cannot be checked any further.
  private func checkTop(_ findings: inout Findings) -> Bool {
    let top = reader.realm.snapshot.top
    guard top.ref != 0 else { return false }
    if top.count > TopArray.Slot.historyType, top.count <= TopArray.Slot.historySchemaVersion {
      findings.add(
        .historyTop, at: top.ref,
        "the top array has \(top.count) slots, and so not all slots for the history")
      return false
    }
    guard let newest = HistoryCheck.newestSchemas[top.historyType] else {
      findings.add(
        .historyTop, at: top.ref,
        "the history kind is \(top.historyType), expected 0, 2, 3 or 4")
      return false
    }
    if top.historySchemaVersion > newest {
      findings.add(
        .historyTop, at: top.ref,
        "the history has schema version \(top.historySchemaVersion), expected at most \(newest)")
      return false
    }
    if HistoryCheck.unusedSchemas[top.historyType]?.contains(top.historySchemaVersion) == true {
      findings.add(
        .historyTop, at: top.ref,
        "the history has schema version \(top.historySchemaVersion), which no library wrote")
      return false
    }
    if top.historyType == HistoryKind.syncClient.rawValue, top.historySchemaVersion >= 10,
      top.count < HistoryCheck.identSlotCount
    {
      findings.add(
        .historyTop, at: top.ref,
        "the top array has no slot for the file identifier")
    }
    if top.fileIdent > HistoryCheck.identLimit {
      findings.add(
        .historyIdentRange, at: top.ref,
        "the file identifier is \(top.fileIdent), expected at most \(HistoryCheck.identLimit)")
    }
    return true
  }

  /// Checks only the root: changesets of servers are not read (section 1.6).
  private func checkServer(_ findings: inout Findings) throws(RealmFileError) {
    let top = reader.realm.snapshot.top
    let root = try reader.nodes.lookUp(top.history)
    let slots = HistoryCheck.serverSlots
    if !root.hasRefs || root.isInner || root.hasContext || !slots.contains(root.count) {
      findings.add(
        .historyRoot, at: root.ref,
        "the root of a server's history has \(root.form), expected \(slots.lowerBound) to "
          + "\(slots.upperBound) slots")
    }
  }

  private func checkLocal(_ findings: inout Findings) throws(RealmFileError) {
    let top = reader.realm.snapshot.top
    let count = try HistoryCheck.count(root: top.history, reader.nodes)
    if count > top.version {
      findings.add(
        .historyLocalLength,
        "\(count) entries at version \(top.version), expected at most one for each version")
    }
  }

  /// Number of values in a B+tree of binaries. Reads all leaves.
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
