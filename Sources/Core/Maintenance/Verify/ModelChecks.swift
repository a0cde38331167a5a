import RealmModel
import RealmStorage
import RealmSync
import Synchronization

/// Search indexes against the data (chapter 3, section 5): a piece for each index.
struct IndexChecks: VerifyCheck {
  let context: VerifyContext

  func pieces() -> [VerifyPiece] {
    context.tables.flatMap { table in
      table.columns.filter { $0.index != 0 }.map { column in
        VerifyPiece { (worker) throws(RealmFileError) in
          try IndexCheck(reader: worker.reader, limit: context.limit).check(column, of: table)
        }
      }
    }
  }
}

/// Primary keys (chapter 3, section 4): a piece for each table.
struct KeyChecks: VerifyCheck {
  let context: VerifyContext

  func pieces() -> [VerifyPiece] {
    context.tables.map { table in
      VerifyPiece { (worker) throws(RealmFileError) in
        try KeyCheck(reader: worker.reader, limit: context.limit).check(table)
      }
    }
  }
}

/// Links against backlinks (chapter 3, section 6): both sides become sums, some clusters at a time.
final class LinkChecks: VerifyCheck {
  /// Clusters in one piece of work: 8,192 objects.
  private static let clustersPerPiece = 32

  private let context: VerifyContext
  private let sides = Mutex(LinkSides())

  init(_ context: VerifyContext) { self.context = context }

  private func check(_ reader: RealmReader) -> LinkCheck {
    LinkCheck(
      reader: reader, tables: context.classes == nil ? nil : Set(context.tables.map(\.key)),
      unreadableSlots: context.unreadableSlots, limit: context.limit)
  }

  func pieces() throws(RealmFileError) -> [VerifyPiece] {
    var pieces: [VerifyPiece] = []
    let reader = try RealmReader(context.realm)
    let check = check(reader)
    for table in context.realm.schema.tables {
      for tombstones in [false, true] where !check.isIdle(table, tombstones: tombstones) {
        do throws(RealmFileError) {
          let clusters = try reader.nodes.traversing { () throws(RealmFileError) in
            try reader.clusters(of: table, tombstones: tombstones)
          }
          append(clusters, of: table, tombstones: tombstones, to: &pieces)
        } catch {
          sides.withLock { $0.add(check.unread(table, error)) }
        }
      }
    }
    return pieces
  }

  private func append(
    _ clusters: [ClusterPosition], of table: Table, tombstones: Bool,
    to pieces: inout [VerifyPiece]
  ) {
    for start in stride(from: 0, to: clusters.count, by: LinkChecks.clustersPerPiece) {
      let some = clusters[start..<min(start + LinkChecks.clustersPerPiece, clusters.count)]
      pieces.append(
        VerifyPiece { [self] (worker) in
          let part = check(worker.reader).sides(of: table, in: some, tombstones: tombstones)
          sides.withLock { $0.add(part.sides) }
          return part.findings
        })
    }
  }

  func finish() throws(RealmFileError) -> Findings {
    try check(try RealmReader(context.realm)).findings(of: sides.withLock { $0 })
  }
}

/// The history (chapter 4, section 9).
struct HistoryChecks: VerifyCheck {
  let context: VerifyContext
  /// Milliseconds since 1970, nil not to look for changes from the future.
  let now: Int64?

  func pieces() -> [VerifyPiece] {
    [
      VerifyPiece { (worker) throws(RealmFileError) in
        try HistoryCheck(reader: worker.reader, now: now, limit: context.limit).check()
      }
    ]
  }
}
