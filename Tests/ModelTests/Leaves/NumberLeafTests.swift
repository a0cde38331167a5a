import RealmStorage
import TestSupport
import Testing

@testable import RealmModel
@testable import RealmVerify

/// Leaves by hand from the byte layouts of chapter 2, sections 3.1 to 3.4, 3.11 and 3.13.
@Suite("Leaves of numbers and links")
struct NumberLeafTests {
  /// Reads one node.
  private func read<R>(
    flags: UInt8, count: Int, _ payload: [UInt8], _ body: (Node) throws -> R
  ) throws -> R {
    var nodes = HandBuiltNodes()
    let ref = nodes.add(flags: flags, count: count, payload)
    return try nodes.read { try body(try $0.lookUp(ref)) }
  }

  @Test("integers are the elements")
  func integers() throws {
    try read(flags: 4, count: 3, [0xFF, 0x80, 0x7F]) { node throws in
      let leaf = try IntegerLeaf(node)
      #expect(try leaf.values(rows: 3) == [-1, -128, 127])
      #expect(try leaf.value(at: 1) == -128)
      #expect(brokenRule { _ = try leaf.value(at: 3) } == .leafRows)
      #expect(brokenRule { _ = try leaf.values(rows: 4) } == .leafRows)
    }
  }

  @Test("a leaf of bytes is not a leaf of integers, and the error says so")
  func kind() throws {
    try read(flags: 0x10, count: 5, [1, 2, 3, 4, 5]) { node throws in
      let error = #expect(throws: RealmFileError.self) { _ = try IntegerLeaf(node) }
      #expect(error?.kind == .damaged(.leafKind))
      #expect(error?.detail == "the leaf has 5 bytes, expected packed integers")
    }
  }

  @Test("element 0 of nullable integers is their null value")
  func nullableIntegers() throws {
    try read(flags: 4, count: 4, [127, 5, 127, 0xFE]) { node throws in
      let leaf = try NullableIntegerLeaf(node)
      let (values, nulls) = try leaf.values(rows: 3)
      #expect(values.indices.map { nulls[$0] ? nil : values[$0] } == [5, nil, -2])
      #expect(try leaf.value(at: 1) == nil)
      #expect(try leaf.value(at: 2) == -2)
      #expect(try rules { leaf.check(&$0) } == [])
    }
    try read(flags: 4, count: 2, [126, 5]) { node throws in
      #expect(try rules { try NullableIntegerLeaf(node).check(&$0) } == [.leafNullValue])
    }
    try read(flags: 4, count: 0, []) { node throws in
      #expect(brokenRule { _ = try NullableIntegerLeaf(node) } == .leafKind)
    }
  }

  @Test("booleans are 0, 1 and 3 for null; 2 reads as true, and is reported")
  func booleans() throws {
    try read(flags: 2, count: 4, [0b10_11_01_00]) { node throws in
      let leaf = try BoolLeaf(node)
      let (values, nulls) = try leaf.values(rows: 4)
      #expect(values.indices.map { nulls[$0] ? nil : values[$0] } == [false, true, nil, true])
      #expect(try leaf.value(at: 2) == nil)
      #expect(try leaf.value(at: 3) == true)
      #expect(try rules { leaf.check(&$0) } == [.leafBool])
    }
  }

  @Test("one NaN is the null of floats, others are values")
  func floats() throws {
    let payload: [UInt8] = [
      0x00, 0x00, 0xC0, 0x3F, 0xAA, 0x00, 0xC0, 0x7F, 0x00, 0x00, 0xC0, 0x7F,
    ]
    try read(flags: NodeFlags.multiply | 3, count: 3, payload) { node throws in
      let (values, nulls) = try FloatLeaf(node).values(rows: 3)
      #expect(values[0] == 1.5)
      #expect(values[2].isNaN)
      #expect((0..<3).map { nulls[$0] } == [false, true, false])
    }
    try read(flags: NodeFlags.multiply | 2, count: 2, [0, 0, 0, 0]) { node throws in
      #expect(brokenRule { _ = try FloatLeaf(node).values(rows: 2) } == .leafWidth)
    }
  }

  @Test("one NaN is the null of doubles")
  func doubles() throws {
    let payload: [UInt8] = [0, 0, 0, 0, 0, 0, 0xF8, 0xBF, 0xAA, 0, 0, 0, 0, 0, 0xF8, 0x7F]
    try read(flags: NodeFlags.multiply | 4, count: 2, payload) { node throws in
      let (values, nulls) = try DoubleLeaf(node).values(rows: 2)
      #expect(values[0] == -1.5)
      #expect((0..<2).map { nulls[$0] } == [false, true])
    }
  }

  @Test("decimals of each size have the same value")
  func decimals() throws {
    let expected = Decimal128(isNegative: true, exponent: -1, coefficient: 15)
    let sizes: [(code: UInt8, payload: [UInt8])] = [
      // Sign, exponent −1 biased by 101 or 398 or 6176, coefficient.
      (3, littleEndianBytes(1 << 31 | 100 << 23 | 15, count: 4)),
      (4, littleEndianBytes(.min | 397 << 53 | 15, count: 8)),
      (5, littleEndianBytes(15, count: 8) + littleEndianBytes(.min | 6175 << 49, count: 8)),
    ]
    for (code, payload) in sizes {
      try read(flags: NodeFlags.multiply | code, count: 1, payload) { node throws in
        #expect(try DecimalLeaf(node).values(rows: 1) == [expected])
        #expect(try rules { try DecimalLeaf(node).check(format: .current, &$0) } == [])
        #expect(
          try rules { try DecimalLeaf(node).check(format: FileFormat.built[2], &$0) }
            == (code == 5 ? [] : [.leafDecimalWidth]))
      }
    }
  }

  @Test("decimals without bytes are all null, or zero if the leaf has the context flag")
  func shortestDecimals() throws {
    try read(flags: NodeFlags.multiply, count: 2, []) { node throws in
      #expect(try DecimalLeaf(node).values(rows: 2) == [.null, .null])
    }
    try read(flags: NodeFlags.multiply | NodeFlags.context, count: 2, []) { node throws in
      #expect(try DecimalLeaf(node).values(rows: 2) == [.zero, .zero])
    }
    try read(flags: NodeFlags.multiply | 2, count: 1, [0, 0]) { node throws in
      #expect(brokenRule { _ = try DecimalLeaf(node).values(rows: 1) } == .leafWidth)
    }
  }

  @Test("object keys are stored plus one in clusters, and unchanged in collections")
  func links() throws {
    try read(flags: 4, count: 3, [0, 8, 0xFF]) { node throws in
      #expect(try LinkLeaf(node, isBiased: true).values(rows: 3).map(\.raw) == [-1, 7, -2])
      #expect(try LinkLeaf(node, isBiased: false).values(rows: 3).map(\.raw) == [0, 8, -1])
      #expect(try LinkLeaf(node, isBiased: true).value(at: 1).raw == 7)
    }
  }

  @Test("typed links are pairs of table and object, plus one; 0 for null")
  func typedLinks() throws {
    try read(flags: 4, count: 4, [3, 8, 0, 0]) { node throws in
      let values = try TypedLinkLeaf(node).values(rows: 2)
      guard case .typedLink(let table, let key) = values[0] else {
        Issue.record("no link: \(values[0])")
        return
      }
      #expect(table == TableKey(2))
      #expect(key == ObjectKey(7))
      #expect(values[1].isNull)
      #expect(try TypedLinkLeaf(node).value(at: 1).isNull)
    }
    try read(flags: 4, count: 3, [3, 8, 0]) { node throws in
      #expect(brokenRule { _ = try TypedLinkLeaf(node) } == .leafKind)
    }
  }

  @Test("dates are seconds with null and nanoseconds of the same sign")
  func timestamps() throws {
    var nodes = HandBuiltNodes()
    let seconds = nodes.add(flags: 4, count: 4, [127, 1, 127, 0xFF])
    let nanoseconds = nodes.add(flags: 4, count: 3, [2, 0, 3])
    let ref = nodes.add(integers: [seconds, nanoseconds], flags: NodeFlags.refs)
    try nodes.read { reader throws in
      let leaf = try TimestampLeaf(try reader.lookUp(ref), reader)
      let (whole, parts, nulls) = try leaf.values(rows: 3)
      #expect(whole[0] == 1 && parts[0] == 2)
      #expect((0..<3).map { nulls[$0] } == [false, true, false])
      #expect(try leaf.value(at: 1).isNull)
      // −1 s and 3 ns do not agree in sign.
      #expect(try rules { leaf.check(whole, parts, nulls, &$0) } == [.leafTimestamp])
    }
  }
}
