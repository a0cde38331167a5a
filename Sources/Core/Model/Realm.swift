public import RealmStorage

/// A version of a realm with its schema decoded: what threads share. Each of them reads objects
/// through a ``RealmReader`` of its own.
public struct Realm: Sendable {
  public let snapshot: Snapshot
  public let schema: Schema

  /// - Throws: `damaged` with a rule of group `table`, `spec`, `cluster` or `node`, or the errors of
  ///   an encrypted source; with the path.
  public init(_ snapshot: Snapshot) throws(RealmFileError) {
    self.snapshot = snapshot
    do throws(RealmFileError) {
      let nodes = try snapshot.makeReader()
      var visitor = NoVisitor()
      schema = try SchemaReader(nodes: nodes).read(snapshot.top, &visitor)
    } catch {
      throw error.adding(path: snapshot.path)
    }
  }

  /// A realm with what could be read of its schema.
  init(_ snapshot: Snapshot, schema: Schema) { (self.snapshot, self.schema) = (snapshot, schema) }

  /// The name of the class in table slot `slot`, as far as it can be read.
  package static func className(inSlot slot: Int, of names: SliceColumn) -> String? {
    guard slot >= 0, slot < names.count, let name = names[slot] else { return nil }
    return Table.className(of: Name(name.bytes)).text
  }

  /// Full names of all table slots; empty where they cannot be read. They live as long as `nodes`.
  package static func tableNames(_ top: TopArray, _ nodes: NodeReader) -> SliceColumn {
    guard top.ref != 0, let node = try? nodes.lookUp(top.tableNames) else {
      return SliceColumn([])
    }
    return (try? StringLeaf(strings: node, nodes, isLookUp: true).values(rows: nil))
      ?? SliceColumn([])
  }

  /// The schema version that the app set, nil where it set none (chapter 3, section 8.1).
  ///
  /// - Throws: `damaged` where the table that holds it cannot be read.
  public func schemaVersion() throws(RealmFileError) -> UInt64? {
    guard let table = schema.table(named: "metadata"),
      let column = table.column(named: "version"), column.type == .int, column.collection == nil
    else { return nil }
    // Without a reader of objects, which reads the value lists of all enumerated columns first.
    let nodes = try snapshot.makeReader()
    guard let first = try ClusterTree(root: table.clusters, nodes: nodes).clusters().first else {
      return nil
    }
    let cluster = try Cluster(try nodes.node(at: first.ref), base: first.base, nodes: nodes)
    let leaf = try nodes.node(at: try cluster.leaf(at: column.key.leafIndex))
    let batch = try Leaf.decode(
      leaf, type: .int, isNullable: column.isNullable, isBiased: true, rows: cluster.count,
      nodes: nodes)
    guard case .scalar(.int(let values, _)) = batch, let version = values.first, version != -1
    else {
      return nil
    }
    return UInt64(bitPattern: version)
  }
}
