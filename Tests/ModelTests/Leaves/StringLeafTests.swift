import RealmStorage
import TestSupport
import Testing

@testable import RealmModel
@testable import RealmVerify

/// Leaves by hand from the byte layouts of chapter 2, sections 3.5 to 3.9 and 3.12.
@Suite("Leaves of strings and bytes")
struct StringLeafTests {
  private func ascii(_ text: String) -> [UInt8] { Array(text.utf8) }

  @Test("a short string ends with the number of its padding zeros, null with the width")
  func shortStrings() throws {
    var nodes = HandBuiltNodes()
    // Width 4: "ab", null, empty, "abc".
    let ref = nodes.add(
      flags: NodeFlags.multiply | 3, count: 4,
      [0x61, 0x62, 0, 1] + [0, 0, 0, 4] + [0, 0, 0, 3] + [0x61, 0x62, 0x63, 0])
    try nodes.read { reader throws in
      let leaf = try ShortStringLeaf(try reader.lookUp(ref))
      #expect(try leaf.values(rows: 4).strings == ["ab", nil, "", "abc"])
      #expect(try leaf.value(at: 0)?.text == "ab")
      #expect(try leaf.value(at: 1) == nil)
      #expect(brokenRule { _ = try leaf.value(at: 4) } == .leafRows)
      #expect(try rules { leaf.check(&$0) } == [])
    }
  }

  @Test("more padding than bytes is damage, and padding other than zero is reported")
  func paddingOfShortStrings() throws {
    var nodes = HandBuiltNodes()
    let tooMuch = nodes.add(flags: NodeFlags.multiply | 3, count: 2, [0x61, 0, 0, 2, 0, 0, 0, 5])
    let notZero = nodes.add(flags: NodeFlags.multiply | 3, count: 1, [0x61, 0x62, 0x41, 1])
    try nodes.read { reader throws in
      let leaf = try ShortStringLeaf(try reader.lookUp(tooMuch))
      #expect(brokenRule { _ = try leaf.values(rows: 2) } == .leafShortString)
      #expect(try leaf.value(at: 0)?.text == "a")
      #expect(brokenRule { _ = try leaf.value(at: 1) } == .leafShortString)
      let other = try ShortStringLeaf(try reader.lookUp(notZero))
      #expect(try other.values(rows: 1).strings == ["ab"])
      #expect(try rules { other.check(&$0) } == [.leafShortString])
    }
  }

  @Test("each byte of the padding counts", arguments: [8, 16])
  func paddingBytes(width: Int) throws {
    for padding in 0..<width {
      for wrong in 0..<width - 1 {
        var block = Array(repeating: 0 as UInt8, count: width)
        block[wrong] = 0x41
        block[width - 1] = UInt8(padding)
        var nodes = HandBuiltNodes()
        let code: UInt8 = width == 8 ? 4 : 5
        let ref = nodes.add(flags: NodeFlags.multiply | code, count: 1, block)
        try nodes.read { reader throws in
          let leaf = try ShortStringLeaf(try reader.lookUp(ref))
          let isInPadding = wrong >= width - 1 - padding
          #expect(
            try rules { leaf.check(&$0) } == (isInPadding ? [.leafShortString] : []),
            "padding \(padding), byte \(wrong)")
        }
      }
    }
  }

  @Test("short strings without width are all null")
  func nullStrings() throws {
    var nodes = HandBuiltNodes()
    let ref = nodes.add(flags: NodeFlags.multiply, count: 3)
    try nodes.read { reader throws in
      #expect(
        try ShortStringLeaf(try reader.lookUp(ref)).values(rows: 3).strings == [nil, nil, nil])
    }
  }

  @Test("short strings can be emptied and removed at the same width")
  func editedShortStrings() throws {
    var nodes = HandBuiltNodes()
    let ref = nodes.add(
      flags: NodeFlags.multiply | 3, count: 3, [0x61, 0, 0, 2, 0x62, 0, 0, 2, 0x63, 0, 0, 2])
    try nodes.read { reader throws in
      let leaf = try ShortStringLeaf(try reader.lookUp(ref))
      #expect(
        try leaf.node(emptying: [0], removing: [1, 7])
          == node(flags: NodeFlags.multiply | 3, count: 2, [0, 0, 0, 3, 0x63, 0, 0, 2]))
    }
  }

  /// Small blobs with these ends, bytes and null flags.
  private func smallBlobs(
    _ nodes: inout HandBuiltNodes, _ ends: [UInt8], _ bytes: [UInt8], _ nulls: [UInt8]
  ) -> Ref {
    let refs = [
      nodes.add(flags: 4, count: ends.count, ends), nodes.add(blob: bytes),
      nodes.add(flags: 4, count: nulls.count, nulls),
    ]
    return nodes.add(integers: refs, flags: NodeFlags.refs)
  }

  @Test("small blobs are slices of one blob, strings with a zero byte at the end")
  func smallBlobs() throws {
    var nodes = HandBuiltNodes()
    let ref = smallBlobs(&nodes, [3, 4, 5], ascii("ab\0\0\0"), [0, 1, 0])
    try nodes.read { reader throws in
      let node = try reader.lookUp(ref)
      let strings = try SmallBlobsLeaf(node, reader, terminator: 1)
      #expect(try strings.values(rows: 3).strings == ["ab", nil, ""])
      #expect(try strings.value(at: 0)?.text == "ab")
      #expect(try strings.value(at: 1) == nil)
      #expect(try rules { strings.check(&$0) } == [])
      let binaries = try SmallBlobsLeaf(node, reader, terminator: 0)
      #expect(try binaries.values(rows: 3).strings == ["ab\0", nil, "\0"])
      // A null binary takes no byte.
      #expect(try rules { binaries.check(&$0) } == [.leafStringOffsets])
    }
  }

  @Test("decreasing ends, and ends behind the bytes, are damage; a missing zero byte is reported")
  func offsetsOfSmallBlobs() throws {
    var nodes = HandBuiltNodes()
    let back = smallBlobs(&nodes, [3, 2], ascii("ab\0"), [0, 0])
    let past = smallBlobs(&nodes, [3, 9], ascii("ab\0"), [0, 0])
    let open = smallBlobs(&nodes, [3], ascii("abc"), [0])
    let flags = smallBlobs(&nodes, [3], ascii("ab\0"), [0, 0])
    try nodes.read { reader throws in
      for ref in [back, past] {
        let leaf = try SmallBlobsLeaf(try reader.lookUp(ref), reader, terminator: 1)
        #expect(brokenRule { _ = try leaf.values(rows: 2) } == .leafStringOffsets)
        #expect(brokenRule { _ = try leaf.value(at: 1) } == .leafStringOffsets)
      }
      let leaf = try SmallBlobsLeaf(try reader.lookUp(open), reader, terminator: 1)
      #expect(try rules { leaf.check(&$0) } == [.leafTerminator])
      #expect(
        brokenRule {
          _ = try SmallBlobsLeaf(try reader.lookUp(flags), reader, terminator: 1)
        } == .leafSmallBlobs)
    }
  }

  @Test("each big blob is a node, or 0 for null")
  func bigBlobs() throws {
    var nodes = HandBuiltNodes()
    let blob = nodes.add(blob: ascii("xyz\0"))
    let ref = nodes.add(integers: [blob, 0], flags: NodeFlags.refs | NodeFlags.context)
    try nodes.read { reader throws in
      let leaf = BigBlobsLeaf(try reader.lookUp(ref), reader, terminator: 1)
      #expect(try leaf.values(rows: 2).strings == ["xyz", nil])
      #expect(try leaf.value(at: 0)?.text == "xyz")
      #expect(try leaf.value(at: 1) == nil)
      #expect(try rules { try leaf.check(&$0) } == [])
    }
  }

  @Test("a value in pieces is joined; all pieces but the last must be full, and one is not enough")
  func pieces() throws {
    var nodes = HandBuiltNodes()
    let (a, b) = (nodes.add(blob: ascii("ab")), nodes.add(blob: ascii("c\0")))
    let one = nodes.add(integers: [b], flags: NodeFlags.refs | NodeFlags.context)
    let two = nodes.add(integers: [a, b], flags: NodeFlags.refs | NodeFlags.context)
    try nodes.read { reader throws in
      let short = try Blob(try reader.lookUp(one), reader, isLookUp: true)
      #expect(try short.bytes(terminator: 1).text == "c")
      #expect(try rules { try short.check(row: 0, &$0) } == [.leafBlob])
      let torn = try Blob(try reader.lookUp(two), reader, isLookUp: true)
      #expect(brokenRule { _ = try torn.bytes(terminator: 1) } == .leafBlob)
    }
  }

  @Test(
    "a string in pieces ends with a zero byte, even if that is a piece of its own or the last of a full one",
    arguments: [
      ("c\0", []), ("c", [Rule.leafTerminator]), ("\0", []), ("", [.leafTerminator]),
    ] as [(String, [Rule])])
  func terminatorOfPieces(last: String, expected: [Rule]) throws {
    var nodes = HandBuiltNodes()
    let first = nodes.add(blob: [UInt8](repeating: 0x61, count: 0xFF_FFF0))
    let second = nodes.add(blob: ascii(last))
    let value = nodes.add(integers: [first, second], flags: NodeFlags.refs | NodeFlags.context)
    let ref = nodes.add(integers: [value], flags: NodeFlags.refs | NodeFlags.context)
    try nodes.read { reader throws in
      let strings = BigBlobsLeaf(try reader.lookUp(ref), reader, terminator: 1)
      #expect(try rules { try strings.check(&$0) } == expected)
      let binaries = BigBlobsLeaf(try reader.lookUp(ref), reader, terminator: 0)
      #expect(try rules { try binaries.check(&$0) } == [])
    }
  }

  @Test("enumerated strings are positions in the list of their column")
  func enumerated() throws {
    var nodes = HandBuiltNodes()
    let list = nodes.add(flags: NodeFlags.multiply | 3, count: 2, [0x61, 0, 0, 2, 0, 0, 0, 4])
    let ref = nodes.add(flags: 2, count: 3, [0b00_01_00])
    let wrong = nodes.add(flags: 2, count: 1, [2])
    try nodes.read { reader throws in
      let strings = try ShortStringLeaf(try reader.lookUp(list)).values(rows: nil)
      let leaf = EnumeratedLeaf(try reader.lookUp(ref), strings)
      #expect(try leaf.values(rows: 3).strings == ["a", nil, "a"])
      #expect(try leaf.value(at: 2)?.text == "a")
      let other = EnumeratedLeaf(try reader.lookUp(wrong), strings)
      #expect(brokenRule { _ = try other.values(rows: 1) } == .leafEnumeration)
      #expect(brokenRule { _ = try other.value(at: 0) } == .leafEnumeration)
    }
  }

  /// Strings of tombstones keep their plain form when the values of a property are enumerated.
  @Test("the leaf decides the form of its strings")
  func forms() throws {
    var nodes = HandBuiltNodes()
    let list = nodes.add(flags: NodeFlags.multiply | 3, count: 1, [0x61, 0, 0, 2])
    let plain = nodes.add(flags: NodeFlags.multiply | 3, count: 1, [0x62, 0, 0, 2])
    let positions = nodes.add(flags: 0, count: 1)
    let small = smallBlobs(&nodes, [2], ascii("c\0"), [0])
    try nodes.read { reader throws in
      let strings = try ShortStringLeaf(try reader.lookUp(list)).values(rows: nil)
      let found = try [plain, positions, small].map { ref in
        try StringLeaf(strings: try reader.lookUp(ref), reader, enumeration: strings)
          .values(rows: 1)
      }
      #expect(found.map(\.strings) == [["b"], ["a"], ["c"]])
      #expect(
        brokenRule { _ = try StringLeaf(strings: try reader.lookUp(positions), reader) }
          == .leafKind)
    }
  }

  @Test("identifiers are in blocks of eight after a byte of null bits")
  func fixedBytes() throws {
    var nodes = HandBuiltNodes()
    // Nine rows of 12 bytes, all of whose bytes are the row; rows 1 and 8 are null.
    let rows = (0..<9).map { [UInt8](repeating: UInt8($0), count: 12) }
    let payload = [0b10] + rows[..<8].flatMap { $0 } + [0b01] + rows[8]
    let ref = nodes.add(flags: NodeFlags.multiply | 1, count: payload.count, payload)
    var odd = payload
    odd[97] = 0b11
    let flags = nodes.add(flags: NodeFlags.multiply | 1, count: odd.count, odd)
    let cut = nodes.add(flags: NodeFlags.multiply | 1, count: payload.count - 1, payload)
    try nodes.read { reader throws in
      let leaf = try FixedBytesLeaf(try reader.lookUp(ref), size: 12)
      #expect(leaf.count == 9)
      let expected = rows.enumerated().map { $0 == 1 || $0 == 8 ? nil : $1 }
      #expect(try leaf.values(rows: 9).map { $0?.bytes } == expected)
      #expect(try (0..<9).map { try leaf.value(at: $0)?.bytes } == expected)
      #expect(brokenRule { _ = try leaf.value(at: 9) } == .leafRows)
      #expect(try rules { leaf.check(&$0) } == [])
      let other = try FixedBytesLeaf(try reader.lookUp(flags), size: 12)
      #expect(try rules { other.check(&$0) } == [.leafFixedBytesFlags])
      #expect(
        brokenRule { _ = try FixedBytesLeaf(try reader.lookUp(cut), size: 12) } == .leafFixedBytes)
    }
  }
}
