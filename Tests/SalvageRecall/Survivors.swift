import RealmModel
import RealmStorage

/// Which cells of a realm survive damage: all nodes that hold the value, and nothing else, are undamaged.
struct Survivors {
  private let realm: Realm
  private let nodes: NodeReader
  private let damaged: [Range<Int>]
  /// Whether the own bytes of a value of an object survive, by table, object key and column.
  private var own: [[Int64: [Bool]]] = []
  /// The embedded objects of a value, by table, object key and column.
  private var owned: [[Int64: [Int: [(table: Int, key: Int64)]]]] = []

  init(_ realm: Realm, damaged: [Range<Int>]) throws {
    self.realm = realm
    self.damaged = damaged.sorted { $0.lowerBound < $1.lowerBound }
    let reader = try RealmReader(realm)
    nodes = reader.nodes
    for table in realm.schema.tables {
      own.append([:])
      owned.append([:])
      for position in try reader.clusters(of: table) {
        let cluster = try reader.cluster(position)
        let node = try nodes.lookUp(cluster.ref)
        var flags = Array(
          repeating: Array(repeating: true, count: table.columns.count), count: cluster.count)
        for (i, column) in table.columns.enumerated() {
          guard case .ref(let leaf) = node.element(at: column.key.leafIndex + 1) else { continue }
          if column.collection == nil {
            guard isDamaged(tree: leaf) else { continue }
            for row in flags.indices { flags[row][i] = false }
          } else {
            let roots = try nodes.lookUp(leaf)
            let isLeafDamaged = isDamaged(node: roots)
            for row in flags.indices {
              guard case .ref(let root) = roots.element(at: row) else {
                flags[row][i] = !isLeafDamaged
                continue
              }
              flags[row][i] = !isLeafDamaged && !isDamaged(tree: root)
            }
          }
        }
        for row in flags.indices { own[table.position][cluster.key(at: row).raw] = flags[row] }
      }
    }
    try readOwned()
  }

  private func isDamaged(node: Node) -> Bool {
    let range = node.ref..<node.ref + node.header.nodeByteCount
    var (low, high) = (0, damaged.count)
    while low < high {
      let middle = (low + high) / 2
      if damaged[middle].upperBound <= range.lowerBound { low = middle + 1 } else { high = middle }
    }
    return low < damaged.count && damaged[low].overlaps(range)
  }

  private func isDamaged(tree ref: Ref) -> Bool {
    guard let node = try? nodes.lookUp(ref) else { return true }
    if isDamaged(node: node) { return true }
    guard node.hasRefs else { return false }
    return (0..<node.count).contains { i in
      if case .ref(let child) = node.element(at: i) { isDamaged(tree: child) } else { false }
    }
  }

  private mutating func readOwned() throws {
    let schema = realm.schema.objects
    var request = ObjectRequest()
    (request.embedded, request.links) = (.asClass, .keys)
    let source = RealmSource(realm, request, classes: Array(schema.classes.indices))
    let cursor = try source.makeCursor()
    func embedded(_ value: RealmValue) -> [(table: Int, key: Int64)] {
      switch value {
      case .link(let link):
        guard schema.classes[link.classPosition].kind == .embedded, let key = link.key else {
          return []
        }
        return [(link.classPosition, key.raw)]
      case .list(let values): return values.flatMap(embedded)
      case .dictionary(let entries): return entries.flatMap { embedded($0.value) }
      default: return []
      }
    }
    for part in try source.parts() {
      let properties = schema.classes[part.classPosition].properties
      let wanted = properties.indices.filter {
        properties[$0].target.map { schema.classes[$0].kind == .embedded } ?? false
      }
      guard !wanted.isEmpty else { continue }
      cursor.open(part)
      while let batch = try cursor.next() {
        for row in 0..<batch.count {
          for i in wanted {
            let found = embedded(try batch.value(ofProperty: i, row: row))
            guard !found.isEmpty else { continue }
            owned[part.classPosition][batch.keys[row].raw, default: [:]][i] = found
          }
        }
      }
      _ = cursor.close()
    }
  }

  /// Whether a value of an object survives, and all objects in it.
  func survives(table: Int, key: Int64, column: Int) -> Bool {
    guard own[table][key]?[column] ?? false else { return false }
    return (owned[table][key]?[column] ?? []).allSatisfy { object in
      realm.schema.tables[object.table].columns.indices.allSatisfy {
        survives(table: object.table, key: object.key, column: $0)
      }
    }
  }
}
