package import RealmStorage

/// Reads the objects of a realm, one column of one cluster at a time. Used by one thread.
///
/// Scopes bound the memory: call ``NodeReader/mark()`` before reading a cluster or a run of elements, and release
/// the mark when they are no longer needed.
package final class RealmReader {
  package let realm: Realm
  package let nodes: NodeReader
  /// The distinct values of enumerated string columns, by the ref of their list. They are read before any scope is
  /// opened, so they outlive all scopes.
  private let enumerations: [Ref: Result<SliceColumn, RealmFileError>]
  /// The cluster trees in which ``find(_:in:)`` searched, by their root.
  private var searches: [Ref: ClusterSearch] = [:]

  /// - Throws: the errors of an encrypted source.
  package init(_ realm: Realm) throws(RealmFileError) {
    self.realm = realm
    let nodes = try realm.snapshot.makeReader()
    self.nodes = nodes
    enumerations = try nodes.traversing { () throws(RealmFileError) in
      var enumerations: [Ref: Result<SliceColumn, RealmFileError>] = [:]
      for table in realm.schema.tables {
        for column in table.columns where column.enumeration != 0 {
          // A list that cannot be read becomes an error when it is needed.
          enumerations[column.enumeration] = Result { () throws(RealmFileError) in
            let list = try nodes.lookUp(column.enumeration)
            return try StringLeaf(strings: list, nodes, isLookUp: true).values(rows: nil)
          }
        }
      }
      return enumerations
    }
  }

  /// The distinct values of `column`; nil if it is not enumerated.
  ///
  /// - Throws: `damaged` if the list cannot be read.
  package func enumeration(of column: Column) throws(RealmFileError) -> SliceColumn? {
    try enumerations[column.enumeration]?.get()
  }

  /// The positions of the clusters of `table`, in key order.
  ///
  /// - Parameter tombstones: whether to read the tombstones instead of the live objects. They stand for targets of
  ///   links that do not exist, or no longer exist.
  package func clusters(
    of table: Table, tombstones: Bool = false
  ) throws(RealmFileError) -> [ClusterPosition] {
    let root = tombstones ? table.tombstones : table.clusters
    guard root != 0 else { return [] }
    return try ClusterTree(root: root, nodes: nodes).clusters()
  }

  /// The positions of the clusters that can be found, and why others cannot, if damage is left out.
  package func clusters(
    of table: Table, tombstones: Bool, damage: ObjectRequest.Damage
  ) throws(RealmFileError) -> (clusters: [ClusterPosition], failures: [RealmFileError]) {
    let root = tombstones ? table.tombstones : table.clusters
    guard root != 0 else { return ([], []) }
    var visitor = PartialTree(damage: damage)
    let clusters = try ClusterTree(root: root, nodes: nodes).clusters(&visitor)
    return (clusters, visitor.failures)
  }

  /// Opens a cluster.
  package func cluster(_ position: ClusterPosition) throws(RealmFileError) -> Cluster {
    try Cluster(try nodes.node(at: position.ref), base: position.base, nodes: nodes)
  }

  /// The values of `column` for the objects of `cluster`.
  ///
  /// - Throws: `damaged` with a rule of group `leaf` and the property.
  package func batch(
    _ column: Column, of cluster: Cluster
  ) throws(RealmFileError) -> LeafValues {
    do {
      let node = try nodes.node(at: try cluster.leaf(at: column.key.leafIndex))
      guard column.collection == nil else {
        return .collection(try CollectionRootsLeaf(node).values(rows: cluster.count))
      }
      return try Leaf.decode(
        node, type: column.type, isNullable: column.isNullable, isBiased: true,
        rows: cluster.count, enumeration: try enumeration(of: column), nodes: nodes)
    } catch {
      throw error.adding(property: column.name.text)
    }
  }

  /// The values of `column` for the objects of `cluster`. If damage is left out, values with bits that no library
  /// writes are also damaged.
  package func batch(
    _ column: Column, of cluster: Cluster, damage: ObjectRequest.Damage
  ) throws(RealmFileError) -> LeafValues {
    let values = try batch(column, of: cluster)
    guard damage == .leaveOut, column.collection == nil else { return values }
    do throws(RealmFileError) {
      try Leaf.checkBits(
        of: values, in: try nodes.lookUp(try cluster.leaf(at: column.key.leafIndex)), nodes)
    } catch {
      throw error.adding(property: column.name.text)
    }
    return values
  }

  /// Decodes the values of an integer property without collection for the objects of `cluster` to `out`, which has
  /// room for them.
  ///
  /// - Returns: the value that means null, if there is one.
  /// - Throws: same as ``batch(_:of:)``.
  @unsafe
  func decodeIntegers(
    _ column: Column, of cluster: Cluster, to out: UnsafeMutableBufferPointer<Int64>
  ) throws(RealmFileError) -> Int64? {
    do throws(RealmFileError) {
      let node = try nodes.node(at: try cluster.leaf(at: column.key.leafIndex))
      guard !node.isInner else { throw Leaf.kindError(node, expected: "values") }
      guard !column.isNullable else {
        return try unsafe NullableIntegerLeaf(node).decode(rows: cluster.count, to: out)
      }
      try unsafe IntegerLeaf(node).decode(rows: cluster.count, to: out)
      return nil
    } catch {
      throw error.adding(property: column.name.text)
    }
  }

  /// The readable values of `column` for the objects of `cluster`, after ``batch(_:of:)`` failed.
  ///
  /// - Parameter failure: the error of that method, which is also the reason for everything that cannot be read
  ///   here.
  /// - Throws: errors that are not damage.
  package func readable(
    _ column: Column, of cluster: Cluster, because failure: RealmFileError
  ) throws(RealmFileError) -> Leaf.Readable {
    let node: Node
    do throws(RealmFileError) {
      node = try nodes.node(at: try cluster.leaf(at: column.key.leafIndex))
    } catch {
      guard error.isDamage else { throw error }
      return .none(of: column, rows: cluster.count, because: failure)
    }
    guard column.collection == nil else {
      return Leaf.readable(roots: node, rows: cluster.count, because: failure)
    }
    let strings: SliceColumn?
    do throws(RealmFileError) {
      strings = try enumeration(of: column)
    } catch {
      guard error.isDamage else { throw error }
      strings = nil
    }
    return Leaf.readable(
      node, type: column.type, isNullable: column.isNullable, isBiased: true, rows: cluster.count,
      enumeration: strings, nodes: nodes, because: failure)
  }

  /// The cluster and row of the object with `key`, which is a tombstone if the key is unresolved; nil if there is
  /// none. Does not count the nodes that it opens.
  package func find(
    _ key: ObjectKey, in table: Table
  ) throws(RealmFileError) -> (cluster: Cluster, row: Int)? {
    let root = key.isUnresolved ? table.tombstones : table.clusters
    guard root != 0, !key.isNull else { return nil }
    let raw = UInt64(bitPattern: key.raw)
    let found = try searches[root, default: ClusterSearch(root: root, nodes: nodes)].place(of: raw)
    guard let (ref, base) = found else { return nil }
    let cluster = try Cluster(try nodes.lookUp(ref), base: base, nodes: nodes)
    return cluster.row(ofRelativeKey: raw &- base).map { (cluster, $0) }
  }

  /// Whether an object with `key` exists; nil if the tree cannot be read, which those who read the whole tree
  /// report.
  package func exists(_ key: ObjectKey, in table: Table) -> Bool? {
    try? find(key, in: table) != nil
  }
}

/// Collects why parts of a cluster tree cannot be read, if damage is left out.
private struct PartialTree: ClusterTreeVisitor {
  let damage: ObjectRequest.Damage
  var failures: [RealmFileError] = []

  mutating func enter(_ inner: ClusterTree.Inner, isRoot: Bool, clusterCount: Int) {}
  mutating func leave(clusterCount: Int) {}
  mutating func lost(
    _ error: RealmFileError, at place: ClusterPosition, below depth: Int?
  ) throws(RealmFileError) {
    guard damage == .leaveOut, error.isDamage else { throw error }
    failures.append(error)
  }
}
