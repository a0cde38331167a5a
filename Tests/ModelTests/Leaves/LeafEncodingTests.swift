import RealmStorage
import TestSupport
import Testing

@testable import RealmModel
@testable import RealmVerify

/// The leaves of one cluster with three objects as the reference wrote them (chapter 2, section 10.1), and what
/// the layouts require at their limits. Nodes start at byte 24, children first.
@Suite("Encoding of leaves")
struct LeafEncodingTests {
  private func bytes(_ column: BatchColumn, isNullable: Bool = true) throws -> [UInt8] {
    guard case .scalar(let scalars) = column.values else { return [] }
    let nodes = NodeBuffer(base: 24)
    _ = Leaf.encode(scalars, 0..<scalars.count, isNullable: isNullable, .current, into: nodes)
    return try nodes.fileBytes()
  }

  private func check(_ column: BatchColumn, isNullable: Bool = true, _ expected: String) throws {
    #expect(try bytes(column, isNullable: isNullable) == hexadecimalBytes(expected))
  }

  @Test("integers")
  func integers() throws {
    try check(.ints([5, 0, -100]), isNullable: false, "4141414104000003 05009C0000000000")
    try check(.ints([7, nil, 300]), "4141414105000004 FF7F0700FF7F2C01")
    try check(.ints([]), isNullable: false, "4141414100000000")
    try check(.ints([]), "4141414100000001")
  }

  /// Section 3.2: rows {0} need width 1 with null 1, {127} width 16 with null 32767.
  @Test("a nullable leaf is as wide as its null value needs")
  func nullValues() throws {
    try check(.ints([0]), "4141414101000002 0100000000000000")
    try check(.ints([127]), "4141414105000002 FF7F7F0000000000")
    try check(
      .ints([0x7FFF_FFFF, nil]),
      "4141414107000003 FFFFFFFFFFFFFF7F FFFFFF7F00000000 FFFFFFFFFFFFFF7F")
    // The largest number is in use, so another one is null.
    try check(
      .ints([.max, nil]), "4141414107000003 FEFFFFFFFFFFFF7F FFFFFFFFFFFFFF7F FEFFFFFFFFFFFF7F")
  }

  @Test("booleans, floats and doubles")
  func small() throws {
    try check(.bools([true, nil, false]), "4141414102000003 0D00000000000000")
    try check(.floats([1.5, nil, nil]), "414141410B000003 0000C03FAA00C07F AA00C07F00000000")
    try check(
      .doubles([2.5, nil, nil]),
      "414141410C000003 0000000000000440 AA0000000000F87F AA0000000000F87F")
    try check(.floats([]), "414141410B000000")
  }

  @Test("a NaN with the bits of null stays a NaN")
  func nullNaN() throws {
    let odd = Float(bitPattern: 0x7FC0_00AA)
    try check(.floats([odd]), "414141410B000001 0000C07F00000000")
  }

  @Test("short strings")
  func shortStrings() throws {
    try check(.strings(["abc", nil, ""]), "414141410B000003 6162630000000004 0000000300000000")
    try check(.strings([nil, nil]), "4141414108000002")
    try check(.strings([""]), "4141414109000001 0000000000000000")
    try check(.strings([]), "4141414108000000")
  }

  @Test("strings of 16 to 63 bytes")
  func mediumStrings() throws {
    let text = "a string of 22 bytes !"
    #expect(text.utf8.count == 22)
    let blob = text.utf8.map { byte in
      let digits = String(byte, radix: 16)
      return digits.count == 1 ? "0" + digits : digits
    }.joined()
    try check(
      .strings([text, nil, ""]),
      """
      4141414104000003 1718190000000000
      4141414111000019 \(blob)000000 00000000000000
      4141414101000003 0200000000000000
      4141414144000003 1828500000000000
      """)
  }

  @Test(
    "the form of strings follows the longest",
    arguments: [(15, 0x0D), (16, 0x46), (63, 0x46), (64, 0x66)])
  func forms(length: Int, flags: UInt8) throws {
    let column = BatchColumn.strings([String(repeating: "x", count: length), nil])
    guard case .scalar(let scalars) = column.values else { return }
    // Refs of a buffer whose place in the file is not known yet have 32 bits, and keep them when it moves.
    let nodes = NodeBuffer()
    let encoded = Leaf.encode(scalars, 0..<2, isNullable: true, .current, into: nodes)
    let ref = nodes.move(to: 24)[encoded]
    try HandBuiltNodes(try nodes.fileBytes()).read { reader throws in
      let node = try reader.lookUp(ref)
      #expect(node.header.flags == flags)
      let leaf = try StringLeaf(strings: node, reader)
      #expect(try leaf.values(rows: 2).strings == [String(repeating: "x", count: length), nil])
      #expect(try rules { try StringLeaf.check(node, terminator: 1, reader, &$0) } == [])
    }
  }

  @Test("binaries have no terminator, and a null one no byte")
  func binaries() throws {
    try check(
      .binaries([[1, 2, 3], nil, []]),
      """
      4141414102000003 3F00000000000000
      4141414111000003 0102030000000000
      4141414101000003 0200000000000000
      4141414144000003 1828380000000000
      """)
  }

  @Test("dates are seconds with null, and nanoseconds")
  func dates() throws {
    try check(
      .dates([(1000, 5), nil, (-1, -1)]),
      """
      4141414105000004 FF7FE803FF7FFFFF
      4141414104000003 0500FF0000000000
      4141414144000002 1828000000000000
      """)
  }

  @Test("decimals take the smallest element that holds them all")
  func decimals() throws {
    let fifteenTenths = Decimal128(isNegative: false, exponent: -1, coefficient: 15)
    let large = Decimal128(isNegative: true, exponent: 0, coefficient: 12_345_678_901)
    try check(
      .decimals([fifteenTenths, nil, large]),
      "414141410C000003 0F0000000000A031 AA0000000000007C 351CDCDF0200C0B1")
    try check(.decimals([fifteenTenths]), "414141410B000001 0F00003200000000")
    try check(.decimals([nil, nil]), "4141414108000002")
    try check(.decimals([.zero]), "4141414128000001")
    // A negative zero would lose its sign without an element.
    try check(
      .decimals([Decimal128(isNegative: true, exponent: 0, coefficient: 0)]),
      "414141410B000001 000080B200000000")
    try check(
      .decimals([Decimal128(isNegative: false, exponent: 400, coefficient: 1)]),
      "414141410D000001 0100000000000000 0000000000006033")
  }

  @Test("identifiers are in blocks of eight")
  func identifiers() throws {
    let id = (1...12).map { UInt8($0) }
    let nine = [[UInt8]?](repeating: id, count: 8) + [nil]
    let column = BatchColumn.objectIds(nine)
    #expect(
      try bytes(column)
        == hexadecimalBytes("414141410900006E 00") + (0..<8).flatMap { _ in id } + [1]
        + [UInt8](repeating: 0, count: 12) + [0, 0])
    try check(.uuids([]), "4141414108000000")
  }

  @Test("single values keep their rows, and the rows of a part start at 0")
  func parts() throws {
    guard case .scalar(let scalars) = BatchColumn.ints([1, 2, 300, nil]).values else { return }
    let nodes = NodeBuffer(base: 24)
    _ = Leaf.encode(scalars, 2..<4, isNullable: true, .current, into: nodes)
    #expect(
      try nodes.fileBytes() == hexadecimalBytes("4141414105000003 FF7F2C01FF7F0000"))
  }
}
