import TestSupport
import Testing

@testable import RealmStorage

/// Calls `body` with a reader over `bytes`, which start at offset 24 as after a file header. Nodes are
/// valid inside it only.
private func withReader(_ bytes: [UInt8], _ body: (NodeReader) throws -> Void) throws {
  try HandBuiltNodes(bytes).read(body)
}

@Suite("Packed integers")
struct PackedIntegerTests {
  struct Example: Sendable {
    let code: UInt8
    let count: Int
    let payload: [UInt8]
    let expected: [Int64]
  }

  static let examples = [
    Example(code: 0, count: 3, payload: [], expected: [0, 0, 0]),
    Example(
      code: 1, count: 10, payload: [0b1000_0101, 0b10], expected: [1, 0, 1, 0, 0, 0, 0, 1, 0, 1]),
    Example(code: 2, count: 5, payload: [0b11_10_01_00, 0b10], expected: [0, 1, 2, 3, 2]),
    Example(code: 3, count: 3, payload: [0x21, 0xF3], expected: [1, 2, 3]),
    Example(code: 4, count: 3, payload: [0xFF, 0x80, 0x7F], expected: [-1, -128, 127]),
    Example(code: 5, count: 2, payload: [0x00, 0x80, 0x34, 0x12], expected: [-32768, 0x1234]),
    Example(
      code: 6, count: 2, payload: [0xFE, 0xFF, 0xFF, 0xFF, 0x78, 0x56, 0x34, 0x12],
      expected: [-2, 0x1234_5678]),
    Example(
      code: 7, count: 2,
      payload: [UInt8](repeating: 0, count: 7) + [0x80, 1, 0, 0, 0, 0, 0, 0, 0x40],
      expected: [.min, 0x4000_0000_0000_0001]),
  ]

  @Test(
    "keys are found among unsigned numbers of every width",
    arguments: [
      Example(code: 0, count: 3, payload: [], expected: [0, 0, 0]),
      Example(code: 1, count: 4, payload: [0b1100], expected: [0, 0, 1, 1]),
      Example(code: 2, count: 3, payload: [0b11_01_00], expected: [0, 1, 3]),
      Example(code: 3, count: 3, payload: [0x51, 0x0F], expected: [1, 5, 15]),
      Example(
        code: 4, count: 5, payload: [0, 3, 0x7F, 0x80, 0xFF], expected: [0, 3, 127, 128, 255]),
      Example(code: 5, count: 2, payload: [1, 0, 0xFF, 0xFF], expected: [1, 65535]),
      Example(
        code: 6, count: 2, payload: [7, 0, 0, 0, 0, 0, 0, 0x80], expected: [7, 0x8000_0000]),
      Example(
        code: 7, count: 2,
        payload: [2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x40],
        expected: [2, 0x4000_0000_0000_0000]),
      Example(code: 5, count: 0, payload: [], expected: []),
    ])
  func lowerBounds(_ example: Example) throws {
    try withReader(node(flags: example.code, count: example.count, example.payload)) { reader in
      let node = try reader.node(at: 24)
      for value in example.expected.flatMap({ [$0 - 1, $0, $0 + 1] }) + [0, .max] where value >= 0 {
        let expected = example.expected.firstIndex { $0 >= value } ?? example.count
        #expect(node.lowerBound(of: UInt64(value)) == expected, "\(value)")
      }
    }
  }

  @Test(
    "a guess of the place changes nothing, whether close or wrong", arguments: [4, 7] as [UInt8])
  func guessedBounds(code: UInt8) throws {
    // Every fourth number, so that keys lie between the elements, too.
    let values = (0..<60).map { $0 * 4 + 2 }
    let zeros = [UInt8](repeating: 0, count: code == 7 ? 7 : 0)
    let payload: [UInt8] = values.flatMap { [UInt8($0)] + zeros }
    try withReader(node(flags: code, count: values.count, payload)) { reader in
      let node = try reader.node(at: 24)
      for value in 0..<250 {
        let expected = values.firstIndex { $0 >= value } ?? values.count
        for guess in [Int.min, -1, 0, 1, 15, 16, 17, 30, 43, 44, 45, 59, 60, 61, .max] {
          #expect(node.lowerBound(of: UInt64(value), near: guess) == expected, "\(value), \(guess)")
        }
      }
    }
  }

  @Test("every width decodes to hand-computed values, one by one and together", arguments: examples)
  func widths(_ example: Example) throws {
    try withReader(node(flags: example.code, count: example.count, example.payload)) { reader in
      let node = try reader.node(at: 24)
      #expect(node.integers() == example.expected)
      #expect((0..<node.count).map(node.integer(at:)) == example.expected)
      #expect(node.integers(from: 1) == Array(example.expected.dropFirst()))
      #expect(node.integers(from: node.count) == [])
    }
  }

  @Test("unsigned elements have no sign from 8 bits on")
  func unsigned() throws {
    let bytes = node(flags: 4, count: 2, [0xFF, 0x7F]) + node(flags: 3, count: 1, [0x0F])
    try withReader(bytes) { reader in
      let wide = try reader.node(at: 24)
      #expect([wide.unsigned(at: 0), wide.unsigned(at: 1)] == [255, 127])
      #expect(try reader.node(at: 40).unsigned(at: 0) == 15)
    }
  }

  @Test("elements of a node with refs are null, refs or tagged integers")
  func elements() throws {
    try withReader(node(flags: 0x45, count: 3, [0, 0, 24, 0, 9, 0])) { reader in
      let node = try reader.node(at: 24)
      #expect(node.element(at: 0) == .null)
      #expect(node.element(at: 1) == .ref(24))
      #expect(node.element(at: 2) == .tagged(4))
      #expect(try node.ref(at: 1) == 24)
      #expect(brokenRule { _ = try node.ref(at: 2) } == .nodeRef)
    }
  }
}

@Suite("Node reader")
struct NodeReaderTests {
  @Test("the payload size follows from width type, width and count")
  func payloadSize() throws {
    let bytes =
      node(flags: 0x0D, count: 2, [UInt8](repeating: 1, count: 32))
      + node(flags: 0x10, count: 5, [1, 2, 3, 4, 5])
    try withReader(bytes) { reader in
      let strings = try reader.node(at: 24)
      #expect(strings.header.widthType == .multiply)
      #expect((strings.header.payloadByteCount, strings.header.nodeByteCount) == (32, 40))
      let blob = try reader.node(at: 64)
      #expect(blob.header.widthType == .ignore)
      #expect(blob.bytes.bytes == [1, 2, 3, 4, 5])
      #expect(blob.header.nodeByteCount == 16)
    }
  }

  @Test(
    "refs that cannot be nodes are refused",
    arguments: [
      (0, .nodeRef), (16, .nodeRef), (-8, .nodeRef), (28, .nodeRef),
      (40, .nodeBounds), (Int.max - 7, .nodeBounds), (Int.min, .nodeRef),
    ] as [(Int, Rule)])
  func badRefs(ref: Int, rule: Rule) throws {
    try withReader(node(flags: 4, count: 1, [7])) { reader in
      #expect(brokenRule { _ = try reader.node(at: ref) } == rule)
    }
  }

  @Test("a count that runs past the end of the file is an error, not a trap")
  func countPastEnd() throws {
    for flags: UInt8 in [7, 0x0F, 0x10] {
      try withReader(node(flags: flags, count: 0xFFFFFF, [0])) { reader in
        #expect(brokenRule { _ = try reader.node(at: 24) } == .nodeBounds)
      }
    }
  }

  @Test(
    "flags that no writer combines are refused", arguments: [0x18, 0x80, 0x48, 0x50] as [UInt8])
  func badFlags(flags: UInt8) throws {
    try withReader(node(flags: flags, count: 0)) { reader in
      #expect(brokenRule { _ = try reader.node(at: 24) } == .nodeFlags)
    }
  }

  @Test("a traversal that opens more bytes than the file has is stopped")
  func sharedNodes() throws {
    // 16 bytes of node in 40 bytes of file: two visits fit, the third cannot belong to a tree.
    try withReader(node(flags: 4, count: 1, [7])) { reader in
      let rule = brokenRule {
        try reader.traversing { () throws(RealmFileError) in
          for _ in 0..<2 { _ = try reader.node(at: 24) }
          // Neither a look-up nor a traversal of its own counts.
          for _ in 0..<5 { _ = try reader.lookUp(24) }
          try reader.traversing { () throws(RealmFileError) in _ = try reader.node(at: 24) }
          #expect(reader.openedByteCount == 32)
        }
      }
      #expect(rule == nil)
      let broken = brokenRule {
        try reader.traversing { () throws(RealmFileError) in
          try reader.traversing { () throws(RealmFileError) in _ = try reader.node(at: 24) }
          for _ in 0..<3 { _ = try reader.node(at: 24) }
        }
      }
      #expect(broken == .storageNodeOverlap)
      #expect(reader.openedByteCount == 0)
      // Outside of a traversal nothing is stopped.
      for _ in 0..<9 { _ = try reader.node(at: 24) }
    }
  }

  @Test("one reader reads all nodes of a realm three times", arguments: Golden.names)
  func threeTimes(name: String) throws {
    let snapshot = try Snapshot(path: Golden.path("\(name).realm"), key: try Golden.key(name))
    guard snapshot.top.ref != 0 else { return }
    let reader = try snapshot.makeReader()
    func readAll() throws(RealmFileError) -> Int {
      var count = 0
      var refs = [snapshot.top.ref]
      while let ref = refs.popLast() {
        let node = try reader.node(at: ref)
        count += 1
        for i in 0..<(node.hasRefs ? node.count : 0) {
          if case .ref(let child) = node.element(at: i) { refs.append(child) }
        }
      }
      return count
    }
    let first = try readAll()
    let byteCount = reader.openedByteCount
    #expect(first > 3 && byteCount <= snapshot.top.logicalSize)
    let second = try reader.traversing { () throws(RealmFileError) in
      (count: try readAll(), byteCount: reader.openedByteCount)
    }
    #expect(second.count == first && second.byteCount == byteCount)
    #expect(try readAll() == first)
  }

  /// A blob has one byte per element. Taken for integers, a blob with a width code of 64 bits was read far
  /// behind its end, as the array of search indexes of a damaged table.
  @Test("a blob has no elements of the width in its header")
  func wideBlob() throws {
    let payload: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]
    let behind = [UInt8](repeating: 0xFF, count: 64)
    try withReader(node(flags: 0x17, count: 8, payload) + behind) { reader in
      let node = try reader.node(at: 24)
      #expect(node.bytes.bytes == payload)
      #expect((0..<8).map { node.integer(at: $0) } == [0, 0, 0, 0, 0, 0, 0, 0])
      #expect(node.integers() == [0, 0, 0, 0, 0, 0, 0, 0])
    }
  }
}
