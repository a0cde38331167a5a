package import RealmModel
package import RealmStorage

/// Finds the objects that two realms have in common.
package enum ObjectJoin {
  /// The objects or the tombstones of a class in a realm.
  package struct Side {
    let realm: Realm
    let table: Table
    let isTombstones: Bool

    package init(_ realm: Realm, _ table: Table, isTombstones: Bool = false) {
      (self.realm, self.table, self.isTombstones) = (realm, table, isTombstones)
    }
  }

  /// Finds the pairs of objects with equal primary keys, or with the same object key in a class without one.
  ///
  /// - Returns: pairs of object keys, in no particular order.
  /// - Throws: the errors of ``pairsByPrimaryKey(_:_:_:)``.
  package static func pairs(
    _ a: Side, _ b: Side, _ budget: MemoryBudget
  ) throws(RealmFileError) -> [(a: ObjectKey, b: ObjectKey)] {
    guard a.table.primaryKey == nil else { return try pairsByPrimaryKey(a, b, budget) }
    return common(try a.realm.objectKeys(of: a.table), try b.realm.objectKeys(of: b.table)).map {
      ($0, $0)
    }
  }

  /// The keys that are in both lists, which must ascend.
  static func common(_ a: [ObjectKey], _ b: [ObjectKey]) -> [ObjectKey] {
    var (i, j) = (0, 0)
    var both: [ObjectKey] = []
    while i < a.count, j < b.count {
      if a[i] == b[j] { both.append(a[i]) }
      let isBehind = a[i].raw <= b[j].raw
      if b[j].raw <= a[i].raw { j += 1 }
      if isBehind { i += 1 }
    }
    return both
  }

  /// Finds the pairs of objects with equal primary keys.
  ///
  /// Memory: 16 bytes per object of both sides, within `budget`.
  ///
  /// - Returns: pairs of object keys, in no particular order.
  /// - Throws: `damaged`, with rule `key.duplicate` if two objects of one side (not tombstones) have primary keys
  ///   with the same hash; the errors of temporary files.
  package static func pairsByPrimaryKey(
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

extension Realm {
  /// The keys of all objects or tombstones of a class, ascending.
  package func objectKeys(
    of table: Table, tombstones: Bool = false
  ) throws(RealmFileError) -> [ObjectKey] {
    let reader = try RealmReader(self)
    return try reader.nodes.traversing { () throws(RealmFileError) in
      var keys: [ObjectKey] = []
      for cluster in try reader.clusters(of: table, tombstones: tombstones) {
        let mark = reader.nodes.mark()
        defer { reader.nodes.release(to: mark) }
        keys += try reader.cluster(cluster).allKeys
      }
      return keys
    }
  }
}
