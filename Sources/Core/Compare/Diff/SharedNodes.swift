import RealmModel
import RealmStorage

/// Finds the objects that two versions of one file share: a cluster with the same ref on both sides is the same node,
/// so its objects need not be read.
///
/// This holds only if nothing that the objects contain is stored in other tables and changed: embedded objects, and the
/// primary keys of link targets. Values of enumerated strings are in a list of the column.
struct SharedNodes {
  let old: Realm
  let new: Realm
  let schemas: SchemaPair

  /// The clusters of both sides without the shared ones.
  ///
  /// - Parameter position: the position of a cluster.
  static func removing<C>(
    _ old: [C], _ new: [C], position: (C) -> ClusterPosition
  ) -> (old: [C], new: [C]) {
    let known = Dictionary(
      old.map { (position($0).base, position($0).ref) }, uniquingKeysWith: { first, _ in first })
    let shared = Set(
      new.map(position).filter { known[$0.base] == $0.ref }.map(\.base))
    return (
      old.filter { !shared.contains(position($0).base) },
      new.filter { !shared.contains(position($0).base) }
    )
  }

  /// Whether shared clusters of a class are equal objects.
  ///
  /// - Throws: the errors of reading the primary keys of changed clusters.
  func areEqualObjects(_ pair: ClassPair) throws(RealmFileError) -> Bool {
    guard let before = pair.old, pair.new != nil else { return false }
    var (waiting, seen) = ([before], Set([before]))
    while let position = waiting.popLast() {
      guard let other = counterpart(of: position), haveSameLayout(position, other) else {
        return false
      }
      // An embedded object may change without its owner.
      if position != before,
        old.schema.tables[position].clusters != new.schema.tables[other].clusters
      {
        return false
      }
      for property in schemas.old.classes[position].properties {
        let targets =
          property.type == .mixed ? schemas.old.topLevelClasses : property.target.map { [$0] } ?? []
        for target in targets where seen.insert(target).inserted {
          if schemas.old.classes[target].kind == .embedded {
            waiting.append(target)
          } else if try !keepsPrimaryKeys(target) {
            return false
          }
        }
      }
    }
    return true
  }

  /// Position in the new schema of a class of the old one.
  private func counterpart(of position: Int) -> Int? {
    schemas.commonPositions.firstIndex(of: position)
  }

  private func haveSameLayout(_ position: Int, _ other: Int) -> Bool {
    let (before, after) = (old.schema.tables[position], new.schema.tables[other])
    return before.key == after.key && before.columns.count == after.columns.count
      && zip(before.columns, after.columns).allSatisfy {
        $0.key == $1.key && $0.enumeration == $1.enumeration && $0.name == $1.name
      }
  }

  /// Whether objects of a class that both sides have under one object key have the same primary key.
  private func keepsPrimaryKeys(_ position: Int) throws(RealmFileError) -> Bool {
    let before = old.schema.tables[position]
    guard let primaryKey = before.primaryKey else { return true }
    guard let other = counterpart(of: position), haveSameLayout(position, other) else {
      return false
    }
    let after = new.schema.tables[other]
    guard before.clusters != after.clusters, after.primaryKey == primaryKey else {
      return before.clusters == after.clusters && after.primaryKey == primaryKey
    }
    var request = ObjectRequest()
    request.properties = [position: [primaryKey]]
    let a = try keys(old, before, request)
    request.properties = [other: [primaryKey]]
    let b = try keys(new, after, request)
    let (oldClusters, newClusters) = SharedNodes.removing(a.clusters, b.clusters) { $0 }
    let equality = BatchEquality(schemas: schemas)
    a.cursor.open(ObjectPart(classPosition: position, number: 0, clusters: oldClusters))
    b.cursor.open(ObjectPart(classPosition: other, number: 0, clusters: newClusters))
    // The changed clusters of a commit are few, so all their keys fit in memory.
    var known: [ObjectKey: (batch: ObjectBatch, row: Int)] = [:]
    while let batch = try a.cursor.next() {
      for row in 0..<batch.count { known[batch.keys[row]] = (batch, row) }
    }
    while let batch = try b.cursor.next() {
      for row in 0..<batch.count {
        guard let (oldBatch, oldRow) = known[batch.keys[row]],
          let x = oldBatch.columns[primaryKey], let y = batch.columns[primaryKey]
        else { continue }
        guard try equality.areEqual(x, oldRow, y, row) else { return false }
      }
    }
    return true
  }

  private func keys(
    _ realm: Realm, _ table: Table, _ request: ObjectRequest
  ) throws(RealmFileError) -> (cursor: RealmCursor, clusters: [ClusterPosition]) {
    let reader = try RealmReader(realm)
    let clusters = try reader.nodes.traversing { () throws(RealmFileError) in
      try reader.clusters(of: table)
    }
    return (try RealmSource(realm, request).makeCursor(), clusters)
  }
}
