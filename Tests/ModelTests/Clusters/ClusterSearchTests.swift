import RealmStorage
import TestSupport
import Testing

@testable import RealmModel

@Suite("Cluster search")
struct ClusterSearchTests {
  // MARK: Trees of the reference

  /// A cluster, and the keys of its objects.
  private typealias Walked = (ref: Ref, keys: [ObjectKey])

  /// All clusters of live objects and of tombstones of a realm, as a walk over each tree finds them.
  private func trees(_ realm: Realm) throws -> [(table: Table, clusters: [Walked])] {
    let reader = try RealmReader(realm)
    return try realm.schema.tables.flatMap { table in
      try [false, true].map { isTombstones in
        let places = try reader.clusters(of: table, tombstones: isTombstones)
        return (table, try places.map { ($0.ref, try reader.cluster($0).allKeys) })
      }
    }
  }

  private func check(_ realm: Realm) throws {
    let reader = try RealmReader(realm)
    for (table, clusters) in try trees(realm) {
      let all = Set(clusters.flatMap(\.keys))
      var wrong: [ObjectKey] = []
      for cluster in clusters {
        for (row, key) in cluster.keys.enumerated() {
          let found = try reader.find(key, in: table)
          if found?.cluster.ref != cluster.ref || found?.row != row { wrong.append(key) }
          for near in [ObjectKey(key.raw &- 1), ObjectKey(key.raw &+ 1)]
          where !all.contains(near) && near.isUnresolved == key.isUnresolved {
            if try reader.find(near, in: table) != nil { wrong.append(near) }
          }
        }
      }
      #expect(wrong.isEmpty, "\(table.name)")
    }
  }

  @Test(
    "every object is found where a walk over the tree is, and no other", arguments: Golden.names)
  func golden(name: String) throws {
    try check(
      try Realm(Snapshot(path: Golden.path(name + ".realm"), key: try Golden.key(name))))
  }

  @Test("also in realms of any age", arguments: Lived.names)
  func lived(name: String) throws {
    try check(try Realm(path: Lived.path(name + ".realm")))
  }

  @Test("many keys in any order give the objects that exist", arguments: Golden.names)
  func many(name: String) throws {
    var random = SplitMix64(seed: 1)
    let realm = try Realm(
      Snapshot(path: Golden.path(name + ".realm"), key: try Golden.key(name)))
    for (table, clusters) in try trees(realm) {
      let all = Set(clusters.flatMap(\.keys).filter { !$0.isUnresolved })
      guard !all.isEmpty else { continue }
      let asked = Set(all.flatMap { [$0, ObjectKey($0.raw &- 1), ObjectKey($0.raw &+ 1)] })
        .sorted { $0.raw < $1.raw }.shuffled(using: &random)
      let reader = try PropertyReader(realm)
      let mark = reader.mark()
      let rows = try reader.existingRows(asked, of: table)
      #expect(rows.keys == asked.filter { all.contains($0) }, "\(table.name)")
      reader.release(to: mark)
    }
  }

  // MARK: Trees by hand

  /// A tree by hand, and where its objects are.
  private struct Tree {
    var nodes = HandBuiltNodes()
    var root: Ref = 0
    /// The cluster and the row of each object.
    var places: [UInt64: (cluster: Ref, row: Int)] = [:]
    /// The numbers of children of the inner nodes on the way to each object, by key.
    var ways: [UInt64: [Int]] = [:]

    /// A tree with the keys from `base` on, of which those of each child have a gap before them.
    init(depth: Int, childCount: Int, seed: UInt64) {
      var random = SplitMix64(seed: seed)
      var next: UInt64 = 0
      root = add(depth: depth, childCount: childCount, base: 0, &next, way: [], &random)
    }

    private mutating func add(
      depth: Int, childCount: Int, base: UInt64, _ next: inout UInt64, way: [Int],
      _ random: inout SplitMix64
    ) -> Ref {
      guard depth > 0 else {
        let keys = (0..<Int.random(in: 1...20, using: &random)).map { _ in
          next += .random(in: 1...1000, using: &random)
          return next
        }
        let offsets = nodes.add(integers: keys.map { Int($0 - base) })
        let cluster = nodes.add(integers: [offsets], flags: NodeFlags.refs)
        for (row, key) in keys.enumerated() { (places[key], ways[key]) = ((cluster, row), way) }
        return cluster
      }
      let count = Int.random(in: 1...childCount, using: &random)
      var (offsets, children): ([Int], [Ref]) = ([], [])
      for _ in 0..<count {
        // A child begins behind the last key before it, at its first key or before.
        next += .random(in: 1...1000, using: &random)
        offsets.append(Int(next - base))
        children.append(
          add(
            depth: depth - 1, childCount: childCount, base: next, &next, way: way + [count],
            &random))
      }
      let elements = [nodes.add(integers: offsets), depth << 1 | 1, 1] + children
      return nodes.add(integers: elements, flags: NodeFlags.innerRefs)
    }
  }

  @Test("objects of deep trees are found, and keys beside them are not", arguments: 0..<40)
  func deep(seed: Int) throws {
    let depth = seed % 5
    let tree = Tree(depth: depth, childCount: [0, 200, 12, 6, 4][depth], seed: UInt64(seed))
    try tree.nodes.read { nodes in
      var search = ClusterSearch(root: tree.root, nodes: nodes)
      let walked = try nodes.traversing {
        try ClusterTree(root: tree.root, nodes: nodes).clusters()
      }
      let list = ClusterSearch(walked, nodes: nodes)
      var wrong: [UInt64] = []
      for key in Set(tree.places.keys.flatMap { [$0 - 1, $0, $0 + 1] }) {
        let place = try search.place(of: key)
        let known = list.knownCluster(of: key)
        let (ref, base) = try #require(place)
        let inList = walked[try #require(known)]
        for (ref, base) in [(ref, base), (inList.ref, inList.base)] {
          let cluster = try Cluster(try nodes.lookUp(ref), base: base, nodes: nodes)
          let row = cluster.row(ofRelativeKey: key &- base)
          let expected = tree.places[key]
          if row != expected?.row || expected.map({ $0.cluster != ref }) ?? false {
            wrong.append(key)
          }
        }
      }
      #expect(wrong.isEmpty)
    }
  }

  @Test("a key reads the inner nodes above its cluster, and no others")
  func way() throws {
    let tree = Tree(depth: 4, childCount: 8, seed: 3)
    try tree.nodes.read { nodes in
      for (key, way) in tree.ways {
        var search = ClusterSearch(root: tree.root, nodes: nodes)
        #expect(search.knownCluster(of: key) == nil)
        _ = try search.cluster(of: key)
        #expect(search.numberLimit == 1 + way.reduce(0, +))
        // And none twice.
        #expect(search.knownCluster(of: key) != nil)
        _ = try search.cluster(of: key)
        #expect(search.numberLimit == 1 + way.reduce(0, +))
      }
    }
  }

  @Test("inner nodes without offsets have 256 keys to the power of their depth for each child")
  func compact() throws {
    var nodes = HandBuiltNodes()
    let clusters = (0..<6).map { nodes.add(integers: [(250 + $0) << 1 | 1], flags: NodeFlags.refs) }
    let below = [clusters[0..<1], clusters[1..<4], clusters[4..<6]].map {
      nodes.add(integers: [0, 1 << 1 | 1, 1] + $0, flags: NodeFlags.innerRefs)
    }
    let root = nodes.add(integers: [0, 2 << 1 | 1, 1] + below, flags: NodeFlags.innerRefs)
    try nodes.read { nodes in
      var search = ClusterSearch(root: root, nodes: nodes)
      for (key, cluster) in [
        (0, 0), (249, 0), (0xFFFF, 0), (0x10000, 1), (0x100FF, 1), (0x10100, 2), (0x101FF, 2),
        (0x10200, 3), (0x1FFFF, 3), (0x20000, 4), (0x20100, 5), (Int.max, 5),
      ] {
        let place = try search.place(of: UInt64(key))
        #expect(place?.ref == clusters[cluster], "\(key)")
      }
      let place = try search.place(of: 0x101FF)
      #expect(place?.base == 0x10100)
      let last = try search.place(of: .max)
      #expect(last?.ref == clusters[5])
    }
  }

  @Test("a tree of no objects, or of one cluster")
  func small() throws {
    var nodes = HandBuiltNodes()
    let cluster = nodes.add(integers: [3 << 1 | 1], flags: NodeFlags.refs)
    try nodes.read { nodes in
      var none = ClusterSearch(root: 0, nodes: nodes)
      let nowhere = try none.clusters(of: [ObjectKey(0), .null])
      #expect(nowhere == [-1, -1])
      var one = ClusterSearch(root: cluster, nodes: nodes)
      for key: UInt64 in [0, .max] {
        let place = try one.place(of: key)
        #expect(place?.ref == cluster)
      }
      let numbers = try one.clusters(of: [.null, ObjectKey(2)])
      #expect(numbers == [-1, 0])
      #expect(ClusterSearch([], nodes: nodes).knownCluster(of: 0) == nil)
    }
  }

  // MARK: Damage

  /// What a damaged child of the root is, and the broken rule.
  private enum Damage: CaseIterable {
    case missing, tagged, outside, depth, flat, cycle, noChildren, offsets

    var rule: Rule {
      switch self {
      case .missing, .noChildren: .clusterInner
      case .tagged: .nodeRef
      case .outside: .nodeBounds
      case .depth, .flat, .cycle: .clusterDepth
      case .offsets: .clusterOffsets
      }
    }
  }

  @Test(
    "a damaged inner node is an error for the keys below it, and for no others", arguments: 0..<8)
  func damaged(index: Int) throws {
    let damage = Damage.allCases[index]
    var nodes = HandBuiltNodes()
    let cluster = nodes.add(integers: [256 << 1 | 1], flags: NodeFlags.refs)
    let intact = nodes.add(integers: [0, 1 << 1 | 1, 1, cluster], flags: NodeFlags.innerRefs)
    let few = nodes.add(integers: [0, 256])
    let child: Ref =
      switch damage {
      case .missing: 0
      case .tagged: 7
      case .outside: 1 << 40
      case .depth: nodes.add(integers: [0, 3 << 1 | 1, 1, cluster], flags: NodeFlags.innerRefs)
      case .flat: cluster
      case .cycle: few + 8 + 8 * 2
      case .noChildren: nodes.add(integers: [0, 1 << 1 | 1, 1], flags: NodeFlags.innerRefs)
      case .offsets: nodes.add(integers: [few, 1 << 1 | 1, 1, cluster], flags: NodeFlags.innerRefs)
      }
    let root = nodes.add(
      integers: [0, 2 << 1 | 1, 1, intact, child, intact], flags: NodeFlags.innerRefs)
    if damage == .cycle { #expect(child == root) }
    try nodes.read { nodes in
      var search = ClusterSearch(root: root, nodes: nodes)
      for _ in 0..<2 {
        for key: UInt64 in [0, 0xFFFF, 0x20000, .max] {
          let place = try search.place(of: key)
          #expect(place?.ref == cluster)
        }
        for key: UInt64 in [0x10000, 0x1FFFF] {
          do {
            _ = try search.cluster(of: key)
            Issue.record("\(damage) is no error")
          } catch let error as RealmFileError {
            #expect(error.kind == .damaged(damage.rule), "\(damage)")
            #expect(error.offset != nil, "\(damage)")
          }
        }
      }
    }
  }

  @Test(
    "inner nodes that are children of several others have no more children than the file has room for"
  )
  func shared() throws {
    var nodes = HandBuiltNodes()
    var child = nodes.add(integers: [1 << 1 | 1], flags: NodeFlags.refs)
    for depth in 1...4 {
      child = nodes.add(
        integers: [0, depth << 1 | 1, 1] + Array(repeating: child, count: 100),
        flags: NodeFlags.innerRefs)
    }
    try nodes.read { nodes in
      var search = ClusterSearch(root: child, nodes: nodes)
      let rule = brokenRule {
        // Each key is below another inner node.
        for key in 0..<UInt64(100) { _ = try search.cluster(of: key << 24) }
      }
      #expect(rule == .storageNodeOverlap)
      #expect(search.numberLimit <= nodes.logicalSize / 16)
    }
  }
}
