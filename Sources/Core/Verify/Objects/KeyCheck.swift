import RealmModel
import RealmStorage

/// Checks object keys, and the primary keys of tables without an index on them (chapter 3, section 4), in one
/// piece per table. ``IndexPass`` checks primary keys with an index.
struct KeyPass: VerifyPass {
  let context: VerifyContext
  let trees: ObjectTrees

  func pieces() -> [VerifyPiece] {
    context.tables.map { table in
      VerifyPiece(at: table.ref, className: table.className.text) {
        (worker) throws(RealmFileError) in
        var findings = Findings(limit: context.limit)
        let check = KeyCheck(table, reader: worker.reader)
        try check.checkObjectKeys(&findings)
        let isHashed = context.realm.snapshot.fileFormat.primaryKeys == .hashed
        if let primaryKey = table.primaryKey, table.columns[primaryKey].index == 0 || isHashed {
          try check.checkPrimaryKeys(
            in: trees.objects(of: table)?.scan.clusters ?? [], &findings)
        }
        return VerifyPiece.Outcome(findings)
      }
    }
  }
}

/// Checks the primary keys of a table, and the object keys made from them (chapter 3, sections 4.5 to 4.7).
struct KeyCheck {
  /// The most hashes of primary keys in memory at once, 8 MiB. A larger table is read several times.
  private static let hashLimit = 1 << 20
  /// The most repeated hashes whose objects are compared at once.
  private static let repeatedLimit = 1 << 16

  private let reader: RealmReader
  private let table: Table

  init(_ table: Table, reader: RealmReader) { (self.table, self.reader) = (table, reader) }

  private var column: Column? { table.primaryKey.map { table.columns[$0] } }

  private func begin(_ findings: inout Findings) {
    findings.about(
      Findings.Subject(
        at: table.ref, className: table.className.text, property: column?.name.text,
        ruleLimit: Findings.columnRuleLimit))
  }

  // MARK: Primary keys

  /// Checks that no two objects have the same primary key, and that object keys are made from it if the format finds
  /// objects by them. The first is not necessary if the index of the primary key is correct and has each value once. Must
  /// run in a traversal, which counts the first reading of the objects.
  ///
  /// - Throws: errors other than damage.
  func checkPrimaryKeys(
    in clusters: [ClusterPosition], _ findings: inout Findings
  ) throws(RealmFileError) {
    guard let column else { return }
    begin(&findings)
    let isHashed = reader.realm.snapshot.fileFormat.primaryKeys == .hashed
    let collisions = isHashed ? knownCollisions : []
    let named = Dictionary(
      collisions.map { (GlobalKey(high: UInt64(bitPattern: $0.high), low: $0.low), $0.key) }
    ) { first, _ in first }
    let rounds = UInt64(1 + clusters.count * Cluster.capacity / KeyCheck.hashLimit)
    for round in 0..<rounds {
      var hashes: [UInt64] = []
      let failure = forEachCluster(in: clusters, again: round > 0) {
        cluster throws(RealmFileError) in
        let batch = try reader.batch(column, of: cluster)
        if isHashed, round == 0 { checkHashes(batch, of: cluster, named, &findings) }
        IndexData.forEach(in: batch) { _, data in
          let hash = data.hash
          if hash % rounds == round { hashes.append(hash) }
        }
      }
      if let failure, round == 0 {
        try findings.addUnread(.keyNotCompared, "primary keys cannot be read", because: failure)
      }
      hashes.sort()
      var repeated = Set<UInt64>()
      for (a, b) in zip(hashes, hashes.dropFirst()) where a == b {
        guard repeated.count < KeyCheck.repeatedLimit else { break }
        repeated.insert(a)
      }
      if !repeated.isEmpty { compare(repeated, column, clusters, &findings) }
    }
  }

  /// Checks the keys of the objects of a cluster against their primary keys.
  private func checkHashes(
    _ batch: LeafValues, of cluster: Cluster, _ named: [GlobalKey: ObjectKey],
    _ findings: inout Findings
  ) {
    for row in 0..<cluster.count {
      guard let global = GlobalKey(primaryKey: batch.value(at: row)) else { continue }
      let expected = named[global] ?? global.hashedKey
      guard case let key = cluster.key(at: row), key != expected else { continue }
      findings.add(
        .keyHash, at: cluster.ref, object: key.raw,
        "the object has key \(key.raw), expected \(expected.raw) from its primary key")
    }
  }

  /// Compares the objects with one of the hashes `repeated`, and reports those with equal primary keys.
  private func compare(
    _ repeated: Set<UInt64>, _ column: Column, _ clusters: [ClusterPosition],
    _ findings: inout Findings
  ) {
    let mark = reader.nodes.mark()
    defer { reader.nodes.release(to: mark) }
    var first: [UInt64: [(data: IndexData, key: ObjectKey)]] = [:]
    _ = forEachCluster(in: clusters, again: true, keepingOpen: true) {
      cluster throws(RealmFileError) in
      IndexData.forEach(in: try reader.batch(column, of: cluster)) { row, data in
        let hash = data.hash
        guard repeated.contains(hash) else { return }
        if let other = first[hash]?.first(where: { $0.data == data }) {
          findings.add(
            .keyDuplicate, at: cluster.ref, object: cluster.key(at: row).raw,
            "the object has the same primary key as object \(other.key.raw)")
        } else {
          first[hash, default: []].append((data, cluster.key(at: row)))
        }
      }
    }
  }

  /// Calls `body` for each cluster.
  ///
  /// - Parameters:
  ///   - again: true if the clusters were read before. The current traversal then does not count them.
  ///   - keepingOpen: whether to keep the opened nodes instead of releasing them after each cluster.
  /// - Returns: the first reason why values cannot be read; nil if all can be read.
  private func forEachCluster(
    in clusters: [ClusterPosition], again: Bool = false, keepingOpen: Bool = false,
    _ body: (Cluster) throws(RealmFileError) -> Void
  ) -> RealmFileError? {
    guard !again else {
      return reader.nodes.traversing {
        forEachCluster(in: clusters, keepingOpen: keepingOpen, body)
      }
    }
    var failure: RealmFileError?
    for position in clusters {
      let mark = reader.nodes.mark()
      defer { if !keepingOpen { reader.nodes.release(to: mark) } }
      do throws(RealmFileError) {
        try body(try reader.cluster(position))
      } catch {
        failure = error.first(of: failure)
      }
    }
    return failure
  }

  // MARK: Object keys

  /// Checks the collision map and the keys of tombstones. Must run in a traversal.
  ///
  /// - Throws: errors other than damage.
  func checkObjectKeys(_ findings: inout Findings) throws(RealmFileError) {
    begin(&findings)
    let collisions = knownCollisions
    for collision in collisions {
      let exists =
        reader.exists(collision.key, in: table) ?? true
        || reader.exists(collision.key.unresolved, in: table) ?? true
      if !exists {
        findings.add(
          .tableCollisionMap, .warning, object: collision.key.raw,
          "the map names object \(collision.key.raw), which does not exist")
      }
    }
    if let column, table.tombstones != 0 {
      try checkTombstones(column, collisions, &findings)
    }
  }

  /// The rows of the collision map. A map that cannot be read is a finding about the table.
  private var knownCollisions: [CollisionMap.Row] {
    (try? CollisionMap.rows(of: table, reader.nodes)) ?? []
  }

  private func checkTombstones(
    _ column: Column, _ collisions: [CollisionMap.Row], _ findings: inout Findings
  ) throws(RealmFileError) {
    let others = Set(collisions.map(\.key.unresolved))
    let clusters: [ClusterPosition]
    do throws(RealmFileError) {
      clusters = try reader.clusters(of: table, tombstones: true)
    } catch {
      return try findings.addUnread(
        .keyNotCompared, "tombstones cannot be read", because: error)
    }
    let failure = forEachCluster(in: clusters) { cluster throws(RealmFileError) in
      let batch = try reader.batch(column, of: cluster)
      for row in 0..<cluster.count {
        let key = cluster.key(at: row)
        guard let global = GlobalKey(primaryKey: batch.value(at: row)),
          global.hashedKey.unresolved != key, !others.contains(key)
        else { continue }
        findings.add(
          .keyTombstoneHash, at: cluster.ref, object: key.raw,
          "the tombstone has key \(key.raw), expected \(global.hashedKey.unresolved.raw) from its "
            + "primary key")
      }
    }
    if let failure {
      try findings.addUnread(.keyNotCompared, "tombstones cannot be read", because: failure)
    }
  }
}
