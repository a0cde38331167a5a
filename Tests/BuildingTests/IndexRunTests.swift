import TestSupport
import Testing

@testable import RealmBuilding
@testable import RealmModel
@testable import RealmStorage

/// Runs of index entries and their merge, against entries sorted by the rules of chapter 3, section 5.
@Suite("Index runs")
struct IndexRunTests {
  /// A value as the index orders it: chunks of four bytes as signed numbers, zeros after the last byte.
  private struct Value: Hashable, Comparable {
    let bytes: [UInt8]
    private let chunks: [Int32]

    init(bytes: [UInt8]) {
      self.bytes = bytes
      // No value of these tests has more than 48 bytes.
      let padded = bytes + [UInt8](repeating: 0, count: 48 - bytes.count)
      chunks = stride(from: 0, to: 48, by: 4).map { start in
        padded[start..<(start + 4)].reduce(Int32(0)) { $0 << 8 | Int32($1) }
      }
    }

    static func < (a: Value, b: Value) -> Bool { a.chunks.lexicographicallyPrecedes(b.chunks) }
  }

  private func index(
    of type: PropertyType, isFulltext: Bool = false, limit: Int
  ) throws -> (BuildIndex, MemoryBudget) {
    let property = Property(
      name: Name("p"), type: type, isOptional: !isFulltext, index: isFulltext ? .fulltext : .search)
    let schema = ObjectSchema(classes: [
      ObjectClass(
        name: Name("C"),
        properties: [
          Property(name: Name("_id"), type: .int), property,
        ], primaryKey: 0)
    ])
    let layout = try BuildLayout(
      schema, classes: [0], .current, WriterPlatform(), hasVersion: false)
    let table = try #require(layout.tables[0])
    let budget = MemoryBudget(limit: limit)
    return (BuildIndex(table.columns[1], of: table, layout.indexOrder, budget), budget)
  }

  /// All values of an index with the keys of their objects.
  private func all(_ index: BuildIndex) throws -> [(value: [UInt8], keys: [UInt64])] {
    var result: [(value: [UInt8], keys: [UInt64])] = []
    let merge = try index.merge()
    while case let batch = try merge.next(), batch.count > 0 {
      for i in 0..<batch.count {
        let entry = batch.records.entry(i)
        let value = batch.bytes.slice(at: entry.position, count: entry.byteCount).bytes
        let keys = batch.objects.keys[batch.objects.range(of: entry)]
        // The objects of a value may be in several batches.
        if result.last?.value == value {
          result[result.count - 1].keys += keys
        } else {
          result.append((value, Array(keys)))
        }
      }
    }
    return result
  }

  /// Words of one to thirty bytes, many of them equal or with a common start.
  private func word(_ random: inout SplitMix64) -> [UInt8] {
    let start = Array(["", "a", "abcdefgh", "abcdefghijklmnop"][Int(random.next() % 4)].utf8)
    return start + (0..<(random.next() % 14)).map { _ in UInt8(0x61 + random.next() % 3) }
      + (random.next() % 3 == 0 ? [0xC3, 0xA9] : [])
  }

  @Test(
    "the values of many runs come in order, each with its objects, in memory and from a file",
    arguments: [1 << 30, 1], [1, 7, 100])
  func strings(limit: Int, pieces: Int) throws {
    let (index, budget) = try index(of: .string, limit: limit)
    var random = SplitMix64(seed: 31)
    var expected: [Value: [UInt64]] = [:]
    var first = 0
    for piece in 0..<pieces {
      let entries = IndexEntryList(.long, .current)
      let count = 20 + Int(random.next() % 60)
      for object in 0..<count {
        let value = random.next() % 20 == 0 ? nil : word(&random)
        let slice = value.map { lastingSlice($0) }
        entries.append(slice.map { IndexData($0) } ?? .null, object: object)
        expected[Value(bytes: value.map { $0 + [0x58] } ?? []), default: []].append(
          UInt64(first + object))
      }
      // Pieces whose objects have keys and others whose objects are numbered give the same.
      let keys = (0..<count).map { ObjectKey(Int64(first + $0)) }
      let run = IndexRun(
        sorting: entries, piece % 2 == 0 ? .unkeyed : .keyed(keys), scratchByteCount: 1 << 20)
      try index.append(run, firstObject: first)
      first += count
    }
    #expect(budget.byteCount <= max(limit, 1 << 17))
    let sorted = expected.sorted { $0.key < $1.key }
    let result = try all(index)
    #expect(result.map(\.value) == sorted.map(\.key.bytes))
    #expect(result.map(\.keys) == sorted.map(\.value))
  }

  @Test("numbers and null come in the order of their chunks", arguments: [1 << 30, 1])
  func numbers(limit: Int) throws {
    let (index, _) = try index(of: .int, limit: limit)
    let numbers: [Int64?] = [5, nil, -1, 0, 256, 1 << 40, 5, .min, nil, .max, 0x58]
    for (i, number) in numbers.enumerated() {
      let entries = IndexEntryList(.short, .current)
      entries.append(number.map { IndexData($0) } ?? .null, object: 0)
      try index.append(
        IndexRun(sorting: entries, .unkeyed, scratchByteCount: 1 << 20), firstObject: i)
    }
    var expected: [Value: [UInt64]] = [:]
    for (i, number) in numbers.enumerated() {
      let bytes = number.map { n in
        (0..<8).map { UInt8(truncatingIfNeeded: n >> ($0 * 8)) } + [0x58]
      }
      expected[Value(bytes: bytes ?? []), default: []].append(UInt64(i))
    }
    let sorted = expected.sorted { $0.key < $1.key }
    let result = try all(index)
    #expect(result.map(\.value) == sorted.map(\.key.bytes))
    #expect(result.map(\.keys) == sorted.map(\.value))
  }

  @Test("a word counts once for each object")
  func words() throws {
    let (index, _) = try index(of: .string, isFulltext: true, limit: 1 << 20)
    let entries = IndexEntryList(.words, .current)
    for (object, text) in ["b a b b", "b", "", "a b a"].enumerated() {
      entries.append(wordsOf: lastingSlice(Array(text.utf8)), object: object)
    }
    try index.append(
      IndexRun(sorting: entries, .unkeyed, scratchByteCount: 1 << 20), firstObject: 100)
    let result = try all(index).filter { $0.value.count > 1 }
    #expect(result.map(\.value) == [Array("aX".utf8), Array("bX".utf8)])
    #expect(result.map(\.keys) == [[100, 103], [100, 101, 103]])
  }

  @Test("ascending runs follow each other, and take a few bytes for a repeated value")
  func compact() throws {
    let entries = IndexEntryList(.short, .current)
    for object in 0..<1000 { entries.append(IndexData(Int64(object / 500)), object: object) }
    let run = IndexRun(sorting: entries, .unkeyed, scratchByteCount: 1 << 20)
    // For each of two values: its length, nine bytes, two numbers of two bytes, the first object, 499 differences of one.
    #expect(run.bytes.count == 2 * (1 + 9 + 2 + 2 + 499) + 1 + 2)
    let (index, _) = try index(of: .int, limit: 1 << 20)
    try index.append(run, firstObject: 0)
    #expect(try all(index).map(\.keys) == [Array(0..<500), Array(500..<1000)])
  }

  @Test(
    "compact numbers have seven bits in a byte",
    arguments: [
      (0, [0]), (127, [0x7F]), (128, [0x80, 1]), (300, [0xAC, 2]),
      (UInt64.max, Array(repeating: 0xFF, count: 9) + [1]),
    ] as [(UInt64, [UInt8])])
  func compactNumber(number: UInt64, bytes: [UInt8]) {
    let store = ByteStore()
    store.append(compact: number)
    #expect(store.slice(at: 0, count: store.count).bytes == bytes)
    var offset = 0
    #expect(CompactNumber.read(lastingSlice(bytes + [7]), at: &offset) == number)
    #expect(offset == bytes.count)
    offset = 0
    #expect(CompactNumber.read(lastingSlice(bytes.dropLast()), at: &offset) == nil)
  }
}
