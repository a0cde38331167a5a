import Foundation
package import RealmModel
package import RealmStorage

/// A golden file lacks what a test needs to break it.
package struct NoSuchPlace: Error {
  package let what: String
  package init(_ what: String) { self.what = what }
}

/// A golden file in memory that is broken on purpose: our readers find nodes, which are then changed byte
/// by byte.
package final class RealmEditor {
  /// The bytes as they were changed.
  package var edited: EditedRealm
  package var bytes: [UInt8] {
    get { edited.bytes }
    set { edited.bytes = newValue }
  }
  package let key: RealmKey?
  /// The unchanged golden file, from which nodes are read.
  package let realm: Realm
  package let reader: RealmReader
  /// Files next to the realm `x.realm`, by name.
  package var companions: [String: [UInt8]] = [:]

  package convenience init(_ name: String) throws {
    try self.init(
      path: Golden.path(name), key: try Golden.key(String(name.dropLast(".realm".count))))
  }

  package init(path: String, key: RealmKey? = nil) throws {
    edited = EditedRealm(try readFile(path))
    self.key = key
    realm = try Realm(Snapshot(path: path, key: key))
    reader = try RealmReader(realm)
  }

  package var top: TopArray { realm.snapshot.top }

  // MARK: Finding nodes

  package func node(_ ref: Ref) throws -> Node { try reader.nodes.lookUp(ref) }

  /// The ref in element `index` of the node at `ref`.
  package func child(_ ref: Ref, _ index: Int) throws -> Ref {
    let node = try node(ref)
    guard index < node.count else { throw NoSuchPlace("element \(index) of \(ref)") }
    return try node.ref(at: index)
  }

  package func table(_ name: String) throws -> Table {
    guard let table = realm.schema.table(named: "class_" + name) else { throw NoSuchPlace(name) }
    return table
  }

  package func column(_ name: String, of table: String) throws -> Column {
    guard let column = try self.table(table).column(named: name) else { throw NoSuchPlace(name) }
    return column
  }

  /// The clusters of a class.
  package func clusters(_ table: String) throws -> [Ref] {
    try reader.clusters(of: self.table(table)).map(\.ref)
  }

  /// The leaf of a column in the first cluster of its table.
  package func leaf(of leafIndex: Int, in table: Table, tombstones: Bool = false) throws -> Ref {
    let positions = try reader.clusters(of: table, tombstones: tombstones)
    guard let position = positions.first else { throw NoSuchPlace("a cluster") }
    return try reader.cluster(position).leaf(at: leafIndex)
  }

  /// The first leaf of a property for which `isFit` holds.
  package func leaf(
    _ property: String, of table: String, where isFit: (Node) throws -> Bool = { _ in true }
  ) throws -> Ref {
    let column = try column(property, of: table)
    for cluster in try clusters(table) {
      let ref = try child(cluster, 1 + column.key.leafIndex)
      if try isFit(node(ref)) { return ref }
    }
    throw NoSuchPlace("\(table).\(property)")
  }

  /// The first root of a collection of a property for which `isFit` holds.
  package func root(
    _ property: String, of table: String, where isFit: (Node) throws -> Bool = { _ in true }
  ) throws -> Ref {
    let column = try column(property, of: table)
    for cluster in try clusters(table) {
      let leaf = try node(try child(cluster, 1 + column.key.leafIndex))
      for row in 0..<leaf.count {
        let root = try leaf.ref(at: row)
        if root != 0, try isFit(node(root)) { return root }
      }
    }
    throw NoSuchPlace("\(table).\(property)")
  }

  /// The first leaf of backlinks for which `isFit` holds.
  package func backlinks(of table: String, where isFit: (Node) -> Bool = { _ in true }) throws
    -> Ref
  {
    for column in try self.table(table).backlinkColumns {
      for cluster in try clusters(table) {
        let ref = try child(cluster, 1 + column.key.leafIndex)
        if isFit(try node(ref)) { return ref }
      }
    }
    throw NoSuchPlace("backlinks of \(table)")
  }

  /// The first inner node of a cluster tree for which `isFit` holds.
  package func innerNode(where isFit: (Node) -> Bool = { _ in true }) throws -> Ref {
    for table in realm.schema.tables {
      let node = try node(table.clusters)
      if node.isInner, isFit(node) { return node.ref }
    }
    throw NoSuchPlace("inner node")
  }

  /// The array in slot `slot` of the spec of a class.
  package func spec(_ table: String, _ slot: Int) throws -> Ref {
    try child(try child(self.table(table).ref, 0), slot)
  }

  // MARK: Changing them

  /// Sets element `index` of the node of integers at `ref`; the value must fit its width.
  package func set(_ ref: Ref, _ index: Int, _ value: Int) throws {
    let node = try node(ref)
    let width = node.width
    let isFit =
      switch width {
      case 0: value == 0
      case 1, 2, 4: value >= 0 && value < 1 << width
      case 64: true
      default: value >= -(1 << (width - 1)) && value < 1 << (width - 1)
      }
    guard isFit else { throw NoSuchPlace("\(value) in \(width) bits") }
    edited.setElement(index, of: ref, to: value)
  }

  package func set(_ ref: Ref, _ index: Int, tagged value: Int) throws {
    try set(ref, index, value * 2 + 1)
  }

  /// Exchanges two elements.
  package func swap(_ ref: Ref, _ a: Int, _ b: Int) throws {
    let node = try node(ref)
    try set(ref, a, Int(node.integer(at: b)))
    try set(ref, b, Int(node.integer(at: a)))
  }

  /// Changes byte 4 of the header.
  package func flags(_ ref: Ref, _ change: (UInt8) -> UInt8) {
    bytes[ref + 4] = change(bytes[ref + 4])
  }

  package func count(_ ref: Ref, _ count: Int) {
    bytes[ref + 5] = UInt8(count >> 16)
    bytes[ref + 6] = UInt8(count >> 8 & 255)
    bytes[ref + 7] = UInt8(count & 255)
  }

  /// Gives a class a tree whose clusters are all its first cluster.
  package func repeatFirstCluster(of table: String, times: Int) throws {
    let cluster = try clusters(table)[0]
    let offsets = edited.append(
      TestSupport.node(
        flags: 0x06, count: times,
        (0..<times).flatMap { littleEndianBytes($0 << 16, count: 4) }))
    let (depth, objectCount) = (1, times * 256)
    let elements =
      [offsets, depth << 1 | 1, objectCount << 1 | 1] + Array(repeating: cluster, count: times)
    let root = edited.append(
      TestSupport.node(
        flags: 0xC6, count: elements.count,
        elements.flatMap { littleEndianBytes($0, count: 4) }))
    try set(self.table(table).ref, TableLayout.Slot.clusters, root)
  }

  /// Puts a node into the first free chunk with room: refs there are the smallest.
  package func newNode(_ node: [UInt8]) throws -> Ref {
    let chunks = try FreeList(top, nodes: reader.nodes).chunks
    guard let chunk = chunks.first(where: { $0.byteCount >= node.count }) else {
      throw NoSuchPlace("free space")
    }
    bytes.replaceSubrange(chunk.offset..<chunk.offset + node.count, with: node)
    return chunk.offset
  }
}
