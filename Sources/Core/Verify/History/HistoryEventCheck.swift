import RealmModel
import RealmStorage
import RealmSync

/// Checks the record of the creation and the upgrades of a client history (chapter 4, sections 2.3 and 9).
struct HistoryEventCheck {
  /// Schema version of the history.
  let schemaVersion: Int
  let nodes: NodeReader

  /// - Throws: `damaged` for a node that cannot be opened.
  func run(at ref: Ref, _ findings: inout Findings) throws(RealmFileError) {
    let events: HistoryEvents
    do throws(RealmFileError) {
      events = try HistoryEvents(at: ref, nodes)
    } catch {
      return try HistoryEventCheck.add(error, &findings)
    }
    for i in 0..<events.count {
      do throws(RealmFileError) {
        _ = try events.event(i)
      } catch {
        try HistoryEventCheck.add(error, &findings)
      }
    }
    if events.lastSchemaVersion != Int64(schemaVersion) {
      findings.add(
        .historySchemaVersions, at: ref,
        "the record ends with schema version \(events.lastSchemaVersion), but the history has \(schemaVersion)"
      )
    }
  }

  /// Libraries do not need the record, so what is wrong with it is a warning.
  private static func add(
    _ error: RealmFileError, _ findings: inout Findings
  ) throws(RealmFileError) {
    guard error.kind == .damaged(.historyRoot) else { throw error }
    findings.add(.historySchemaVersions, at: error.offset, error.detail ?? "")
  }
}
