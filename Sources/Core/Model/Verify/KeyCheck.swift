package import RealmStorage

/// Checks primary keys and the object keys that are made of them (chapter 3, sections 4.5 to 4.7).
package struct KeyCheck {
  private let reader: RealmReader
  private let limit: Int

  /// - Parameter reader: belongs to the check while it runs; may have been used before.
  package init(reader: RealmReader, limit: Int) {
    (self.reader, self.limit) = (reader, limit)
  }

  /// Checks one table. Takes 8 bytes an object.
  ///
  /// - Throws: errors that say nothing about the file.
  package func check(_ table: Table) throws(RealmFileError) -> Findings {
    let column = table.primaryKey.map { table.columns[$0] }
    var defects = ColumnFindings(
      at: table.ref, className: table.className.text, property: column?.name.text, limit: limit)
    // Where its arrays do not fit together, the table has a finding of its own.
    let collisions = (try? CollisionMap.rows(of: table, reader.nodes)) ?? []
    checkCollisions(collisions, of: table, &defects)
    if let column {
      try checkUniqueness(of: column, table, &defects)
      try checkTombstones(of: table, column, collisions, &defects)
    }
    return defects.findings
  }

  // MARK: Uniqueness

  private func checkUniqueness(
    of column: Column, _ table: Table, _ defects: inout ColumnFindings
  ) throws(RealmFileError) {
    var hashes: [UInt64] = []
    let failure = forEachBatch(of: column, table) { _, values in
      for value in values { hashes.append(value.hash) }
    }
    if let failure {
      try defects.addUnread(.keyNotCompared, "primary keys cannot be read", because: failure)
    }
    hashes.sort()
    var repeated = Set<UInt64>()
    for (a, b) in zip(hashes, hashes.dropFirst()) where a == b { repeated.insert(a) }
    guard !repeated.isEmpty else { return }

    let mark = reader.nodes.mark()
    defer { reader.nodes.release(to: mark) }
    var first: [UInt64: [(data: IndexData, key: ObjectKey)]] = [:]
    _ = forEachBatch(of: column, table, keepingOpen: true) { cluster, values in
      for (row, value) in values.enumerated() {
        let hash = value.hash
        guard repeated.contains(hash) else { continue }
        if let other = first[hash]?.first(where: { $0.data == value }) {
          defects.add(
            .keyDuplicate, "object \(other.key.raw) has the same primary key",
            at: cluster.ref, object: cluster.key(at: row))
        } else {
          first[hash, default: []].append((value, cluster.key(at: row)))
        }
      }
    }
  }

  /// - Parameter keepingOpen: what the values refer to is not released after each cluster.
  /// - Returns: the first reason why values cannot be read, nil where all can.
  private func forEachBatch(
    of column: Column, _ table: Table, keepingOpen: Bool = false,
    _ body: (Cluster, [IndexData]) -> Void
  ) -> RealmFileError? {
    forEachCluster(of: table, tombstones: false, keepingOpen: keepingOpen) {
      cluster throws(RealmFileError) in
      let batch = try reader.batch(column, of: cluster)
      body(cluster, IndexData.of(batch))
    }
  }

  private func forEachCluster(
    of table: Table, tombstones: Bool, keepingOpen: Bool = false,
    _ body: (Cluster) throws(RealmFileError) -> Void
  ) -> RealmFileError? {
    var failure: RealmFileError?
    do throws(RealmFileError) {
      try reader.nodes.traversing { () throws(RealmFileError) in
        for position in try reader.clusters(of: table, tombstones: tombstones) {
          let mark = reader.nodes.mark()
          defer { if !keepingOpen { reader.nodes.release(to: mark) } }
          do throws(RealmFileError) {
            try body(try reader.cluster(position))
          } catch {
            failure = error.first(of: failure)
          }
        }
      }
    } catch {
      return error.first(of: failure)
    }
    return failure
  }

  // MARK: Object keys

  private func checkCollisions(
    _ collisions: [CollisionMap.Row], of table: Table, _ defects: inout ColumnFindings
  ) {
    for collision in collisions {
      let exists =
        reader.exists(collision.key, in: table) ?? true
        || reader.exists(collision.key.unresolved, in: table) ?? true
      if !exists {
        defects.add(
          .tableCollisionMap, "it names an object that does not exist", object: collision.key,
          severity: .warning)
      }
    }
  }

  private func checkTombstones(
    of table: Table, _ column: Column, _ collisions: [CollisionMap.Row],
    _ defects: inout ColumnFindings
  ) throws(RealmFileError) {
    guard table.tombstones != 0 else { return }
    let others = Set(collisions.map(\.key.unresolved))
    let failure = forEachCluster(of: table, tombstones: true) { cluster throws(RealmFileError) in
      let batch = try reader.batch(column, of: cluster)
      for row in 0..<cluster.count {
        let key = cluster.key(at: row)
        guard let global = GlobalKey(primaryKey: batch.value(at: row)),
          global.hashedKey.unresolved != key, !others.contains(key)
        else { continue }
        defects.add(
          .keyTombstoneHash,
          "its primary key gives the key \(global.hashedKey.unresolved.raw)", at: cluster.ref,
          object: key)
      }
    }
    if let failure {
      try defects.addUnread(.keyNotCompared, "tombstones cannot be read", because: failure)
    }
  }
}
