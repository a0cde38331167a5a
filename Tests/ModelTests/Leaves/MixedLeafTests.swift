import RealmStorage
import TestSupport
import Testing

@testable import RealmModel
@testable import RealmVerify

/// Leaves by hand from the byte layouts of chapter 2, sections 3.14, 3.15 and 6.1.
@Suite("Leaves of mixed values and refs")
struct MixedLeafTests {
  /// A composite element: type code plus one, payload slot, value.
  private func composite(_ type: Int, _ payload: Int, _ value: Int) -> Int {
    type + 1 | payload << 5 | value << 8
  }

  private func text(_ value: MixedValue) -> String {
    switch value {
    case .string(let bytes): "string \(bytes.text)"
    case .list(let root): "list \(root)"
    default: "\(value)"
    }
  }

  @Test("a composite is the value, or names its payload")
  func values() throws {
    var nodes = HandBuiltNodes()
    let composites = nodes.add(integers: [
      0, composite(0, 0, -5), composite(1, 0, 1), composite(0, 1, 0), composite(8, 2, 0),
      composite(2, 3, 0), composite(19, 4, 0),
    ])
    let ints = nodes.add(integers: [1 << 40])
    let pairs = nodes.add(integers: [10, 20])
    let strings = nodes.add(flags: NodeFlags.multiply | 3, count: 1, [0x61, 0, 0, 2])
    let roots = nodes.add(integers: [4096], flags: NodeFlags.refs)
    let keys = nodes.add(integers: [0, 0, 0, 0, 0, 0, 77])
    let ref = nodes.add(
      integers: [composites, ints, pairs, strings, roots, keys], flags: NodeFlags.refs)
    try nodes.read { reader throws in
      let leaf = try MixedLeaf(try reader.lookUp(ref), reader)
      let expected = [
        "null", "int(-5)", "bool(true)", "int(1099511627776)",
        "timestamp(seconds: 10, nanoseconds: 20)", "string a", "list 4096",
      ]
      let values = try leaf.values(rows: 7)
      #expect(values.map(text) == expected)
      #expect(try (0..<7).map { text(try leaf.value(at: $0)) } == expected)
      var seen: Set<Int64> = []
      #expect(
        try rules {
          try leaf.check(
            values, format: .current, isInCluster: false, collectionKeys: &seen, reader, &$0)
        } == [])
      // The key exists already in the next leaf of the collection, and format 23 has no collections.
      #expect(
        try rules {
          try leaf.check(
            values, format: FileFormat.built[2], isInCluster: false, collectionKeys: &seen, reader,
            &$0)
        } == [.mixedFormat, .mixedCollectionKey])
    }
  }

  @Test("an array of 0 integers has no values; verify warns of it")
  func noValues() throws {
    var nodes = HandBuiltNodes()
    let empty = nodes.add(integers: [])
    let one = nodes.add(integers: [0])
    try nodes.read { reader throws in
      let leaf = try MixedLeaf(try reader.lookUp(empty), reader)
      #expect(try leaf.values(rows: nil).isEmpty)
      #expect(throws: RealmFileError.self) { try leaf.values(rows: 1) }
      var seen: Set<Int64> = []
      #expect(
        try rules {
          try leaf.check(
            [], format: .current, isInCluster: false, collectionKeys: &seen, reader, &$0)
        } == [.mixedSlots])
      #expect(throws: RealmFileError.self) { try MixedLeaf(try reader.lookUp(one), reader) }
    }
  }

  @Test("a payload that does not exist is damage, and so is a type that has none")
  func damage() throws {
    var nodes = HandBuiltNodes()
    let ints = nodes.add(integers: [1])
    func leaf(_ composite: Int) -> Ref {
      let composites = nodes.add(integers: [composite])
      return nodes.add(integers: [composites, ints, 0, 0, 0, 0], flags: NodeFlags.refs)
    }
    let behind = leaf(composite(0, 1, 1))
    let missing = leaf(composite(2, 3, 0))
    let unknown = leaf(composite(30, 1, 0))
    try nodes.read { reader throws in
      let expected: [(Ref, Rule)] = [
        (behind, .mixedIndex), (missing, .mixedIndex), (unknown, .mixedType),
      ]
      for (ref, rule) in expected {
        let leaf = try MixedLeaf(try reader.lookUp(ref), reader)
        #expect(brokenRule { _ = try leaf.values(rows: 1) } == rule)
        #expect(brokenRule { _ = try leaf.value(at: 0) } == rule)
      }
    }
  }

  @Test("payloads that two values share, or none uses, are reported")
  func payloadUse() throws {
    var nodes = HandBuiltNodes()
    let ints = nodes.add(integers: [1, 2])
    func leaf(_ composites: [Int]) -> Ref {
      let node = nodes.add(integers: composites)
      return nodes.add(integers: [node, ints, 0, 0, 0, 0], flags: NodeFlags.refs)
    }
    let shared = leaf([composite(0, 1, 0), composite(0, 1, 0)])
    let unused = leaf([composite(0, 1, 0)])
    let tooLarge = leaf([composite(0, 1, 0), composite(0, 1, 1), composite(0, 0, 1 << 33)])
    try nodes.read { reader throws in
      for (ref, rule) in [
        (shared, Rule.mixedPayloadUse), (unused, .mixedPayloadUse), (tooLarge, .mixedInline),
      ] {
        let leaf = try MixedLeaf(try reader.lookUp(ref), reader)
        let values = try leaf.values(rows: nil)
        var seen: Set<Int64> = []
        #expect(
          try rules {
            try leaf.check(
              values, format: .current, isInCluster: true, collectionKeys: &seen, reader, &$0)
          } == [rule])
      }
    }
  }

  @Test("roots of collections are one ref or 0 per object")
  func collectionRoots() throws {
    var nodes = HandBuiltNodes()
    let ref = nodes.add(integers: [0, 64], flags: NodeFlags.refs)
    let other = nodes.add(integers: [0, 64])
    let tagged = nodes.add(integers: [3], flags: NodeFlags.refs)
    try nodes.read { reader throws in
      let leaf = try CollectionRootsLeaf(try reader.lookUp(ref))
      #expect(try leaf.values(rows: 2) == [0, 64])
      #expect(brokenRule { _ = try leaf.values(rows: 3) } == .leafCollection)
      #expect(
        brokenRule { _ = try CollectionRootsLeaf(try reader.lookUp(other)) } == .leafCollection)
      let odd = try CollectionRootsLeaf(try reader.lookUp(tagged))
      #expect(brokenRule { _ = try odd.values(rows: 1) } == .nodeRef)
    }
  }

  @Test("backlinks are refs, tagged keys or 0; a list of them is one leaf of any size")
  func backlinks() throws {
    var nodes = HandBuiltNodes()
    let ref = nodes.add(integers: [0, 7], flags: NodeFlags.refs)
    let list = nodes.add(flags: 4, count: 3, [5, 6, 7])
    // 5000 keys in no bytes: more than a list of its size can hold.
    let bomb = nodes.add(flags: 0, count: 5000)
    try nodes.read { reader throws in
      let node = try reader.lookUp(ref)
      #expect(try BacklinkLeaf(node, rows: 2).node.element(at: 1) == .tagged(3))
      #expect(brokenRule { _ = try BacklinkLeaf(node, rows: 1) } == .leafRows)
      #expect(try BacklinkLeaf.keys(try reader.lookUp(list)) == [5, 6, 7])
      #expect(brokenRule { _ = try BacklinkLeaf.keys(try reader.lookUp(bomb)) } == .leafCapacity)
      #expect(
        brokenRule { _ = try BacklinkLeaf(try reader.lookUp(list), rows: 3) } == .leafBacklinks)
    }
  }
}
