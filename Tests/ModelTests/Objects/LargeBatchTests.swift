import RealmStorage
import TestSupport
import Testing

@testable import RealmModel

@Suite("Batches of large values")
struct LargeBatchTests {
  @Test("objects of many bytes come in several batches, in order, each one complete")
  func bytes() throws {
    let photo = ObjectClass(
      name: Name("Photo"),
      properties: [
        Property(name: Name("_id"), type: .int), Property(name: Name("image"), type: .binary),
      ], primaryKey: 0)
    // Nine megabytes each, so three objects fit into 32 MB, and four do not.
    let images = (0..<8).map { [UInt8](repeating: UInt8($0), count: 9 << 20) }
    let built = try BatchSource(
      schema: ObjectSchema(classes: [photo]),
      batches: [
        ObjectBatch(classPosition: 0, columns: [.ints(Array(0..<8)), .binaries(images)])
      ]
    ).build()
    let source = RealmSource(built.realm)
    let cursor = try source.makeCursor()
    var (counts, ids): ([Int], [Int64]) = ([], [])
    for part in try source.parts() {
      cursor.open(part)
      while let batch = try cursor.next() {
        counts.append(batch.count)
        for row in 0..<batch.count {
          guard case .int(let id) = try batch.value(ofProperty: 0, row: row) else { continue }
          ids.append(id)
          let image = try batch.value(ofProperty: 1, row: row)
          #expect(image == .binary(images[Int(id)]))
        }
      }
      try source.accept(cursor.close(), of: part)
    }
    #expect(counts == [2, 3, 3])
    #expect(ids == Array(0..<8))
  }

  @Test("lists of one object that fill a batch together are kept, the others come in runs")
  func roomOfObject() throws {
    let names = ["a", "b", "c", "d"]
    let counts = [40_000, 40_000, 40_000, 1000]
    let numbers = ObjectClass(
      name: Name("Numbers"),
      properties: names.map { Property(name: Name($0), type: .int, collection: .list) })
    let columns = counts.map { count in
      BatchColumn.lists(ends: [count], elements: .ints((0..<Int64(count)).map { $0 }))
    }
    let built = try BatchSource(
      schema: ObjectSchema(classes: [numbers]),
      batches: [ObjectBatch(classPosition: 0, columns: columns)]
    ).build()
    let source = RealmSource(built.realm)
    let cursor = try source.makeCursor()
    cursor.open(try source.parts()[0])
    let batch = try #require(try cursor.next())
    let lists = batch.columns.compactMap { column -> CollectionColumn? in
      if case .collection(let list)? = column { list } else { nil }
    }
    // The last one fits next to the first one.
    #expect(lists.map { $0.runs != nil } == [false, true, true, false])
    for (position, count) in counts.enumerated() {
      let value = try batch.value(ofProperty: position, row: 0)
      #expect(value == .list((0..<Int64(count)).map { .int($0) }))
    }
  }
}
