import RealmModel
import RealmStorage
import Synchronization

/// Compares search indexes with the objects (chapter 3, section 5). This also checks primary keys: they are
/// unique if their index is correct and has no two objects under one value.
final class IndexPass: VerifyPass {
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
  private let objects: ObjectPass
  private let indexes: [Index]
  /// The combined parts of each index.
  private let wholes: Mutex<[IndexCheck.Part]>

  init(_ context: VerifyContext, _ trees: ObjectTrees, _ objects: ObjectPass) {
    (self.context, self.objects) = (context, objects)
    let indexes = context.tables.flatMap { table in
      let tree = trees.objects(of: table)
      return table.columns.indices.compactMap { position -> Index? in
        guard let tree, table.columns[position].index != 0 else { return nil }
        // A column that cannot have an index has no method, and none is needed.
        return Index(
          table: table, position: position, scan: tree.scan,
          method: tree.plan.indexedColumns[position] ?? .whole)
      }
    }
    self.indexes = indexes
    wholes = Mutex(indexes.map { _ in IndexCheck.Part(limit: context.limit) })
  }

  private func check(_ index: Index, _ worker: VerifyWorker) -> IndexCheck {
    IndexCheck(
      index.column, of: index.table, index.method, worker: worker, limit: context.limit)
  }

  func pieces() throws(RealmFileError) -> [VerifyPiece] {
    let worker = try VerifyWorker(context.realm)
    var pieces: [VerifyPiece] = []
    for (i, index) in indexes.enumerated() {
      let count = check(index, worker).partCount
      guard count > 0 else {
        pieces.append(piece(i, children: nil))
        continue
      }
      for start in stride(from: 0, to: count, by: IndexPass.childrenPerPiece) {
        pieces.append(
          piece(i, children: start..<min(start + IndexPass.childrenPerPiece, count)))
      }
    }
    return pieces
  }

  private func piece(_ i: Int, children: Range<Int>?) -> VerifyPiece {
    let index = indexes[i]
    return VerifyPiece(at: index.column.index, className: index.table.className.text) {
      [self] worker in
      let part = check(index, worker).part(children, clusters: index.scan.clusters)
      // `finish` adds the findings of the part, unless an exact comparison repeats them.
      return VerifyPiece.Outcome(Findings(limit: 0)) { [self] in
        wholes.withLock { $0[i].add(part) }
      }
    }
  }

  func finish() throws(RealmFileError) -> Findings {
    let wholes = wholes.withLock { $0 }
    var findings = Findings(limit: context.limit)
    let worker = try VerifyWorker(context.realm)
    for (index, whole) in zip(indexes, wholes) {
      let data = objects.indexedData(of: index.table, column: index.position)
      let isUnique = try check(index, worker).compare(whole, with: data, index.scan, &findings)
      if index.table.primaryKey == index.position, !isUnique {
        try worker.nodes.traversing { () throws(RealmFileError) in
          try KeyCheck(index.table, reader: worker.reader)
            .checkPrimaryKeys(in: index.scan.clusters, &findings)
        }
      }
    }
    return findings
  }
}
