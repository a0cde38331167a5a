public import RealmStorage
import Synchronization

/// The source of the objects of a realm, which reads the clusters of each class.
public final class RealmSource: ObjectSource {
  /// Clusters per part. Their up to 1024 objects are usually enough to write output in large pieces.
  private static let clustersPerPart = 4

  /// What all parts so far add up to.
  private struct State {
    var opened = OpenedBytes(of: "the objects")
    var embedded = RowSet()
    var embeddedCount = 0
    var duplicateMembers = 0
    var losses: Findings
    var lost: [LostValues] = []
  }

  package let realm: Realm
  let request: ObjectRequest
  public let classes: [Int]
  /// The only clusters to read of some classes, by position of the class.
  private let clusters: [Int: [ClusterPosition]]
  private let state: Mutex<State>

  /// - Parameter classes: positions of the classes whose objects are read, in this order; nil for all
  ///   classes of the app except the embedded ones.
  public convenience init(
    _ realm: Realm, _ request: ObjectRequest = ObjectRequest(), classes: [Int]? = nil
  ) {
    self.init(realm, request, classes: classes, only: [:])
  }

  /// - Parameter clusters: the only clusters to read of some classes, by position of the class. Each is a part.
  package init(
    _ realm: Realm, _ request: ObjectRequest, classes: [Int]?,
    only clusters: [Int: [ClusterPosition]]
  ) {
    (self.realm, self.request, self.clusters) = (realm, request, clusters)
    state = Mutex(State(losses: Findings(limit: request.lossLimit)))
    self.classes = classes ?? realm.schema.objects.topLevelClasses
  }

  public var schema: ObjectSchema { realm.schema.objects }

  public var objectCount: Int {
    classes.reduce(0) { count, position in
      let limit = clusters[position].map { $0.count * Cluster.capacity }
      return count &+ min(limit ?? .max, realm.schema.tables[position].objectCount)
    }
  }

  /// The number of members of sets that were left out of the parts so far because they equal another member.
  public var duplicateMembers: Int { state.withLock { $0.duplicateMembers } }

  /// What could not be read and was left out, if the request allows that. Losses of cluster trees come first, which
  /// ``parts()`` finds, then losses of the parts so far in the order of the parts.
  public var losses: Findings { state.withLock { $0.losses } }

  /// The lost objects and values, up to the limit of the request.
  package var lost: [LostValues] { state.withLock { $0.lost } }

  public func parts() throws(RealmFileError) -> [ObjectPart] {
    let reader = try RealmReader(realm)
    var parts: [ObjectPart] = []
    for position in classes where !isEmptied(position) {
      if let some = clusters[position] {
        parts += some.enumerated().map { i, place in
          ObjectPart(classPosition: position, number: parts.count + i, clusters: [place])
        }
        continue
      }
      let table = realm.schema.tables[position]
      let clusters: [ClusterPosition]
      do {
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
        let loss = loss.adding(className: table.className.text)
        try state.losses.add(loss)
        if let finding = Finding(loss) { state.lost.append(LostValues(finding, keys: [])) }
      }
    }
  }

  /// Whether the reference's upgrade deletes the objects of the class, as it does for asymmetric classes of formats
  /// up to 22 (chapter 3, section 10.2).
  private func isEmptied(_ position: Int) -> Bool {
    request.normalization == .referenceUpgrade && schema.classes[position].kind == .asymmetric
      && !realm.snapshot.fileFormat.keepsAsymmetricObjects
  }

  public func makeCursor() throws(RealmFileError) -> RealmCursor {
    try RealmCursor(realm, request)
  }

  /// - Throws: `damaged` with rule `storage.node-overlap` if the parts opened more bytes than the file has, or own
  ///   more embedded objects than the file has bytes; with rule `link.embedded-shared` if an embedded object has
  ///   owners in two parts and damage is not left out.
  public func accept(_ report: PartReport, of part: ObjectPart) throws(RealmFileError) {
    do {
      try state.withLock { (state) throws(RealmFileError) in
        state.duplicateMembers += report.duplicateMembers
        let size = realm.snapshot.top.logicalSize
        if !request.isProvenTree {
          try state.opened.add(
            report.openedByteCount, at: part.clusters.first?.ref ?? 0, fileSize: size)
        }
        state.embeddedCount += report.claims.count
        guard state.embeddedCount <= size else {
          throw .damaged(
            .storageNodeOverlap, at: part.clusters.first?.ref ?? 0,
            "the objects up to here own \(state.embeddedCount) embedded objects, but the file has "
              + "\(size) bytes")
        }
        let name = schema.classes[part.classPosition].name.text
        state.losses.add(contentsOf: report.losses)
        state.lost += report.lost.prefix(max(0, request.lossLimit - state.lost.count))
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

/// A source that reads a realm of any format.
package protocol RealmObjectSource: ObjectSource where Failure == RealmFileError {
  /// The number of members of sets that were left out so far because they equal another member.
  var duplicateMembers: Int { get }
}

extension RealmSource: RealmObjectSource {}

/// Reads the objects of parts of a realm. Used by one thread.
public final class RealmCursor: ObjectCursor {
  public typealias Failure = RealmFileError

  package let assembler: BatchAssembler
  package let ledger: PartLedger
  private var part: ObjectPart?
  private var nextCluster = 0
  /// A cluster with too many elements for one batch, and its first row that was not returned yet. It stays open,
  /// because each node of a part counts once, and each loss is noted once.
  private var split: (cluster: OpenCluster, firstRow: Int)?

  /// A cluster whose leaves are decoded.
  private struct OpenCluster {
    let keys: [ObjectKey]
    /// The values of the requested columns; nil for other columns.
    let leaves: [LeafValues?]
    /// Keeps the memory of the values readable; nil while the scope is open in which they were read.
    var owner: Hold?
  }

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
    do {
      while true {
        if let (cluster, firstRow) = split {
          split = nil
          return try batch(of: table, cluster, from: firstRow)
        }
        guard nextCluster < part.clusters.count else { return nil }
        nextCluster += 1
        if let batch = try batch(of: table, at: part.clusters[nextCluster - 1]) { return batch }
      }
    } catch {
      throw error.adding(className: table.className.text)
    }
  }

  /// The objects of the cluster at `position`, as many as fit into a batch; nil if there are none.
  private func batch(
    of table: Table, at position: ClusterPosition
  ) throws(RealmFileError) -> ObjectBatch? {
    try reading(table) { () throws(RealmFileError) in
      let cluster: Cluster
      do throws(RealmFileError) {
        cluster = try assembler.reader.cluster(position)
      } catch {
        try assembler.leaveOut(error)
        return nil
      }
      guard cluster.count > 0 else { return nil }
      let keys = cluster.allKeys
      let leaves = try leaves(of: table, in: cluster, keys: keys)
      return (OpenCluster(keys: keys, leaves: leaves), 0)
    }
  }

  /// The objects of an open cluster from `firstRow` on, as many as fit into a batch.
  private func batch(
    of table: Table, _ cluster: OpenCluster, from firstRow: Int
  ) throws(RealmFileError) -> ObjectBatch? {
    try reading(table) { (cluster, firstRow) }
  }

  /// Assembles the objects of the cluster that `open` returns, from a row on; nil if there are none.
  private func reading(
    _ table: Table, _ open: () throws(RealmFileError) -> (OpenCluster, Int)?
  ) throws(RealmFileError) -> ObjectBatch? {
    let nodes = assembler.reader.nodes
    let mark = nodes.mark()
    assembler.beginBatch()
    assembler.place = (table.className.text, nil)
    var rest: (cluster: OpenCluster, firstRow: Int)?
    var owners: [Hold] = []
    let batch = try nodes.traversing { () throws(RealmFileError) in
      defer { ledger.add(openedByteCount: nodes.openedByteCount) }
      guard let (cluster, firstRow) = try open() else { return ObjectBatch?.none }
      if let owner = cluster.owner { owners.append(owner) }
      var rows = firstRow..<cluster.keys.count
      while true {
        let (mark, before) = (ledger.mark, nodes.openedByteCount)
        if let batch = try self.batch(of: table, cluster, rows) {
          if rows.upperBound < cluster.keys.count { rest = (cluster, rows.upperBound) }
          return batch
        }
        ledger.forget(since: mark)
        nodes.uncount(to: before)
        rows = rows.lowerBound..<(rows.lowerBound + rows.count / 2)
      }
    }
    ledger.add(objects: batch?.count ?? 0)
    let hold = nodes.hold(since: mark)
    if var rest {
      if rest.cluster.owner == nil { rest.cluster.owner = hold }
      split = rest
    }
    return batch?.owned(by: owners + [hold])
  }

  /// The values of the requested columns; nil for other columns.
  private func leaves(
    of table: Table, in cluster: Cluster, keys: [ObjectKey]
  ) throws(RealmFileError) -> [LeafValues?] {
    let isWanted = assembler.wantedColumns(of: table)
    var leaves: [LeafValues?] = []
    leaves.reserveCapacity(table.columns.count)
    for (i, column) in table.columns.enumerated() {
      leaves.append(isWanted[i] ? try assembler.leaf(column, of: cluster, keys: keys) : nil)
    }
    return leaves
  }

  /// - Returns: nil if several objects together have too many elements or bytes for one batch.
  private func batch(
    of table: Table, _ cluster: OpenCluster, _ rows: Range<Int>
  ) throws(RealmFileError) -> ObjectBatch? {
    guard rows.count == 1 || LeafValues.fitBatch(cluster.leaves, rows) else { return nil }
    let keys = Array(cluster.keys[rows])
    var room = BatchAssembler.Room()
    var columns: [ColumnValues?] = []
    columns.reserveCapacity(cluster.leaves.count)
    for (column, leaf) in zip(table.columns, cluster.leaves) {
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
