import TestSupport
import Testing

@testable import RealmSync

@Suite("Changesets")
struct ChangesetDecoderTests {
  /// Chapter 4, section 3.5: the annotated bytes.
  @Test("a class comes with its primary key")
  func addTable() throws {
    let instructions = try ChangesetDecoder.instructions(
      hexadecimalBytes("3f 00 01 41  3f 01 03 5f 69 64  00 00 00 01 01 00"))
    let name = Instruction.InternedName(Array("A".utf8))
    let key = Instruction.InternedName(Array("_id".utf8))
    #expect(
      instructions == [
        .addTable(
          name: name, kind: .topLevel,
          primaryKey: Instruction.PrimaryKeyColumn(name: key, type: .int, isNullable: false))
      ])
  }

  /// `count` strings "s0", "s1", … as the examples number theirs.
  private func strings(_ count: Int) -> [UInt8] {
    (0..<count).flatMap { number -> [UInt8] in
      let text = Array("s\(number)".utf8)
      return [0x3F, UInt8(number), UInt8(text.count)] + text
    }
  }

  private func name(_ number: Int) -> Instruction.InternedName {
    Instruction.InternedName(Array("s\(number)".utf8))
  }

  private let id: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]

  private func place(_ field: Int, _ path: [Instruction.Step] = []) -> Instruction.Place {
    Instruction.Place(table: name(2), key: .objectId(id), field: name(field), path: path)
  }

  private func decode(_ hexadecimal: String) throws -> Instruction {
    let bytes = hexadecimalBytes(
      hexadecimal.replacing("[oid]", with: "0a 01 02 03 04 05 06 07 08 09 0a 0b 0c"))
    return try #require(try ChangesetDecoder.instructions(strings(45) + bytes).first)
  }

  @Test("objects are created under each kind of primary key")
  func createObject() throws {
    #expect(try decode("02 00 03 01") == .createObject(table: name(0), key: .string(name(1))))
    #expect(try decode("02 00 00") == .createObject(table: name(0), key: .null))
    #expect(try decode("02 28 01 40") == .createObject(table: name(40), key: .int(-1)))
  }

  @Test("an update says whether it is a default, or how long its list was")
  func update() throws {
    #expect(
      try decode("04 02 [oid] 03 00 01 44 00")
        == .update(place(3), .int(-5), .value(isDefault: false)))
    #expect(
      try decode("04 02 [oid] 0a 00 05 49 f3 43 00")
        == .update(
          place(10), .timestamp(seconds: -10, nanoseconds: -500), .value(isDefault: false)))
    #expect(
      try decode("04 02 [oid] 11 01 40 13 01 3f 00")
        == .update(place(17, [.name(name(19))]), .int(63), .value(isDefault: false)))
    #expect(
      try decode("04 02 [oid] 1f 01 40 20 09 00 00 00")
        == .update(
          place(31, [.name(name(32))]), .link(table: name(0), key: .null),
          .value(isDefault: false)))
    #expect(
      try decode("04 02 [oid] 21 01 40 22 41 00")
        == .update(place(33, [.name(name(34))]), .newObject, .value(isDefault: false)))
    #expect(
      try decode("04 02 [oid] 03 00 08 d2 09 41 01 00")
        == .update(
          place(3), .decimal(coefficient: 1234, exponent: -2, isNegative: true),
          .value(isDefault: false)))
    #expect(
      try decode("04 02 [oid] 03 01 02 01 01 05")
        == .update(place(3, [.index(2)]), .int(1), .element(priorSize: 5)))
  }

  @Test("collections are changed element by element")
  func collections() throws {
    #expect(
      try decode("0b 02 [oid] 11 01 40 14 01") == .clear(place(17, [.name(name(20))]), 1))
    #expect(
      try decode("08 02 [oid] 11 02 40 14 00 03 01 7a 00")
        == .arrayInsert(
          place(17, [.name(name(20)), .index(0)]), .string(Array("z".utf8)), priorSize: 0))
    #expect(
      try decode("08 02 [oid] 17 01 01 09 00 03 01 01")
        == .arrayInsert(
          place(23, [.index(1)]), .link(table: name(0), key: .string(name(1))), priorSize: 1))
    #expect(
      try decode("08 02 [oid] 19 01 03 44 03")
        == .arrayInsert(place(25, [.index(3)]), .newList, priorSize: 3))
    #expect(
      try decode("0c 02 [oid] 1a 00 03 01 61")
        == .setInsert(place(26), .string(Array("a".utf8))))
  }

  @Test("a property comes with its type")
  func addColumn() throws {
    #expect(
      try decode("06 03 16 09 01 00 01")
        == .addColumn(
          Instruction.NewColumn(
            table: name(3), name: name(22), type: .link, isNullable: true, collection: .none,
            target: name(1), keyType: nil)))
    #expect(
      try decode("06 03 1e 01 00 02 03")
        == .addColumn(
          Instruction.NewColumn(
            table: name(3), name: name(30), type: .int, isNullable: false,
            collection: .dictionary, target: nil, keyType: .string)))
    #expect(
      try decode("06 03 15 00 01 00")
        == .addColumn(
          Instruction.NewColumn(
            table: name(3), name: name(21), type: .null, isNullable: true, collection: .none,
            target: nil, keyType: nil)))
  }

  /// Chapter 4, section 3.1.
  static let encodedIntegers: [(bytes: String, value: Int64)] = [
    ("00", 0), ("3f", 63), ("c0 00", 64), ("ff 00", 127), ("80 01", 128), ("ff 3f", 8191),
    ("80 c0 00", 8192), ("c0 84 3d", 1_000_000), ("40", -1), ("41", -2), ("7f", -64),
    ("c0 40", -65), ("ff 7f", -8192), ("80 c0 40", -8193),
    ("80 80 80 80 80 80 80 80 c0 00", 1 << 62), ("ff ff ff ff ff ff ff ff ff 00", Int64.max),
    ("ff ff ff ff ff ff ff ff ff 40", Int64.min),
  ]

  @Test("integers of all lengths", arguments: encodedIntegers)
  func integers(bytes: String, value: Int64) throws {
    #expect(try decode("02 00 01 \(bytes)") == .createObject(table: name(0), key: .int(value)))
  }

  @Test("the largest unsigned number is the half of a global key")
  func globalKey() throws {
    #expect(
      try decode("02 00 40 ff ff ff ff ff ff ff ff ff 01 03")
        == .createObject(table: name(0), key: .globalKey(high: UInt64.max, low: 3)))
  }

  @Test(
    "invalid bytes are refused with their offset",
    arguments: [
      ("0f", 0), ("3f 01 01 41", 1), ("3f 00 01 41 3f 01 01 41", 5), ("02 00 00", 1),
      ("3f 00 09 41", 3), ("3f 00 01 41 02 00 04", 6), ("3f 00 01 41 02 00", 6),
      ("3f 00 01 41 02 00 01 80 80 80 80 80 80 80 80 80 01", 7),
      ("3f 00 01 41 0a 00 00 00 01 02 02", 10), ("3f 00 01 41 0a 00 00 00 00 02", 5),
      ("3f 00 01 41 06 00 00 01 00 02 01", 10),
    ])
  func refused(bytes: String, offset: Int) {
    let error = #expect(throws: ChangesetError.self) {
      _ = try ChangesetDecoder.instructions(hexadecimalBytes(bytes))
    }
    #expect(error?.offset == offset)
  }

  @Test("any bytes end in instructions or an error")
  func random() {
    var generator = SplitMix64(seed: 7)
    for _ in 0..<20_000 {
      let count = Int.random(in: 0..<60, using: &generator)
      let start = strings(3)
      let bytes =
        start + (0..<count).map { _ in UInt8.random(in: 0...20, using: &generator) }
      _ = try? ChangesetDecoder.instructions(bytes)
    }
  }

  /// 1001 steps; a path of millions took a gigabyte.
  @Test("a path that is too long is refused")
  func longPath() {
    let start = strings(4) + [4, 2, 10] + id + [3]
    #expect(throws: ChangesetError.self) {
      // 1001 = 7 · 128 + 105, in groups of seven and six bits.
      _ = try ChangesetDecoder.instructions(
        start + [0xE9, 0x07] + [UInt8](repeating: 0, count: 1003))
    }
  }

  @Test("thousands of strings are distinguished, and a second definition is found")
  func manyStrings() throws {
    let names = (0..<5000).map { Instruction.InternedName(Array("name \($0)".utf8)) }
    var instructions = names.map { Instruction.eraseTable(name: $0) }
    instructions += names.reversed().map { Instruction.eraseTable(name: $0) }
    #expect(
      try ChangesetDecoder.instructions(ChangesetEncoder.encode(instructions)) == instructions)
    #expect(throws: ChangesetError("string 1 is defined a second time", at: 5)) {
      _ = try ChangesetDecoder.instructions([0x3F, 0, 1, 0x41, 0x3F, 1, 1, 0x41])
    }
  }

  /// Chapter 4, section 3.5: no primary key is an empty name, type −1 and 0.
  @Test("a class without primary key is encoded completely")
  func noPrimaryKey() throws {
    let name = Instruction.InternedName([0x41])
    let bytes = ChangesetEncoder.encode([
      .addTable(name: name, kind: .topLevel, primaryKey: nil), .eraseTable(name: name),
    ])
    #expect(
      try ChangesetDecoder.instructions(bytes) == [
        .addTable(
          name: name, kind: .topLevel,
          primaryKey: Instruction.PrimaryKeyColumn(
            name: Instruction.InternedName([]), type: .globalKey, isNullable: false)),
        .eraseTable(name: name),
      ])
  }

  @Test("a sign is no hexadecimal digit of a file name")
  func folderName() {
    #expect(FolderName.unescaped("x%+F") == nil)
    #expect(FolderName.unescaped("x%2F") == "x/")
    #expect(FolderName.unescaped("x% A") == "x\n")
  }
}
