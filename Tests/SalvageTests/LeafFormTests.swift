import RealmStorage
import TestSupport
import Testing

@testable import RealmModel
@testable import RealmSalvage

@Suite("Types that the form of a leaf allows")
struct LeafFormTests {
  private func form(
    rows: Int, _ build: (inout HandBuiltNodes) -> Ref
  ) throws -> LeafForm? {
    var file = HandBuiltNodes()
    let ref = build(&file)
    return try file.read { nodes in LeafForm.of(try nodes.lookUp(ref), rows: rows, nodes) }
  }

  @Test("the extra integer of a leaf is its null value")
  func integers() throws {
    #expect(try form(rows: 2) { $0.add(integers: [7, 700]) } == .int)
    #expect(try form(rows: 2) { $0.add(integers: [9, 7, 700]) } == .optionalInt)
    #expect(try form(rows: 2) { $0.add(integers: [0, 1]) } == [.int, .bool])
    #expect(try form(rows: 5) { $0.add(integers: [0, 1]) } == [])
  }

  @Test("doubles and decimals of 8 bytes differ in their exponents")
  func numbers() throws {
    // 1.5 and -2.25; then 15 * 10^-1 and null.
    let doubles: [UInt8] = [0, 0, 0, 0, 0, 0, 0xF8, 0x3F, 0, 0, 0, 0, 0, 0, 0x02, 0xC0]
    let decimals: [UInt8] = [15, 0, 0, 0, 0, 0, 0xA0, 0x31, 0xAA, 0, 0, 0, 0, 0, 0, 0x7C]
    #expect(
      try form(rows: 2) { $0.add(flags: NodeFlags.multiply | 4, count: 2, doubles) } == .double)
    #expect(
      try form(rows: 2) { $0.add(flags: NodeFlags.multiply | 4, count: 2, decimals) } == .decimal)
  }

  @Test("strings of 8 bytes are strings, and nulls can be anything")
  func strings() throws {
    // "Bilbo", and null.
    let texts: [UInt8] = [66, 105, 108, 98, 111, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 8]
    #expect(try form(rows: 2) { $0.add(flags: NodeFlags.multiply | 4, count: 2, texts) } == .string)
    #expect(try form(rows: 2) { $0.add(flags: NodeFlags.multiply, count: 2) } == nil)
  }

  @Test("a form that allows one type is that type, others are none")
  func types() {
    #expect(LeafForm.optionalInt.type?.type == .int)
    #expect(LeafForm.optionalInt.type?.isNullable == true)
    #expect(LeafForm.uuid.type?.type == .uuid)
    #expect(LeafForm([.int, .bool]).type == nil && LeafForm.refs.type == nil)
  }
}
