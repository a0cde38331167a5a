import RealmModel
import RealmStorage

/// Finds the objects of two realms with equal primary keys.
enum PrimaryKeyJoin {
  /// The objects or the tombstones of a class in a realm.
  struct Side {
    let realm: Realm
    let table: Table
    let isTombstones: Bool

    init(_ realm: Realm, _ table: Table, isTombstones: Bool = false) {
      (self.realm, self.table, self.isTombstones) = (realm, table, isTombstones)
    }
  }

  /// Finds the pairs of objects with equal primary keys.
  ///
  /// Memory: 16 bytes per object of both sides, within `budget`.
  ///
  /// - Returns: pairs of object keys, in no particular order.
  /// - Throws: `damaged`, with rule `key.duplicate` if two objects of one side (not tombstones) have primary keys
  ///   with the same hash; the errors of temporary files.
  static func pairs(
    _ a: Side, _ b: Side, _ budget: MemoryBudget
  ) throws(RealmFileError) -> [(a: ObjectKey, b: ObjectKey)] {
    var first = Hashes(a, try hashes(a, budget))
    var second = Hashes(b, try hashes(b, budget))
    var pairs: [(a: ObjectKey, b: ObjectKey)] = []
    var (x, y) = (try first.next(), try second.next())
    while let one = x, let other = y {
      if one.hash == other.hash { pairs.append((one.key, other.key)) }
      if one.hash < other.hash { x = try first.next() } else { y = try second.next() }
    }
    return pairs
  }

  /// The hash of the primary key and the object key of each object, sorted.
  private static func hashes(
    _ side: Side, _ budget: MemoryBudget
  ) throws(RealmFileError) -> SortedRuns {
    let runs = SortedRuns(width: 2, budget: budget)
    guard let position = side.table.primaryKey else { return runs }
    let column = side.table.columns[position]
    let reader = try RealmReader(side.realm)
    try reader.nodes.traversing { () throws(RealmFileError) in
      for position in try reader.clusters(of: side.table, tombstones: side.isTombstones) {
        let mark = reader.nodes.mark()
        defer { reader.nodes.release(to: mark) }
        let cluster = try reader.cluster(position)
        var records: [UInt64] = []
        IndexData.forEach(in: try reader.batch(column, of: cluster)) { row, data in
          records.append(data.linkHash)
          records.append(UInt64(bitPattern: cluster.key(at: row).raw))
        }
        try runs.append(records)
      }
    }
    try runs.finish()
    return runs
  }

  /// The objects of one side, sorted by hash.
  private struct Hashes {
    private let side: Side
    private let runs: SortedRuns
    private var words: [UInt64] = []
    private var position = 0
    private var last: UInt64?

    init(_ side: Side, _ runs: SortedRuns) { (self.side, self.runs) = (side, runs) }

    mutating func next() throws(RealmFileError) -> (hash: UInt64, key: ObjectKey)? {
      if position == words.count { (words, position) = (try runs.next(), 0) }
      guard position < words.count else { return nil }
      defer { position += 2 }
      let hash = words[position]
      let key = ObjectKey(Int64(bitPattern: words[position + 1]))
      guard hash != last || side.isTombstones else {
        throw RealmFileError(
          .damaged(.keyDuplicate), className: side.table.className.text, objectKey: key.raw,
          detail: "another object of the class has the same primary key")
      }
      last = hash
      return (hash, key)
    }
  }
}
