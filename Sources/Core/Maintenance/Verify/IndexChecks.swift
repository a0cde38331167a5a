import RealmModel
import RealmStorage
import Synchronization

/// Compares search indexes with the data (chapter 3, section 5). This also checks primary keys: a
/// correct index that lists no two objects together proves that they are unique.
final class IndexChecks: VerifyCheck {
  /// Number of children of an index root in one piece of work, with up to 1000 entries each.
  private static let childrenPerPiece = 8

  /// An indexed column.
  private struct Index: Sendable {
    let table: Table
    let position: Int
    let scan: ClusterTreeScan
    let method: IndexMethod
    var column: Column { table.columns[position] }
  }

  private let context: VerifyContext
  private let objects: ObjectChecks
  private let indexes: [Index]
  /// The parts of each index, by their first child. Pieces add them in any order.
  private let parts: Mutex<[[Int: IndexCheck.Part]]>

  init(_ context: VerifyContext, _ trees: ObjectTrees, _ objects: ObjectChecks) {
    (self.context, self.objects) = (context, objects)
    let indexes = context.tables.flatMap { table in
      let tree = trees.objects(of: table)
      return table.columns.indices.compactMap { position -> Index? in
        guard let tree, table.columns[position].index != 0 else { return nil }
        // A column that cannot have an index has no values to compare.
        return Index(
          table: table, position: position, scan: tree.scan,
          method: tree.plan.indexedColumns[position] ?? .whole)
      }
    }
    self.indexes = indexes
    parts = Mutex(indexes.map { _ in [:] })
  }

  private func check(_ index: Index, _ reader: RealmReader) -> IndexCheck {
    IndexCheck(
      index.column, of: index.table, index.method, reader: reader, limit: context.limit)
  }

  func pieces() throws(RealmFileError) -> [VerifyPiece] {
    let reader = try RealmReader(context.realm)
    var pieces: [VerifyPiece] = []
    for (i, index) in indexes.enumerated() {
      let count = check(index, reader).partCount
      guard count > 0 else {
        pieces.append(piece(i, children: nil))
        continue
      }
      for start in stride(from: 0, to: count, by: IndexChecks.childrenPerPiece) {
        pieces.append(
          piece(i, children: start..<min(start + IndexChecks.childrenPerPiece, count)))
      }
    }
    return pieces
  }

  private func piece(_ i: Int, children: Range<Int>?) -> VerifyPiece {
    VerifyPiece { [self] (worker) throws(RealmFileError) in
      let index = indexes[i]
      let part = try check(index, worker.reader).part(children, clusters: index.scan.clusters)
      parts.withLock { $0[i][children?.lowerBound ?? 0] = part }
      // The findings of the part count only if the index is not compared exactly; see `finish()`.
      return Findings(limit: 0)
    }
  }

  func finish() throws(RealmFileError) -> Findings {
    let parts = parts.withLock { $0 }
    var findings = Findings(limit: context.limit)
    let reader = try RealmReader(context.realm)
    for (index, parts) in zip(indexes, parts) {
      var whole = IndexCheck.Part(limit: context.limit)
      for (_, part) in parts.sorted(by: { $0.key < $1.key }) { whole.add(part) }
      let data = objects.indexedData(of: index.table, column: index.position)
      let isUnique = try check(index, reader).compare(whole, with: data, index.scan, &findings)
      if index.table.primaryKey == index.position, !isUnique {
        try KeyCheck(index.table, reader: reader)
          .checkUniqueness(in: index.scan.clusters, &findings)
      }
    }
    return findings
  }
}
