import RealmModel
import RealmStorage

/// Checks the record of the creation and the upgrades of a client history (chapter 4, sections 2.3 and 9).
struct HistoryEventCheck {
  /// Schema version of the history.
  let schemaVersion: Int
  let nodes: NodeReader

  /// - Throws: `damaged` for a node that cannot be opened.
  func run(at ref: Ref, _ findings: inout Findings) throws(RealmFileError) {
    let record = try nodes.lookUp(ref)
    guard record.hasRefs, record.count == StoredHistory.eventSlotCount else {
      findings.add(
        .historySchemaVersions, at: ref,
        "the record has \(record.form), expected \(StoredHistory.eventSlotCount) refs")
      return
    }
    var arrays: [Node] = []
    for slot in 0..<record.count { arrays.append(try nodes.lookUp(try record.ref(at: slot))) }
    let (versions, libraries) = (arrays[0], arrays[1])
    guard versions.isIntegers, libraries.hasRefs || libraries.count == 0,
      arrays[2].isIntegers, arrays[3].isIntegers,
      arrays.allSatisfy({ $0.count == versions.count })
    else {
      findings.add(
        .historySchemaVersions, at: ref,
        "found \(arrays.map(\.header.form).joined(separator: ", ")) in the record, expected equally many integers, refs, "
          + "integers and integers")
      return
    }
    guard versions.count <= StoredHistory.eventLimit else {
      findings.add(
        .historySchemaVersions, at: ref,
        "the record has \(versions.count) events, expected up to \(StoredHistory.eventLimit)")
      return
    }
    try checkLibraries(libraries, &findings)
    let last = versions.count > 0 ? versions.integer(at: versions.count - 1) : 0
    if last != Int64(schemaVersion) {
      findings.add(
        .historySchemaVersions, at: ref,
        "the record ends with schema version \(last), but the history has \(schemaVersion)")
    }
  }

  private func checkLibraries(_ libraries: Node, _ findings: inout Findings) throws(RealmFileError)
  {
    for event in 0..<libraries.count {
      let ref = try libraries.ref(at: event)
      guard ref != 0 else { continue }
      let name = try nodes.lookUp(ref)
      guard !name.isIntegers || name.count > StoredHistory.libraryLimit else { continue }
      findings.add(
        .historySchemaVersions, at: ref,
        "the version of the library of event \(event) has \(name.form), expected up to "
          + "\(StoredHistory.libraryLimit) integers")
    }
  }
}
