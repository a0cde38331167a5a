public import RealmStorage

/// Reads the objects of a realm in batches: a cluster at a time, a column at a time. Belongs to one
/// thread.
///
/// Memory is bounded by scopes: take ``NodeReader/mark()`` before a cluster or a run of elements and
/// release it when they are done with.
public final class RealmReader {
  public let realm: Realm
  public let nodes: NodeReader
  /// The distinct values of enumerated string columns, by the ref of their list. Read once, before
  /// any scope is opened, so that they outlive all of them.
  private let enumerations: [Ref: Result<SliceColumn, RealmFileError>]
  /// For each table that links lead to, the primary keys of its objects.
  private var primaryKeys: [PrimaryKeys?]

  /// - Throws: the errors of an encrypted source.
  package init(_ realm: Realm) throws(RealmFileError) {
    self.realm = realm
    let nodes = try realm.snapshot.makeReader()
    self.nodes = nodes
    enumerations = try nodes.traversing { () throws(RealmFileError) in
      var enumerations: [Ref: Result<SliceColumn, RealmFileError>] = [:]
      for table in realm.schema.tables {
        for column in table.columns where column.enumeration != 0 {
          // A list that cannot be read is an error of those who need it.
          enumerations[column.enumeration] = RealmReader.enumeration(of: column, nodes)
        }
      }
      return enumerations
    }
    primaryKeys = Array(repeating: nil, count: realm.schema.tables.count)
  }

  private static func enumeration(
    of column: Column, _ nodes: NodeReader
  ) -> Result<SliceColumn, RealmFileError> {
    do throws(RealmFileError) {
      return .success(
        try Leaf.strings(try nodes.node(at: column.enumeration), nodes, rows: nil))
    } catch {
      return .failure(error)
    }
  }

  /// The distinct values of `column`; nil for one that has no list of them.
  ///
  /// - Throws: `damaged` where the list cannot be read.
  func enumeration(of column: Column) throws(RealmFileError) -> SliceColumn? {
    try enumerations[column.enumeration]?.get()
  }

  /// Where the clusters of `table` are, in key order.
  ///
  /// - Parameter tombstones: those of the objects that links lead to but that do not exist (any
  ///   more), instead of the live ones.
  public func clusters(
    of table: Table, tombstones: Bool = false
  ) throws(RealmFileError) -> [ClusterPosition] {
    let root = tombstones ? table.tombstones : table.clusters
    guard root != 0 else { return [] }
    return try ClusterTree(root: root, nodes: nodes).clusters()
  }

  /// Opens a cluster.
  public func cluster(_ position: ClusterPosition) throws(RealmFileError) -> Cluster {
    try Cluster(try nodes.node(at: position.ref), base: position.base, nodes: nodes)
  }

  /// The values of `column` for the objects of `cluster`.
  ///
  /// - Throws: `damaged` with a rule of group `leaf`, with the property.
  public func batch(
    _ column: Column, of cluster: Cluster
  ) throws(RealmFileError) -> ColumnBatch {
    do throws(RealmFileError) {
      let node = try nodes.node(at: try cluster.leaf(at: column.key.leafIndex))
      guard column.collection == nil else {
        return try RealmReader.collectionRoots(node, rows: cluster.count)
      }
      return try Leaf.decode(
        node, type: column.type, isNullable: column.isNullable, isBiased: true,
        rows: cluster.count, enumeration: try enumeration(of: column), nodes: nodes)
    } catch {
      throw error.adding(property: column.name.text)
    }
  }

  /// A leaf of collection roots: one ref an object (chapter 2, section 6.1).
  static func collectionRoots(_ node: Node, rows: Int) throws(RealmFileError) -> ColumnBatch {
    guard node.hasRefs, !node.isInner, node.count == rows else {
      throw .damaged(.leafCollection, at: node.ref)
    }
    var roots: [Ref] = []
    roots.reserveCapacity(rows)
    for row in 0..<rows { roots.append(try node.ref(at: row)) }
    return .collection(roots)
  }

  /// The cluster and row of the object with `key`: among the live objects, or for an unresolved key
  /// among the tombstones. Nil where there is none. Not counted as a traversal.
  public func find(
    _ key: ObjectKey, in table: Table
  ) throws(RealmFileError) -> (cluster: Cluster, row: Int)? {
    let root = key.isUnresolved ? table.tombstones : table.clusters
    guard root != 0, !key.isNull else { return nil }
    return try ClusterTree(root: root, nodes: nodes).find(key)
  }

  /// Whether there is an object with `key`, nil where the tree cannot be read.
  func exists(_ key: ObjectKey, in table: Table) -> Bool? {
    do throws(RealmFileError) {
      return try find(key, in: table) != nil
    } catch {
      return nil
    }
  }

  /// The primary keys of `table`, nil where its class has none.
  public func primaryKeys(of table: Table) -> PrimaryKeys? {
    guard let position = table.primaryKey else { return nil }
    if let known = primaryKeys[table.position] { return known }
    let column = table.columns[position]
    let keys = PrimaryKeys(
      of: table, column, enumeration: enumerations[column.enumeration], nodes: nodes)
    primaryKeys[table.position] = keys
    return keys
  }
}
