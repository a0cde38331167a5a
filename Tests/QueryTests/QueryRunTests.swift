import Foundation
import RealmModel
import RealmStorage
import Synchronization
import TestSupport
import Testing

@testable import RealmQuery

@Suite("Running queries")
struct QueryRunTests {
  private static let path = packageFolder.appending(path: "Tests/Fixtures/query/people.realm").path
  private let realm: Realm

  init() throws { realm = try Realm(path: QueryRunTests.path) }

  private func run(_ text: String, ofClass name: String = "Person") throws -> QueryResult {
    try Query(text, ofClass: name, in: realm.schema.objects).run(in: realm)
  }

  @Test("an empty query finds all objects")
  func empty() throws {
    #expect(try run("").keys.count == 5)
    #expect(try run(" \n").keys.count == 5)
  }

  @Test("equality with an indexed property and words use the index")
  func indexes() throws {
    func kinds(_ text: String) throws -> [QueryStep.Kind] { try run(text).steps.map(\.kind) }
    #expect(try kinds("_id == 2") == [.index(className: "Person", property: "_id")])
    #expect(try kinds("age IN {20, 30}") == [.index(className: "Person", property: "age")])
    #expect(
      try kinds("n == 0 AND bio TEXT 'lazy'") == [.index(className: "Person", property: "bio")])
    #expect(
      try kinds("dog.name == 'Rex'")
        == [.linkedScan(className: "Dog"), .backlinks(className: "Person", path: "dog")])
    let scan = try run("n == 7").steps
    #expect(scan.map(\.kind) == [.scan(className: "Person")])
    #expect(scan[0].lookedAtCount == 5 && scan[0].foundCount == 1)
    #expect(scan[0].indexSuggestion == "n")
    #expect(try run("n > 7").steps[0].indexSuggestion == nil)
  }

  @Test("a query of another schema is refused")
  func otherSchema() throws {
    let other = ObjectSchema(classes: [
      ObjectClass(name: Name("Person"), properties: [Property(name: Name("n"), type: .int)])
    ])
    let query = try Query("n == 7", ofClass: "Person", in: other)
    #expect(throws: RealmFileError.self) { try query.run(in: realm) }
  }

  @Test(
    "paths read whole properties, values over links, sizes and types",
    arguments: [
      ("name", RealmValue.string("Ann")), ("dog.name", .string("Rex")),
      ("boss.name", .null), ("dogs.@count", .int(2)), ("name.@size", .int(3)),
      ("friends.name", .list([.string("bob"), .null])),
      ("friends.scores", .list([.int(5), .null])), ("scores[0]", .int(1)),
      ("attrs['eye']", .string("Blue")), ("address.city", .string("Oslo")),
      ("address", .object([.string("Oslo"), .int(150)])),
      ("scores", .list([.int(1), .int(2), .int(3)])),
      ("mix.@type", .string("int")), ("boss.dogs.@count", .null),
    ] as [(String, RealmValue)])
  func paths(text: String, expected: RealmValue) throws {
    let schema = realm.schema.objects
    let key = try run("_id == 1").keys
    let paths = try QueryPath.paths(text, ofClass: "Person", in: schema)
    let source = ColumnSource(
      realm, classPosition: try Query.position(ofClass: "Person", in: schema), keys: key,
      paths: paths)
    let cursor = try source.makeCursor()
    cursor.open(try #require(source.parts().first))
    let value = try #require(try cursor.next()).value(ofProperty: 0, row: 0)
    #expect(value == expected, "\(text): \(value)")
    #expect(source.schema.classes.last?.properties.map(\.name.text) == [text])
  }

  @Test("an invalid path is an error", arguments: ["", "name ==", "1", "name == 1 AND n"])
  func noPaths(text: String) {
    #expect(throws: QueryError.self) {
      try QueryPath.paths(text, ofClass: "Person", in: realm.schema.objects)
    }
  }

  @Test(
    "an index with an object that does not exist is damage, also if it decides the result alone")
  func danglingEntry() throws {
    let query = try Query("bio TEXT 'dog' LIMIT(1)", ofClass: "Person", in: realm.schema.objects)
    let columns = realm.schema.tables[query.classPosition].columns
    let root = try #require(columns.first { $0.name.text == "bio" }).index
    var edited = EditedRealm(
      try readFile(QueryRunTests.path))
    // The keys are four bytes of a word, and X at its end.
    let keys = edited.element(0, of: root)
    let word = 0x646F_6758
    let entry = try #require(
      (0..<edited.count(of: keys)).first { edited.element($0, of: keys) == word })
    edited.setSlot(entry + 1, of: root, to: 99)
    let folder = try TemporaryFolder()
    let path = folder.path("edited.realm")
    try Data(edited.bytes).write(to: URL(fileURLWithPath: path))
    do {
      let keys = try query.run(in: try Realm(path: path)).keys
      Issue.record("found \(keys)")
    } catch {
      #expect(error.kind == .damaged(.linkDangling))
      #expect(error.objectKey == 99)
    }
  }

  /// Few objects are looked at on the caller's thread.
  @Test(
    "the deepest conditions are evaluated on a thread with a small stack",
    arguments: [
      String(repeating: "(n == 1 || ", count: 98) + "n == 2" + String(repeating: ")", count: 98),
      String(repeating: "!(n == 1 || ", count: 49) + "n == 2" + String(repeating: ")", count: 49),
      (0..<49).map { "SUBQUERY(friends, $x\($0), " }.joined() + "age > 0"
        + String(repeating: ").@count > 0", count: 49),
    ])
  func smallStack(text: String) throws {
    let query = try Query(text, ofClass: "Person", in: realm.schema.objects)
    let scan = ClassScan(
      realm: realm, table: realm.schema.tables[query.classPosition],
      condition: query.resolved.condition, plan: QueryPlan(), jobs: 1)
    let found = Mutex<Result<[ObjectKey], any Error>?>(nil)
    let done = DispatchSemaphore(value: 0)
    let thread = Thread {
      let result = Result { try scan.run().keys }
      found.withLock { $0 = result }
      done.signal()
    }
    thread.stackSize = 512 << 10
    thread.start()
    done.wait()
    #expect(try found.withLock { try $0?.get() } == query.run(in: realm).keys)
  }

  /// Each changed realm gives a result or an error.
  @Test("queries of damaged realms end with a result or an error", arguments: 0..<8)
  func damage(part: UInt64) throws {
    let bytes = try readFile(QueryRunTests.path)
    let folder = try TemporaryFolder()
    let queries = [
      "age > 20", "name CONTAINS[c] 'n'", "friends.scores == 3", "dog.name == 'Rex'",
      "@links.@count > 0", "bio TEXT 'lazy'", "_id == 2", "mix[*] == 'two'",
      "SUBQUERY(@links.Person.friends, $x, $x.age > 5).@count > 0", "friends.boss._id == 2",
      "dog == obj('Dog', 'rex') OR age == 20", "@links.Person.dogs._id == 1",
      "TRUEPREDICATE SORT(dog.name ASC) DISTINCT(balance)",
    ]
    for seed in 0..<25 {
      var random = SplitMix64(seed: part * 1000 + UInt64(seed))
      var changed = bytes
      for _ in 0..<Int.random(in: 1...12, using: &random) {
        changed[Int.random(in: 24..<changed.count, using: &random)] =
          UInt8.random(in: 0...255, using: &random)
      }
      let path = folder.path("\(seed).realm")
      try Data(changed).write(to: URL(fileURLWithPath: path))
      do {
        let realm = try Realm(path: path)
        for text in queries {
          for usesShortcuts in [true, false] {
            do {
              let query = try Query(text, ofClass: "Person", in: realm.schema.objects)
              _ = try QueryRun(
                realm, query.resolved, jobs: 2, usesShortcuts: usesShortcuts
              ).run()
            } catch is QueryError {
              continue
            } catch let error as RealmFileError {
              #expect(!error.description.isEmpty)
            }
          }
        }
      } catch is RealmFileError {
        continue
      }
    }
  }
}
