public import RealmStorage

/// A version of a realm with its decoded schema. Threads may share it.
public struct Realm: Sendable {
  public let snapshot: Snapshot
  /// The tables and their layout.
  package let schema: Schema

  /// The classes and properties.
  public var objectSchema: ObjectSchema { schema.objects }

  /// - Throws: `legacyFormat` for formats 2 to 9; `damaged` with a rule of group `table`, `spec`,
  ///   `cluster` or `node`, or the errors of an encrypted source. All errors have the path.
  public init(_ snapshot: Snapshot) throws(RealmFileError) {
    guard !snapshot.isLegacy else {
      throw RealmFileError(.legacyFormat(snapshot.format), path: snapshot.path)
    }
    try self.init(ofAnyFormat: snapshot)
  }

  /// A realm whose tables have the layout of later formats, even if its header states one of the formats 2 to 9: an upgrade
  /// did not finish.
  ///
  /// - Throws: same as ``init(_:)``, but never `legacyFormat`.
  package init(ofAnyFormat snapshot: Snapshot) throws(RealmFileError) {
    self.snapshot = snapshot
    do {
      let nodes = try snapshot.makeReader()
      var visitor = NoVisitor()
      schema = try SchemaReader(nodes: nodes).read(snapshot.top, &visitor)
    } catch {
      throw error.adding(path: snapshot.path)
    }
  }

  /// A realm with the readable parts of its schema.
  package init(_ snapshot: Snapshot, schema: Schema) {
    (self.snapshot, self.schema) = (snapshot, schema)
  }

  /// A realm without tables, for checks of a legacy realm that only visit its nodes.
  package init(withoutTables snapshot: Snapshot) {
    (self.snapshot, schema) = (snapshot, Schema())
  }

  /// The name of the class in table slot `slot`, if it can be read.
  package static func className(inSlot slot: Int, of names: SliceColumn) -> String? {
    guard slot >= 0, slot < names.count, let name = names[slot] else { return nil }
    return ObjectClass.className(ofTable: Name(name.bytes)).text
  }

  /// The full names of all table slots, for messages; empty if they cannot be read, which the check of the schema
  /// reports. They are readable as long as `nodes` lives.
  package static func tableNames(_ top: TopArray, _ nodes: NodeReader) -> SliceColumn {
    guard top.ref != 0, let node = try? nodes.lookUp(top.tableNames) else {
      return SliceColumn([])
    }
    return (try? StringLeaf(strings: node, nodes, isLookUp: true).values(rows: nil))
      ?? SliceColumn([])
  }

  /// The schema version that the app set; nil if it set none (chapter 3, section 8.1).
  ///
  /// - Throws: `damaged` if the table with the version cannot be read.
  public func schemaVersion() throws(RealmFileError) -> UInt64? {
    guard let table = schema.table(named: "metadata"),
      let column = table.column(named: "version"), column.type == .int, column.collection == nil
    else { return nil }
    // A `RealmReader` would first read the value lists of all enumerated columns.
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
    else { return nil }
    return UInt64(bitPattern: version)
  }
}
