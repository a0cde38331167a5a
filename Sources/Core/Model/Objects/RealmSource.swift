public import RealmStorage
import Synchronization

/// The objects of a realm: a source that reads the clusters of each class.
public final class RealmSource: ObjectSource {
  /// Clusters per part: up to 512 objects.
  private static let clustersPerPart = 2
  /// The first format whose asymmetric objects survive an upgrade by the reference.
  private static let firstFormatWithAsymmetricObjects = 23

  /// What only all parts together show.
  private struct State {
    var openedByteCount = 0
    var embedded = RowSet()
    var embeddedCount = 0
    var duplicateMembers = 0
    var losses: Findings
  }

  let realm: Realm
  let request: ObjectRequest
  public let classes: [Int]
  private let state: Mutex<State>

  /// - Parameter classes: positions of the classes whose objects are read, in this order; nil for all
  ///   classes of the app except the embedded ones.
  public init(_ realm: Realm, _ request: ObjectRequest = ObjectRequest(), classes: [Int]? = nil) {
    (self.realm, self.request) = (realm, request)
    state = Mutex(State(losses: Findings(limit: request.lossLimit)))
    self.classes = classes ?? realm.schema.objects.topLevelClasses
  }

  public var schema: ObjectSchema { realm.schema.objects }

  public var objectCount: Int {
    classes.reduce(0) { $0 &+ realm.schema.tables[$1].objectCount }
  }

  /// Members of sets left out of the parts so far because they equal another member.
  public var duplicateMembers: Int { state.withLock { $0.duplicateMembers } }

  /// What could not be read and was left out, if the request allows that: first losses of cluster trees,
  /// after ``parts()`` returned, then losses of the parts so far, in the order of the parts.
  public var losses: Findings { state.withLock { $0.losses } }

  public func parts() throws(RealmFileError) -> [ObjectPart] {
    let reader = try RealmReader(realm)
    var parts: [ObjectPart] = []
    for position in classes where !isEmptied(position) {
      let table = realm.schema.tables[position]
      let clusters: [ClusterPosition]
      do throws(RealmFileError) {
        let failures: [RealmFileError]
        (clusters, failures) = try reader.nodes.traversing { () throws(RealmFileError) in
          try reader.clusters(of: table, tombstones: false, damage: request.damage)
        }
        try note(failures, of: table)
      } catch {
        throw error.adding(className: table.className.text)
      }
      for start in stride(from: 0, to: clusters.count, by: RealmSource.clustersPerPart) {
        let end = min(start + RealmSource.clustersPerPart, clusters.count)
        parts.append(
          ObjectPart(
            classPosition: position, number: parts.count, clusters: Array(clusters[start..<end])))
      }
    }
    return parts
  }

  /// Notes the losses of a class.
  private func note(_ losses: [RealmFileError], of table: Table) throws(RealmFileError) {
    try state.withLock { (state) throws(RealmFileError) in
      for loss in losses {
        try state.losses.add(loss.adding(className: table.className.text))
      }
    }
  }

  /// Whether the class has no objects because the reference's upgrade of format 22 deletes the objects of
  /// asymmetric classes (chapter 3, section 10.2).
  private func isEmptied(_ position: Int) -> Bool {
    request.normalization == .referenceUpgrade && schema.classes[position].kind == .asymmetric
      && realm.snapshot.format < RealmSource.firstFormatWithAsymmetricObjects
  }

  public func makeCursor() throws(RealmFileError) -> RealmCursor {
    try RealmCursor(realm, request)
  }

  /// - Throws: `damaged` with rule `storage.node-overlap` if the parts opened more bytes than the file
  ///   has, or own more embedded objects than the file can hold; with rule `link.embedded-shared` if an
  ///   embedded object has owners in two parts and damage is not left out.
  public func accept(_ report: PartReport, of part: ObjectPart) throws(RealmFileError) {
    do throws(RealmFileError) {
      try state.withLock { (state) throws(RealmFileError) in
        state.openedByteCount += report.openedByteCount
        state.duplicateMembers += report.duplicateMembers
        let size = realm.snapshot.top.logicalSize
        guard state.openedByteCount <= size else {
          throw .damaged(
            .storageNodeOverlap, at: part.clusters.first?.ref ?? 0,
            "the objects up to here lie in \(state.openedByteCount) bytes of nodes, but the file has"
              + " \(size)")
        }
        state.embeddedCount += report.claims.count
        guard state.embeddedCount <= size else {
          throw .damaged(
            .storageNodeOverlap, at: part.clusters.first?.ref ?? 0,
            "the objects up to here own \(state.embeddedCount) embedded ones, but the file has \(size)"
              + " bytes")
        }
        let name = schema.classes[part.classPosition].name.text
        state.losses.add(contentsOf: report.losses)
        try report.claims.join(&state.embedded) { (shared) throws(RealmFileError) in
          guard request.damage == .leaveOut else { throw shared }
          try state.losses.add(shared.adding(className: name))
        }
      }
    } catch {
      throw error.adding(className: schema.classes[part.classPosition].name.text)
    }
  }
}

/// Reads the objects of parts of a realm. Used by one thread.
public final class RealmCursor: ObjectCursor {
  public typealias Failure = RealmFileError

  private let assembler: BatchAssembler
  private let ledger: PartLedger
  private var part: ObjectPart?
  private var nextCluster = 0
  /// A cluster with too many elements for one batch, and its rows that are not read yet.
  private var split: (position: ClusterPosition, rows: Range<Int>)?

  init(_ realm: Realm, _ request: ObjectRequest) throws(RealmFileError) {
    ledger = PartLedger(lossLimit: request.damage == .leaveOut ? request.lossLimit : 0)
    assembler = try BatchAssembler(realm, request, ledger)
  }

  public func open(_ part: ObjectPart) {
    (self.part, nextCluster, split) = (part, 0, nil)
  }

  public func close() -> PartReport {
    part = nil
    return ledger.take()
  }

  /// - Throws: `damaged`, with class, property and object if they are known; the errors of an encrypted
  ///   source.
  public func next() throws(RealmFileError) -> ObjectBatch? {
    guard let part else { return nil }
    let table = assembler.schema.tables[part.classPosition]
    do throws(RealmFileError) {
      while split != nil || nextCluster < part.clusters.count {
        let (position, rows) = split ?? (part.clusters[nextCluster], 0..<ObjectBatch.capacity)
        if split == nil { nextCluster += 1 }
        split = nil
        if let batch = try batch(of: table, at: position, rows: rows) { return batch }
      }
      return nil
    } catch {
      throw error.adding(className: table.className.text)
    }
  }

  /// The objects in `rows` of a cluster, or the first of them if all together hold too many elements.
  ///
  /// - Returns: nil for no objects.
  private func batch(
    of table: Table, at position: ClusterPosition, rows: Range<Int>
  ) throws(RealmFileError) -> ObjectBatch? {
    let nodes = assembler.reader.nodes
    let mark = nodes.mark()
    assembler.beginBatch()
    assembler.place = (table.className.text, nil)
    var rows = rows
    let batch = try nodes.traversing { () throws(RealmFileError) in
      defer { ledger.add(openedByteCount: nodes.openedByteCount) }
      let cluster: Cluster
      do throws(RealmFileError) {
        cluster = try assembler.reader.cluster(position)
      } catch {
        try assembler.leaveOut(error)
        return ObjectBatch?.none
      }
      let end = min(rows.upperBound, cluster.count)
      rows = min(rows.lowerBound, end)..<end
      guard !rows.isEmpty else { return ObjectBatch?.none }
      let keys = cluster.allKeys
      let leaves = try self.leaves(of: table, in: cluster, keys: keys)
      while true {
        let (mark, before) = (ledger.mark, nodes.openedByteCount)
        if let batch = try self.batch(of: table, leaves, keys: Array(keys[rows]), rows) {
          if rows.upperBound < end { split = (position, rows.upperBound..<end) }
          return batch
        }
        ledger.forget(since: mark)
        nodes.uncount(to: before)
        rows = rows.lowerBound..<(rows.lowerBound + rows.count / 2)
      }
    }
    ledger.add(objects: batch?.count ?? 0)
    return batch?.owned(by: nodes.hold(since: mark))
  }

  /// What the leaves of the requested columns hold; nil for other columns.
  private func leaves(
    of table: Table, in cluster: Cluster, keys: [ObjectKey]
  ) throws(RealmFileError) -> [LeafValues?] {
    let plan = assembler.plan(table)
    var leaves: [LeafValues?] = []
    leaves.reserveCapacity(table.columns.count)
    for (i, column) in table.columns.enumerated() {
      leaves.append(plan.isWanted[i] ? try assembler.leaf(column, of: cluster, keys: keys) : nil)
    }
    return leaves
  }

  /// - Returns: nil if several objects together hold too many elements for one batch.
  private func batch(
    of table: Table, _ leaves: [LeafValues?], keys: [ObjectKey], _ rows: Range<Int>
  ) throws(RealmFileError) -> ObjectBatch? {
    var room = BatchAssembler.Room()
    var columns: [ColumnValues?] = []
    columns.reserveCapacity(leaves.count)
    for (column, leaf) in zip(table.columns, leaves) {
      guard let leaf else {
        columns.append(nil)
        continue
      }
      let some = rows.count == leaf.count ? leaf : leaf.rows(rows)
      guard let values = try assembler.values(column, some, owners: keys, &room) else { return nil }
      columns.append(values)
    }
    return ObjectBatch(
      classPosition: table.position, count: rows.count, keys: keys, columns: columns, owner: nil)
  }
}
