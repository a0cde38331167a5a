import Foundation
import RealmModel
import RealmStorage
import Synchronization
import Testing

/// Persons and towns that are not in a file.
private final class HandMadeSource: ObjectSource {
  typealias Failure = Never

  let schema = ObjectSchema(classes: [
    ObjectClass(
      name: Name("Person"),
      properties: [
        Property(name: Name("_id"), type: .int),
        Property(name: Name("name"), type: .string, isOptional: true),
        Property(name: Name("scores"), type: .double, collection: .list),
        Property(name: Name("town"), type: .link, isOptional: true, target: 1),
      ], primaryKey: 0),
    ObjectClass(
      name: Name("Town"), properties: [Property(name: Name("name"), type: .string)], primaryKey: 0),
  ])
  let classes = [0, 1]
  let partCount: Int
  var objectCount: Int { partCount * 2 }
  let accepted = Mutex<[Int]>([])

  init(partCount: Int) { self.partCount = partCount }

  func parts() -> [ObjectPart] {
    (0..<partCount).map { ObjectPart(classPosition: $0 < partCount - 1 ? 0 : 1, number: $0) }
  }

  func makeCursor() -> HandMadeCursor { HandMadeCursor() }

  func accept(_ report: PartReport, of part: ObjectPart) {
    accepted.withLock { $0.append(report.objectCount) }
  }
}

private struct HandMadeCursor: ObjectCursor {
  typealias Failure = Never
  private var part: ObjectPart?
  private var given = 0

  mutating func open(_ part: ObjectPart) { (self.part, given) = (part, 0) }

  mutating func next() -> ObjectBatch? {
    guard let part else { return nil }
    self.part = nil
    given = 2
    guard part.classPosition == 0 else {
      return ObjectBatch(classPosition: 1, columns: [.strings(["Bree", "Hobbiton"])])
    }
    let number = Int64(part.number)
    return ObjectBatch(
      classPosition: 0, keys: [ObjectKey(number * 2), ObjectKey(number * 2 + 1)],
      columns: [
        .ints([number * 2, number * 2 + 1]), .strings(["Frodo \(number)", nil]),
        .lists(ends: [2, 3], elements: .doubles([0.5, 1.5, Double(number)])),
        .links(to: 1, primaryKeys: [.string("Bree"), nil], type: .string),
      ])
  }

  mutating func close() -> PartReport { PartReport(objectCount: given) }
}

/// Counts the objects of each class, and folds all their values, in order, to one number.
private final class CountingSink: ObjectSink {
  typealias Failure = RealmFileError
  typealias Encoder = CountingEncoder
  typealias Report = Total

  struct Total: Equatable {
    var counts: [Int: Int] = [:]
    /// FNV-1a over the descriptions of all values.
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
  }

  private let total = Mutex(Total())

  func begin(_ schema: ObjectSchema, classes: [Int]) {
    total.withLock { $0.counts = Dictionary(uniqueKeysWithValues: classes.map { ($0, 0) }) }
  }

  func makeEncoder() -> CountingEncoder { CountingEncoder() }

  func accept(_ output: CountingEncoder.Output, of part: ObjectPart, isLast: Bool) {
    total.withLock { total in
      total.counts[part.classPosition, default: 0] += output.count
      for byte in output.text.utf8 {
        total.hash = (total.hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3
      }
    }
  }

  func finish() -> Total { total.withLock { $0 } }
}

private struct CountingEncoder: ObjectEncoder {
  typealias Failure = RealmFileError

  struct Output: Sendable {
    var count = 0
    var text = ""
  }

  private var output = Output()

  mutating func begin(_ part: ObjectPart, _ outlet: PartOutlet<Output, RealmFileError>) {
    output = Output()
  }

  mutating func encode(_ batch: ObjectBatch) throws(RealmFileError) {
    output.count += batch.count
    for row in 0..<batch.count {
      for property in 0..<batch.propertyCount {
        output.text += "\(try batch.value(ofProperty: property, row: row))"
      }
    }
  }

  mutating func end() -> Output { output }
  static func weight(of output: Output) -> Int { output.text.utf8.count }
}

/// Renames the class and leaves the objects unchanged.
private struct Renaming: ObjectTransform {
  typealias Failure = Never

  func transform(_ schema: ObjectSchema) -> ObjectSchema {
    ObjectSchema(
      classes: schema.classes.map {
        ObjectClass(
          name: Name("New" + $0.name.text), kind: $0.kind, properties: $0.properties,
          primaryKey: $0.primaryKey)
      })
  }

  func transform(_ batch: ObjectBatch) -> ObjectBatch { batch }
}

@Suite("A source and a sink of another package")
struct OwnSourceAndSinkTests {
  @Test("objects go from a hand-made source to a sink in order, for any number of threads")
  func road() throws {
    var totals: [CountingSink.Total] = []
    for jobs in [1, 2, 8] {
      let source = HandMadeSource(partCount: 100)
      totals.append(try ObjectRoad(from: source, to: CountingSink(), jobs: jobs).run())
      #expect(source.accepted.withLock { $0 } == Array(repeating: 2, count: 100))
    }
    #expect(totals[0].counts == [0: 198, 1: 2])
    #expect(totals[1] == totals[0])
    #expect(totals[2] == totals[0])
    let other = try ObjectRoad(from: HandMadeSource(partCount: 99), to: CountingSink()).run()
    #expect(other.hash != totals[0].hash)
  }

  @Test("a hand-made batch has the values that it was made from")
  func values() throws {
    var cursor = HandMadeSource(partCount: 3).makeCursor()
    cursor.open(ObjectPart(classPosition: 0, number: 1))
    let next = cursor.next()
    let batch = try #require(next)
    #expect(try batch.value(ofProperty: 0, row: 1) == .int(3))
    #expect(try batch.value(ofProperty: 1, row: 0) == .string("Frodo 1"))
    #expect(try batch.value(ofProperty: 1, row: 1) == .null)
    #expect(try batch.value(ofProperty: 2, row: 0) == .list([.double(0.5), .double(1.5)]))
    #expect(try batch.value(ofProperty: 2, row: 1) == .list([.double(1)]))
    #expect(
      try batch.value(ofProperty: 3, row: 0)
        == .link(RealmLink(classPosition: 1, primaryKey: .string("Bree"))))
    #expect(try batch.value(ofProperty: 3, row: 1) == .null)
  }

  @Test("the objects of a realm reach a sink of another package")
  func realm() throws {
    let golden = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Fixtures/golden")
    let realm = try Realm(path: golden.appending(path: "people.realm").path)
    var totals: [CountingSink.Total] = []
    for jobs in [1, 4] {
      totals.append(
        try ObjectRoad(from: RealmSource(realm), to: CountingSink(), jobs: jobs).run())
    }
    #expect(totals[0] == totals[1])
    // From the reference's export of the realm.
    let text = try Data(contentsOf: golden.appending(path: "people.core-xjson-plus.json"))
    let document = try #require(
      try JSONSerialization.jsonObject(with: text) as? [String: [[String: Any]]])
    for (position, count) in totals[0].counts {
      let name = realm.objectSchema.classes[position].name.text
      #expect(document[name]?.count == count, "\(name)")
    }
  }

  @Test("a transform changes the schema and passes the objects on")
  func transform() throws {
    let source = TransformedSource(HandMadeSource(partCount: 5), by: Renaming())
    #expect(source.schema.classes.map(\.name.text) == ["NewPerson", "NewTown"])
    let total = try ObjectRoad(from: source, to: CountingSink(), jobs: 2).run()
    #expect(total.counts == [0: 8, 1: 2])
  }
}
