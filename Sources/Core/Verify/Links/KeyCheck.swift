package import RealmModel
package import RealmStorage

/// Checks primary keys and the object keys derived from them (chapter 3, sections 4.5 to 4.7).
package struct KeyCheck {
  /// The most hashes of primary keys in memory at once, 8 MiB. A larger table is read in several passes.
  private static let hashLimit = 1 << 20
  /// The most hashes that are reported as repeated in one pass.
  private static let repeatedLimit = 1 << 16

  private let reader: RealmReader
  private let table: Table

  package init(_ table: Table, reader: RealmReader) { (self.table, self.reader) = (table, reader) }

  private var column: Column? { table.primaryKey.map { table.columns[$0] } }

  private func begin(_ findings: inout Findings) {
    findings.about(
      Findings.Subject(
        at: table.ref, className: table.className.text, property: column?.name.text,
        ruleLimit: Findings.columnRuleLimit))
  }

  // MARK: Uniqueness

  /// Checks that no two objects have the same primary key. The caller skips this check if the index of
  /// the primary key is correct and lists each value once. Runs in a traversal; the traversal budget
  /// counts the first pass over the objects.
  ///
  /// - Throws: errors that say nothing about the file.
  package func checkUniqueness(
    in clusters: [ClusterPosition], _ findings: inout Findings
  ) throws(RealmFileError) {
    guard let column else { return }
    begin(&findings)
    let passes = UInt64(1 + clusters.count * Cluster.capacity / KeyCheck.hashLimit)
    for pass in 0..<passes {
      var hashes: [UInt64] = []
      let failure = forEachCluster(in: clusters, again: pass > 0) {
        cluster throws(RealmFileError) in
        IndexData.forEach(in: try reader.batch(column, of: cluster)) { _, data in
          let hash = data.hash
          if hash % passes == pass { hashes.append(hash) }
        }
      }
      if let failure, pass == 0 {
        try findings.addUnread(.keyNotCompared, "primary keys cannot be read", because: failure)
      }
      hashes.sort()
      var repeated = Set<UInt64>()
      for (a, b) in zip(hashes, hashes.dropFirst()) where a == b {
        guard repeated.count < KeyCheck.repeatedLimit else { break }
        repeated.insert(a)
      }
      if !repeated.isEmpty { tell(repeated, column, clusters, &findings) }
    }
  }

  /// Compares the objects with one of the hashes `repeated` and reports those with equal primary keys.
  private func tell(
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
  ///   - again: true if the clusters were read before; the current traversal does not count them again.
  ///   - keepingOpen: keeps the opened nodes instead of releasing them after each cluster.
  /// - Returns: the first reason why values cannot be read, nil if all can be read.
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

  /// Checks the map of colliding keys and the keys of tombstones. Runs in a traversal.
  ///
  /// - Throws: errors that say nothing about the file.
  package func checkObjectKeys(_ findings: inout Findings) throws(RealmFileError) {
    begin(&findings)
    // A finding of the table reports a map that cannot be read.
    let collisions = (try? CollisionMap.rows(of: table, reader.nodes)) ?? []
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
          "the tombstone has key \(key.raw); its primary key gives "
            + "\(global.hashedKey.unresolved.raw)")
      }
    }
    if let failure {
      try findings.addUnread(.keyNotCompared, "tombstones cannot be read", because: failure)
    }
  }
}
