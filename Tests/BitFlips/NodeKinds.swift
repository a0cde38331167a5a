import RealmModel
import RealmStorage

/// The kinds of the reachable nodes of an undamaged realm.
struct NodeKinds {
  private(set) var places: [(range: Range<Int>, kind: String)] = []

  init(_ realm: Realm) throws {
    let reader = try RealmReader(realm)
    let nodes = reader.nodes
    for table in realm.schema.tables {
      for isTombstones in [false, true] {
        for position in try reader.clusters(of: table, tombstones: isTombstones) {
          let cluster = try nodes.lookUp(position.ref)
          for column in table.columns {
            try add(try cluster.ref(at: column.key.leafIndex + 1), nodes, NodeKinds.kind(column))
          }
          for column in table.backlinkColumns {
            try add(try cluster.ref(at: column.key.leafIndex + 1), nodes, "backlinks")
          }
        }
      }
      for column in table.columns where column.index != 0 {
        try add(column.index, nodes, "indexes")
      }
    }
    let known = Set(places.map(\.range.lowerBound))
    let top = realm.snapshot.top
    try add(top.ref, nodes, "tables and space", except: known)
    places.sort { $0.range.lowerBound < $1.range.lowerBound }
  }

  private static func kind(_ column: Column) -> String {
    let type = "\(column.type)"
    let indexed = column.index != 0 ? ", indexed" : ""
    return (column.collection.map { "\($0) of \(type)" } ?? type) + indexed
  }

  private mutating func add(
    _ root: Ref, _ nodes: NodeReader, _ kind: String, except known: Set<Int> = []
  ) throws {
    guard !known.contains(root) else { return }
    let node = try nodes.lookUp(root)
    places.append((root..<root + node.header.nodeByteCount, kind))
    guard node.hasRefs else { return }
    for i in 0..<node.count {
      if case .ref(let child) = node.element(at: i) {
        try add(child, nodes, kind, except: known)
      }
    }
  }
}
