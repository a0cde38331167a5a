import RealmStorage
import TestSupport
import Testing

@testable import RealmBuilding
@testable import RealmModel
@testable import RealmVerify

/// Indexes built from batches, against entries computed by hand (chapter 3, section 5).
@Suite("Search index builder")
struct SearchIndexBuilderTests {
  private func build(
    _ property: Property, _ column: BatchColumn, isPrimaryKey: Bool = false, copies: Int = 1,
    limit: Int = 256 << 20
  ) throws -> BuiltRealm {
    let schema = ObjectSchema(classes: [
      ObjectClass(
        name: Name("C"), properties: [property], primaryKey: isPrimaryKey ? 0 : nil)
    ])
    var request = RealmBuilder.Request()
    request.memoryByteCount = limit
    let batch = ObjectBatch(classPosition: 0, columns: [column])
    return try BatchSource(
      schema: schema, batches: Array(repeating: batch, count: copies)
    ).build(request)
  }

  private func chunk(_ bits: UInt32) -> Int32 { Int32(bitPattern: bits) }

  @Test("a primary key of integers, as the reference stores it")
  func integers() throws {
    let built = try build(
      Property(name: Name("p"), type: .int), .ints([5, 7, -1]), isPrimaryKey: true)
    #expect(
      try built.index("C", "p") == [
        [-1]: [2], [chunk(0x0500_0000)]: [0], [chunk(0x0700_0000)]: [1],
      ])
    let column = try #require(built.realm.schema.table(named: "class_C")?.column(named: "p"))
    let nodes = try built.realm.snapshot.makeReader()
    let root = try nodes.lookUp(column.index)
    #expect(root.header.flags & 0xF8 == 0x60)
    // Keys are compared with their signs.
    #expect(try nodes.lookUp(root.ref(at: 0)).integers() == [-1, 0x0500_0000, 0x0700_0000])
  }

  @Test("an empty index has keys of 32 bits")
  func empty() throws {
    let built = try build(
      Property(name: Name("p"), type: .int, index: .search), .ints([]))
    let column = try #require(built.realm.schema.table(named: "class_C")?.column(named: "p"))
    let nodes = try built.realm.snapshot.makeReader()
    let root = try nodes.lookUp(column.index)
    #expect((root.header.flags & 0xF8, root.count) == (0x60, 1))
    let keys = try nodes.lookUp(root.ref(at: 0))
    #expect((keys.header.flags, keys.count) == (6, 0))
  }

  @Test("null, empty strings and strings with a common prefix have entries of their own")
  func strings() throws {
    let built = try build(
      Property(name: Name("p"), type: .string, isOptional: true, index: .search),
      .strings([nil, "", "a", "abc", "abcX", "abcd", "été", "abcd"]))
    let abcX: Int32 = 0x6162_6358
    let abcd: Int32 = 0x6162_6364
    #expect(
      try built.index("C", "p") == [
        [0]: [0], [0x5800_0000]: [1], [0x6158_0000]: [2],
        // "abc" ends in this chunk, "abcX" continues in the next one.
        [abcX, 0]: [3], [abcX, 0x5800_0000]: [4],
        // Equal values share a list.
        [abcd]: [5, 7],
        [chunk(0xC3A9_74C3)]: [6],
      ])
  }

  @Test("the end of the bytes distinguishes zero from null, for every type")
  func zeros() throws {
    let zeros = [UInt8](repeating: 0, count: 16)
    let uuids = try build(
      Property(name: Name("p"), type: .uuid, isOptional: true, index: .search),
      .uuids([zeros, nil]))
    #expect(
      try uuids.index("C", "p") == [[0, 0, 0, 0, 0x5800_0000]: [0], [0, 0, 0, 0, 0]: [1]])
    let numbers = try build(
      Property(name: Name("p"), type: .int, isOptional: true, index: .search), .ints([0, nil, 256]))
    #expect(
      try numbers.index("C", "p") == [
        [0, 0, 0x5800_0000]: [0], [0, 0, 0]: [1], [0x0001_0000]: [2],
      ])
    let dates = try build(
      Property(name: Name("p"), type: .timestamp, isOptional: true, index: .search),
      .dates([(0, 0), nil]))
    #expect(try dates.index("C", "p") == [[0, 0, 0, 0x5800_0000]: [0], [0, 0, 0, 0]: [1]])
  }

  @Test("strings that agree up to byte 204 are one list, in the order of their values")
  func longStrings() throws {
    let start = String(repeating: "m", count: 204)
    let built = try build(
      Property(name: Name("p"), type: .string, index: .search),
      .strings([start + "z", start + "a", "x", start + "z", String(start.dropLast())]))
    let index = try built.index("C", "p")
    let m: Int32 = 0x6D6D_6D6D
    #expect(index[Array(repeating: m, count: 51)] == [1, 0, 3])
    #expect(index[Array(repeating: m, count: 50) + [0x6D6D_6D58]] == [4])
    #expect(index[[0x7858_0000]] == [2])
    #expect(index.count == 3)
  }

  @Test("mixed values with the same bytes are one list, in the order of their values")
  func mixedValues() throws {
    var values = MixedColumn(values: [])
    let (arena, slices) = ByteArena.copy([Array("abc".utf8), Array("abc".utf8)])
    defer { withExtendedLifetime(arena) {} }
    values.values = [
      .binary(slices[0] ?? .empty), .double(5.5), .int(5), .string(slices[1] ?? .empty), .null,
      .decimal(Decimal128(isNegative: false, exponent: -2, coefficient: 525)), .double(5),
    ]
    let built = try build(
      Property(name: Name("p"), type: .mixed, isOptional: true, index: .search),
      BatchColumn(.mixed(values)))
    let index = try built.index("C", "p")
    // 5.25 is under 5, after 5 and 5.0; a string comes before the same bytes as a binary.
    #expect(index[[0x0500_0000]] == [2, 6, 5])
    #expect(index[[0x6162_6358]] == [3, 0])
    #expect(index.values.flatMap(\.self).sorted() == [0, 1, 2, 3, 4, 5, 6])
  }

  @Test("a full-text index has each word of each string once, up to its end")
  func fulltext() throws {
    let built = try build(
      Property(name: Name("p"), type: .string, isOptional: true, index: .fulltext),
      .strings(["Hell, hello HELL", "hell", nil, "Élan ×"]))
    let hell: Int32 = 0x6865_6C6C
    #expect(
      try built.index("C", "p") == [
        [hell, 0x5800_0000]: [0, 1], [hell, 0x6F58_0000]: [0],
        // "elan", whose last chunk is full; and the empty word.
        [0x656C_616E]: [3], [0x5800_0000]: [3],
      ])
  }

  @Test("a word that is not a prefix of another has its entry in its last chunk")
  func wholeWord() throws {
    let built = try build(
      Property(name: Name("p"), type: .string, collection: .list, index: .search),
      .lists(ends: [2, 3], elements: .strings(["hell", "hell", "a long one"])))
    #expect(
      try built.index("C", "p") == [
        [0x6865_6C6C]: [0], [0x6120_6C6F, 0x6E67_206F, 0x6E65_5800]: [1],
      ])
  }

  @Test("a word of more than 200 bytes is an error")
  func longWord() throws {
    let error = #expect(throws: BuildError.self) {
      _ = try build(
        Property(name: Name("p"), type: .string, collection: .list, index: .search),
        .lists(ends: [1], elements: .strings([String(repeating: "w", count: 201)])))
    }
    #expect(error?.kind == .wordTooLong(byteCount: 201, limit: 200))
  }

  @Test(
    "levels of more than 1000 keys have inner nodes, with the same result if they do not fit in memory",
    arguments: [256 << 20, 1])
  func many(limit: Int) throws {
    let built = try build(
      Property(name: Name("p"), type: .int, index: .search),
      .ints((0..<250).map { $0 * 40_503 % 1013 }), copies: 50, limit: limit)
    let index = try built.index("C", "p")
    #expect(index.count == 250)
    // Each value is in each of 50 batches, in the order of the keys.
    let keys = (0..<50).map { GlobalKey(high: 0, low: UInt64($0 * 250 + 3)).squeezedKey.raw }
    #expect(index[[chunk(UInt32(3 * 40_503 % 1013).byteSwapped)]] == keys)
    let words = try build(
      Property(name: Name("p"), type: .string, index: .fulltext),
      .strings((0..<250).map { "word\($0) and word\($0 * 7)" }), copies: 20, limit: limit)
    // "and" is in all strings.
    #expect(try words.index("C", "p")[[0x616E_6458]]?.count == 20 * 250)
  }

  @Test("a level of more keys than a node has every key once", arguments: [256 << 20, 1])
  func wideLevel(limit: Int) throws {
    let property = Property(name: Name("p"), type: .int, index: .search)
    let schema = ObjectSchema(classes: [ObjectClass(name: Name("C"), properties: [property])])
    // 5000 distinct numbers, unordered: 7919 is prime.
    let numbers = (0..<5000).map { Int64($0 * 7919 % 5000) }
    let batches = stride(from: 0, to: numbers.count, by: 250).map { start in
      ObjectBatch(classPosition: 0, columns: [.ints(Array(numbers[start..<(start + 250)]))])
    }
    var request = RealmBuilder.Request()
    request.memoryByteCount = limit
    let built = try BatchSource(schema: schema, batches: batches).build(request)
    var expected: [[Int32]: [Int64]] = [:]
    for (i, number) in numbers.enumerated() {
      expected[[chunk(UInt32(number).byteSwapped)]] = [
        GlobalKey(high: 0, low: UInt64(i)).squeezedKey.raw
      ]
    }
    #expect(expected.count == 5000)
    #expect(try built.index("C", "p") == expected)
  }

  @Test("an index stores the bytes of words of every length", arguments: 1...70)
  func entries(length: Int) {
    let word = (0..<length).map { UInt8(ascii: "a") + UInt8($0 % 26) }
    let entries = IndexEntryList(.words, .current)
    entries.append(wordsOf: lastingSlice(Array("x ".utf8) + word + Array(" y".utf8)), object: 3)
    let kept = Array(word.prefix(64))
    let end = UInt8(ascii: "X")
    let bytes = [UInt8(ascii: "x"), end] + kept + [end, UInt8(ascii: "y"), end]
    #expect(entries.bytes.slice(at: 0, count: entries.bytes.count).bytes == bytes)
    #expect(entries.records.count == 3)
    let padded = kept + [end] + [UInt8](repeating: 0, count: 8)
    // The chunks are compared as signed numbers.
    let first = padded[..<8].reduce(0) { $0 << 8 | UInt64($1) } ^ 0x8000_0000_8000_0000
    #expect(
      entries.records.words(3..<6) == [first, 2 << 24 | UInt64(kept.count + 1), 3])
  }
}

extension BuiltRealm {
  /// The entries of an index: the keys by the chunks that lead to them.
  fileprivate func index(_ className: String, _ property: String) throws -> [[Int32]: [Int64]] {
    let table = realm.schema.tables.first { $0.className.text == className }
    guard let column = table?.column(named: property) else { return [:] }
    var collector = IndexCollector()
    let nodes = try realm.snapshot.makeReader()
    nodes.traversing { SearchIndexWalk(nodes: nodes).run(root: column.index, &collector) }
    guard collector.findings.list.isEmpty else { return [:] }
    return collector.entries
  }
}

/// Collects the entries of an index.
private struct IndexCollector: SearchIndexVisitor {
  var findings = Findings(limit: 10)
  var entries: [[Int32]: [Int64]] = [:]

  mutating func visit(_ some: [SearchIndexEntry], path: [Int32], at ref: Ref) {
    for entry in some { entries[path + [entry.chunk]] = [entry.key.raw] }
  }

  mutating func visit(_ keys: [Int64], path: [Int32], at ref: Ref) {
    entries[path, default: []] += keys
  }

  mutating func endList(path: [Int32], at ref: Ref, isWhole: Bool) {}
}
