import RealmLegacy
import RealmModel
import RealmStorage

/// Checks that the primary keys of a class are unique. Nothing in formats 2 to 9 ensures this.
struct LegacyKeyCheck {
  /// The most bytes of hashes in memory.
  private static let memoryByteCount = 64 << 20

  private let realm: LegacyRealm
  private let position: Int
  private let nodes: NodeReader

  /// - Parameter position: position of the class.
  init(_ realm: LegacyRealm, position: Int, nodes: NodeReader) {
    (self.realm, self.position, self.nodes) = (realm, position, nodes)
  }

  /// - Throws: errors other than damage.
  func check(_ findings: inout Findings) throws(RealmFileError) {
    let objectClass = realm.schema.classes[position]
    guard let property = objectClass.primaryKey, let table = realm.layouts[position].table else {
      return
    }
    findings.about(
      Findings.Subject(
        at: table.ref, className: objectClass.name.text,
        property: objectClass.properties[property].name.text))
    do throws(RealmFileError) {
      try check(realm.layouts[position].columns[property], of: table, &findings)
    } catch {
      try findings.add(error)
    }
  }

  private func check(
    _ column: LegacyColumn, of table: LegacyTable, _ findings: inout Findings
  ) throws(RealmFileError) {
    let reader = LegacyReader(nodes, realm.lists)
    var values = try LegacyColumnReader(column, root: table.roots[column.slot], reader)
    let hashes = SortedRuns(width: 2, budget: MemoryBudget(limit: Self.memoryByteCount))
    for first in stride(from: 0, to: table.rowCount, by: 1000) {
      let mark = nodes.mark()
      defer { values.endScope(nodes.hold(since: mark)) }
      let rows = first..<min(first + 1000, table.rowCount)
      guard let scalars = try values.values(rows).scalars else { return }
      try hashes.append(
        rows.flatMap { [scalars[$0 - first].keyHash, UInt64($0)] })
    }
    try hashes.finish()
    var cells = try LegacyCells(column, root: table.roots[column.slot], reader)
    var last: (hash: UInt64, row: Int)?
    while case let records = try hashes.next(), !records.isEmpty {
      for i in stride(from: 0, to: records.count, by: 2) {
        let record = (hash: records[i], row: Int(records[i + 1]))
        defer { last = record }
        guard let last, last.hash == record.hash else { continue }
        let mark = nodes.mark()
        defer {
          cells.forgetLeaf()
          nodes.release(to: mark)
        }
        let (a, b) = (try cells.value(at: last.row), try cells.value(at: record.row))
        guard a.isSameKey(as: b) else { continue }
        findings.add(
          .keyDuplicate, object: Int64(record.row),
          "object \(last.row) has the same primary key")
      }
    }
  }
}

extension BatchValue {
  /// A hash of a primary key. It differs from one process to the next.
  fileprivate var keyHash: UInt64 {
    var hasher = Hasher()
    switch self {
    case .int(let number): hasher.combine(number)
    case .string(let bytes): hasher.combine(bytes.bytes)
    default: break
    }
    return UInt64(bitPattern: Int64(hasher.finalize()))
  }
}

extension MixedValue {
  fileprivate func isSameKey(as other: MixedValue) -> Bool {
    switch (self, other) {
    case (.null, .null): true
    case (.int(let a), .int(let b)): a == b
    case (.string(let a), .string(let b)): a == b
    default: false
    }
  }
}
