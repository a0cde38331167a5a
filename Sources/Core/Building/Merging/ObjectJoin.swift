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
    return try a.realm.common(a.table, try b.realm.objectKeys(of: b.table)).map { ($0, $0) }
  }

  /// Whether so few objects are looked up in a table that reading all of the table takes longer.
  fileprivate static func areFew(_ count: Int, in table: Table) -> Bool {
    count <= table.objectCount / 16
  }

  /// The keys that are in both lists, which must ascend.
  fileprivate static func common(_ a: [ObjectKey], _ b: [ObjectKey]) -> [ObjectKey] {
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
  /// Few objects of `b` are looked up in the index of `a`, if it has one. Otherwise all objects of both sides are read.
  /// Memory: 16 bytes per object of both sides, within `budget`.
  ///
  /// - Returns: pairs of object keys, in no particular order.
  /// - Throws: `damaged`, with rule `key.duplicate` if two objects of one side (not tombstones) have primary keys
  ///   with the same hash; the errors of temporary files.
  package static func pairsByPrimaryKey(
    _ a: Side, _ b: Side, _ budget: MemoryBudget
  ) throws(RealmFileError) -> [(a: ObjectKey, b: ObjectKey)] {
    if let pairs = try lookedUp(b, in: a) { return pairs }
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

  /// The pairs, found by looking up the objects of `b` in the index of `a`.
  ///
  /// - Returns: nil if `a` has no index, or if there are many objects in `b`.
  private static func lookedUp(
    _ b: Side, in a: Side
  ) throws(RealmFileError) -> [(a: ObjectKey, b: ObjectKey)]? {
    guard !a.isTombstones, let position = a.table.primaryKey, a.table.columns[position].index != 0,
      areFew(b.isTombstones ? 0 : b.table.objectCount, in: a.table),
      case let clusters = try a.realm.clusters(of: a.table),
      case let other = try values(b), areFew(other.count, in: a.table)
    else { return nil }
    let column = a.table.columns[position]
    var stored = try StoredValues(column, clusters, a.realm)
    let nodes = try a.realm.snapshot.makeReader()
    var pairs: [(a: ObjectKey, b: ObjectKey)] = []
    for (key, value) in other {
      let mark = nodes.mark()
      defer { nodes.release(to: mark) }
      let candidates = try value.withData { (data) throws(RealmFileError) in
        try IndexSearch(column, nodes).candidates(for: data, limit: .max)
      }
      var found: ObjectKey?
      for candidate in candidates ?? [] where try stored.value(of: candidate) == value {
        guard found == nil else { throw duplicate(candidate, a) }
        found = candidate
      }
      if let found { pairs.append((found, key)) }
    }
    return pairs
  }

  /// The primary keys of the objects of a side.
  private static func values(
    _ side: Side
  ) throws(RealmFileError) -> [(key: ObjectKey, value: IndexedBytes)] {
    guard let position = side.table.primaryKey else { return [] }
    let column = side.table.columns[position]
    let reader = try RealmReader(side.realm)
    return try reader.nodes.traversing { () throws(RealmFileError) in
      var values: [(key: ObjectKey, value: IndexedBytes)] = []
      for position in try reader.clusters(of: side.table, tombstones: side.isTombstones) {
        let mark = reader.nodes.mark()
        defer { reader.nodes.release(to: mark) }
        let cluster = try reader.cluster(position)
        IndexData.forEach(in: try reader.batch(column, of: cluster)) { row, data in
          values.append((cluster.key(at: row), IndexedBytes(data)))
        }
      }
      return values
    }
  }

  private static func duplicate(_ key: ObjectKey, _ side: Side) -> RealmFileError {
    RealmFileError(
      .damaged(.keyDuplicate), className: side.table.className.text, objectKey: key.raw,
      detail: "another object of the class has the same primary key")
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
        throw ObjectJoin.duplicate(key, side)
      }
      last = hash
      return (hash, key)
    }
  }
}

extension Realm {
  /// Those of `keys`, which must ascend, that objects of a class have.
  func common(
    _ table: Table, _ keys: [ObjectKey]
  ) throws(RealmFileError) -> [ObjectKey] {
    guard ObjectJoin.areFew(keys.count, in: table) else {
      return ObjectJoin.common(try objectKeys(of: table), keys)
    }
    let reader = try RealmReader(self)
    var common: [ObjectKey] = []
    for key in keys where try reader.find(key, in: table) != nil { common.append(key) }
    return common
  }

  /// The largest key of the objects of a class; -1 if there are none.
  func lastKey(of table: Table) throws(RealmFileError) -> Int64 {
    let reader = try RealmReader(self)
    for place in try clusters(of: table).reversed() {
      let cluster = try reader.cluster(place)
      if cluster.count > 0 { return cluster.key(at: cluster.count - 1).raw }
    }
    return -1
  }

  /// The clusters of a class, in the order of their keys.
  func clusters(of table: Table) throws(RealmFileError) -> [ClusterPosition] {
    let reader = try RealmReader(self)
    return try reader.nodes.traversing { () throws(RealmFileError) in
      try reader.clusters(of: table)
    }
  }

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
