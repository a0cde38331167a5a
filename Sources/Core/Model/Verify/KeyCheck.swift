import RealmStorage

/// Checks primary keys and what object keys are made of (chapter 3, sections 4.2 to 4.7).
public struct KeyCheck {
  /// The rules that the check tells about.
  public static let rules: [IntegrityRule] = [
    IntegrityRule(
      "key.duplicate", .error, "no two objects of a class have the same primary key",
      chapter: "3 §11 O2"),
    IntegrityRule(
      "key.no-index", .error, "from format 22 on a primary key has a search index",
      chapter: "3 §11 S9"),
    IntegrityRule(
      "key.embedded-sequence", .error,
      "the next sequence number of an embedded class is above that of all its objects",
      chapter: "3 §11 S10"),
    IntegrityRule(
      "key.sequence", .warning,
      "the next sequence number of a class is above that of all its objects",
      chapter: "3 §11 S10"),
    IntegrityRule(
      "key.collision-map", .warning,
      "the collision map has three arrays of equal length, in order, and names objects that exist",
      chapter: "3 §4.5"),
    IntegrityRule(
      "key.tombstone-hash", .warning,
      "the key of a tombstone is made of its primary key", chapter: "3 §4.7"),
    IntegrityRule(
      "key.not-compared", .note, "primary keys that cannot be read are not compared",
      chapter: "3 §4.6"),
  ]

  /// The format from which on each primary key has an index.
  private static let firstIndexedFormat = 22

  private let reader: RealmReader

  /// - Parameter reader: belongs to the check while it runs; may have been used before.
  public init(reader: RealmReader) { self.reader = reader }

  /// Checks one table. Takes 8 bytes an object.
  public func check(_ table: Table, report: (Defect) -> Void) {
    let column = table.primaryKey.map { table.columns[$0] }
    var defects = DefectCollector(table: table.key, column: column?.key)
    defer { defects.flush(report) }
    let top: TableTop
    let collisions: [TableTop.Collision]
    do throws(RealmFileError) {
      top = try TableTop(of: table, reader)
    } catch {
      defects.add("key.not-compared", "the table cannot be read", at: error.offset)
      return
    }
    do throws(RealmFileError) {
      collisions = try top.collisions()
    } catch {
      collisions = []
      defects.add("key.collision-map", "its arrays do not fit together", at: error.offset)
    }
    checkCollisions(collisions, of: table, at: top.ref, &defects)
    guard let column else {
      checkSequence(of: table, top, &defects)
      return
    }
    if reader.realm.snapshot.format >= KeyCheck.firstIndexedFormat, !column.isIndexed {
      defects.add("key.no-index", "the primary key has no search index", at: top.ref)
    }
    checkUniqueness(of: column, table, &defects)
    checkTombstones(of: table, column, collisions, &defects)
  }

  // MARK: Uniqueness

  private func checkUniqueness(
    of column: Column, _ table: Table, _ defects: inout DefectCollector
  ) {
    var hashes: [UInt64] = []
    let isWhole = forEachBatch(of: column, table, tombstones: false) { _, values in
      for value in values { hashes.append(value.hash) }
    }
    if !isWhole { defects.add("key.not-compared", "primary keys cannot be read") }
    hashes.sort()
    var repeated = Set<UInt64>()
    for (a, b) in zip(hashes, hashes.dropFirst()) where a == b { repeated.insert(a) }
    guard !repeated.isEmpty else { return }

    let mark = reader.nodes.mark()
    defer { reader.nodes.release(to: mark) }
    var first: [UInt64: [(data: IndexData, key: ObjectKey)]] = [:]
    _ = forEachBatch(of: column, table, tombstones: false, keepingOpen: true) { cluster, values in
      for (row, value) in values.enumerated() {
        let hash = value.hash
        guard repeated.contains(hash) else { continue }
        if let other = first[hash]?.first(where: { $0.data == value }) {
          defects.add(
            "key.duplicate", "object \(other.key.raw) has the same primary key",
            at: cluster.ref, object: cluster.key(at: row))
        } else {
          first[hash, default: []].append((value, cluster.key(at: row)))
        }
      }
    }
  }

  /// - Parameter keepingOpen: what the values refer to is not released after each cluster.
  /// - Returns: false where values cannot be read.
  private func forEachBatch(
    of column: Column, _ table: Table, tombstones: Bool, keepingOpen: Bool = false,
    _ body: (Cluster, [IndexData]) -> Void
  ) -> Bool {
    forEachCluster(of: table, tombstones: tombstones, keepingOpen: keepingOpen) {
      cluster throws(RealmFileError) in
      let batch = try reader.batch(column, of: cluster)
      body(cluster, IndexData.of(batch))
    }
  }

  private func forEachCluster(
    of table: Table, tombstones: Bool, keepingOpen: Bool = false,
    _ body: (Cluster) throws(RealmFileError) -> Void
  ) -> Bool {
    var isWhole = true
    do throws(RealmFileError) {
      try reader.nodes.traversing { () throws(RealmFileError) in
        for position in try reader.clusters(of: table, tombstones: tombstones) {
          let mark = reader.nodes.mark()
          defer { if !keepingOpen { reader.nodes.release(to: mark) } }
          do throws(RealmFileError) {
            try body(try reader.cluster(position))
          } catch {
            isWhole = false
          }
        }
      }
    } catch {
      return false
    }
    return isWhole
  }

  // MARK: Object keys

  /// Objects without primary key are numbered: the next number must be a new one.
  private func checkSequence(
    of table: Table, _ top: TableTop, _ defects: inout DefectCollector
  ) {
    var highest: (number: UInt64, key: ObjectKey)?
    let isWhole = forEachCluster(of: table, tombstones: false) { cluster throws(RealmFileError) in
      for row in 0..<cluster.count {
        let key = cluster.key(at: row)
        guard let global = GlobalKey(squeezed: key), global.high == 0 else { continue }
        if highest == nil || global.low > highest!.number { highest = (global.low, key) }
      }
    }
    if !isWhole { defects.add("key.not-compared", "object keys cannot be read") }
    guard let highest, UInt64(top.sequenceNumber) <= highest.number else { return }
    defects.add(
      table.kind == .embedded ? "key.embedded-sequence" : "key.sequence",
      "the next number is \(top.sequenceNumber), and an object has number \(highest.number)",
      at: top.ref, object: highest.key)
  }

  private func checkCollisions(
    _ collisions: [TableTop.Collision], of table: Table, at ref: Ref,
    _ defects: inout DefectCollector
  ) {
    for (a, b) in zip(collisions, collisions.dropFirst())
    where (a.high, a.low) >= (b.high, b.low) {
      defects.add("key.collision-map", "its rows are not in order", at: ref, object: b.key)
      break
    }
    for collision in collisions {
      let exists =
        reader.exists(collision.key, in: table) ?? true
        || reader.exists(collision.key.unresolved, in: table) ?? true
      if !exists {
        defects.add(
          "key.collision-map", "it names an object that does not exist", at: ref,
          object: collision.key)
      }
    }
  }

  private func checkTombstones(
    of table: Table, _ column: Column, _ collisions: [TableTop.Collision],
    _ defects: inout DefectCollector
  ) {
    guard table.tombstones != 0 else { return }
    let others = Set(collisions.map(\.key.unresolved))
    let isWhole = forEachCluster(of: table, tombstones: true) { cluster throws(RealmFileError) in
      let batch = try reader.batch(column, of: cluster)
      for row in 0..<cluster.count {
        let key = cluster.key(at: row)
        guard let global = GlobalKey(primaryKey: batch.value(at: row)),
          global.hashedKey.unresolved != key, !others.contains(key)
        else { continue }
        defects.add(
          "key.tombstone-hash",
          "its primary key gives the key \(global.hashedKey.unresolved.raw)", at: cluster.ref,
          object: key)
      }
    }
    if !isWhole { defects.add("key.not-compared", "tombstones cannot be read") }
  }
}
