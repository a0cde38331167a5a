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
  /// What the parts of each index say together.
  private let wholes: Mutex<[IndexCheck.Part]>

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
    wholes = Mutex(indexes.map { _ in IndexCheck.Part(limit: context.limit) })
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
    let index = indexes[i]
    return VerifyPiece(at: index.column.index, className: index.table.className.text) {
      [self] (worker) throws(RealmFileError) in
      let part = try check(index, worker.reader).part(children, clusters: index.scan.clusters)
      // Its findings count if the whole index is right; an exact comparison has its own.
      return VerifyPiece.Outcome(Findings(limit: 0)) { [self] in
        wholes.withLock { $0[i].add(part) }
      }
    }
  }

  func finish() throws(RealmFileError) -> Findings {
    let wholes = wholes.withLock { $0 }
    var findings = Findings(limit: context.limit)
    let reader = try RealmReader(context.realm)
    for (index, whole) in zip(indexes, wholes) {
      let data = objects.indexedData(of: index.table, column: index.position)
      let isUnique = try check(index, reader).compare(whole, with: data, index.scan, &findings)
      if index.table.primaryKey == index.position, !isUnique {
        try reader.nodes.traversing { () throws(RealmFileError) in
          try KeyCheck(index.table, reader: reader)
            .checkUniqueness(in: index.scan.clusters, &findings)
        }
      }
    }
    return findings
  }
}
