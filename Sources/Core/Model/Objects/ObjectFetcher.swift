package import RealmStorage

/// Reads objects of a realm by their keys, many at a time. Used by one thread.
package final class ObjectFetcher {
  private let assembler: BatchAssembler
  private var ledger: PartLedger { assembler.ledger }
  private var duplicateMembers = 0
  private var losses: [LostValues] = []

  /// - Throws: the errors of an encrypted realm.
  package init(
    _ realm: Realm, _ request: ObjectRequest = ObjectRequest()
  ) throws(RealmFileError) {
    assembler = try BatchAssembler(realm, request, PartLedger(lossLimit: 0))
  }

  /// The objects with `keys`, in that order, as many as fit into a batch.
  ///
  /// - Parameter keys: 1 to ``ObjectBatch/capacity`` keys.
  /// - Throws: `damaged`, with class, property and object if they are known; with rule `link.dangling` for an object
  ///   that does not exist.
  package func fetch(
    _ keys: [ObjectKey], of table: Table
  ) throws(RealmFileError) -> ObjectBatch {
    let nodes = assembler.reader.nodes
    let mark = nodes.mark()
    assembler.beginBatch()
    assembler.place = (table.className.text, nil)
    // The runs of large collections note the objects that they own when they are read, in the ledger of their batch. An
    // object can be in several batches.
    if assembler.request.damage != .leaveOut {
      duplicateMembers += ledger.take().duplicateMembers
      assembler.ledger = PartLedger(lossLimit: 0)
    }
    do {
      let batch = try nodes.traversing { () throws(RealmFileError) in
        var count = keys.count
        while true {
          let (mark, before) = (ledger.mark, nodes.openedByteCount)
          if let batch = try objects(Array(keys.prefix(count)), table) { return batch }
          ledger.forget(since: mark)
          nodes.uncount(to: before)
          count = max(1, count / 2)
        }
      }
      let report = ledger.take()
      duplicateMembers += report.duplicateMembers
      losses += report.lost
      return batch.owned(by: nodes.hold(since: mark))
    } catch {
      throw error.adding(className: table.className.text)
    }
  }

  /// The number of members of sets that were left out since the last call because they equal another member.
  func takeDuplicateMembers() -> Int {
    defer { duplicateMembers = 0 }
    return duplicateMembers
  }

  /// What could not be read since the last call and was left out, if the request allows that. Includes losses in runs
  /// of large collections that were read since.
  package func takeLosses() -> [LostValues] {
    let report = ledger.take()
    duplicateMembers += report.duplicateMembers
    defer { losses = [] }
    return losses + report.lost
  }

  /// Whether the object with `key` exists and can be found.
  ///
  /// - Throws: `damaged` with a rule of group `cluster`.
  package func contains(_ key: ObjectKey, of table: Table) throws(RealmFileError) -> Bool {
    let nodes = assembler.reader.nodes
    assembler.beginBatch()
    let mark = nodes.mark()
    defer {
      assembler.beginBatch()
      nodes.release(to: mark)
    }
    return try assembler.gatherer(of: table).contains(key)
  }

  /// - Returns: nil if several objects together have too many elements for one batch.
  private func objects(
    _ keys: [ObjectKey], _ table: Table
  ) throws(RealmFileError) -> ObjectBatch? {
    let gatherer = assembler.gatherer(of: table)
    var losses = ObjectGatherer.Losses()
    let places = try gatherer.places(of: keys, &losses)
    if let missing = places.firstIndex(where: { !$0.exists }) {
      throw RealmFileError(
        .damaged(.linkDangling), objectKey: keys[missing].raw, detail: "the object does not exist")
    }
    var room = BatchAssembler.Room()
    let isWanted = assembler.wantedColumns(of: table)
    var columns: [ColumnValues?] = []
    for (position, column) in table.columns.enumerated() {
      guard isWanted[position] else {
        columns.append(nil)
        continue
      }
      let leaf = try gatherer.values(column, of: places, &losses)
      assembler.place.property = column.name.text
      try assembler.leaveOut(losses, of: keys)
      losses = [:]
      guard let values = try assembler.values(column, leaf, owners: keys, &room) else { return nil }
      columns.append(values)
    }
    return ObjectBatch(
      classPosition: table.position, count: keys.count, keys: keys, columns: columns, owner: nil)
  }
}
