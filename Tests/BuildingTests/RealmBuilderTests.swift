import Foundation
import RealmStorage
import TestSupport
import Testing

@testable import RealmBuilding
@testable import RealmModel

/// Realms built from hand-made batches and read back.
@Suite("Realm builder")
struct RealmBuilderTests {
  private let town = ObjectClass(
    name: Name("Town"), properties: [Property(name: Name("name"), type: .string)], primaryKey: 0)
  private let person = ObjectClass(
    name: Name("Person"),
    properties: [
      Property(name: Name("_id"), type: .int),
      Property(name: Name("town"), type: .link, isOptional: true, target: 1),
      Property(name: Name("towns"), type: .link, collection: .list, target: 1),
      Property(name: Name("seen"), type: .link, collection: .set, target: 1),
      Property(
        name: Name("named"), type: .link, isOptional: true, collection: .dictionary, target: 1),
    ], primaryKey: 0)

  private var schema: ObjectSchema { ObjectSchema(classes: [person, town]) }

  private func names(_ texts: [String?]) -> BatchColumn {
    .links(to: 1, primaryKeys: texts.map { $0.map { .string($0) } }, type: .string)
  }

  private func people(_ target: String = "Bree") -> ObjectBatch {
    ObjectBatch(
      classPosition: 0,
      columns: [
        .ints([7, 9]), names([target, nil]),
        .lists(ends: [3, 3], elements: names(["Bree", "Archet", "Bree"])),
        .lists(ends: [0, 3], elements: names(["Combe", "Bree", "Combe"])),
        .dictionaries(ends: [2, 2], keys: ["z", "a"], elements: names(["Bree", nil])),
      ])
  }

  private let towns = ObjectBatch(
    classPosition: 1, columns: [.strings(["Archet", "Bree", "Combe"])])

  @Test("links by primary key find objects before and after them", arguments: [false, true])
  func identities(townsFirst: Bool) throws {
    let batches = townsFirst ? [towns, people()] : [people(), towns]
    let built = try BatchSource(schema: schema, batches: batches).build()
    let objects = try built.objects("Person")
    let position = built.realm.schema.objects.classes.firstIndex { $0.name.text == "Town" }
    func links(_ value: RealmValue) -> [Int64?] {
      switch value {
      case .list(let values): values.map { links($0)[0] }
      case .dictionary(let entries): entries.map { links($0.value)[0] }
      case .link(let link): [link.classPosition == position ? link.key?.raw : nil]
      default: [nil]
      }
    }
    #expect(objects.map(\.key) == [0, 1])
    #expect(objects.map { links($0.values[1]) } == [[1], [nil]])
    #expect(objects.map { links($0.values[2]) } == [[1, 0, 1], []])
    // A set is in order, and has each member once.
    #expect(objects.map { links($0.values[3]) } == [[], [1, 2]])
    // A dictionary is in the order of its keys.
    #expect(objects.map { links($0.values[4]) } == [[nil, 1], []])
    if case .dictionary(let entries) = objects[0].values[4] {
      #expect(entries.map(\.key) == [.string("a"), .string("z")])
    }
  }

  @Test("there are as many backlinks as links")
  func backlinks() throws {
    let built = try BatchSource(schema: schema, batches: [people(), towns]).build()
    let table = try #require(built.realm.schema.table(named: "class_Town"))
    let reader = try RealmReader(built.realm)
    let cluster = try reader.cluster(try #require(try reader.clusters(of: table).first))
    var origins: [[[Int64]]] = []
    for column in table.backlinkColumns {
      let leaf = try BacklinkLeaf(
        try reader.nodes.lookUp(cluster.leaf(at: column.key.leafIndex)), rows: cluster.count)
      origins.append(
        try (0..<cluster.count).map { row in
          switch leaf.node.element(at: row) {
          case .null: []
          case .tagged(let key): [Int64(key)]
          case .ref(let ref): try BacklinkLeaf.keys(try reader.nodes.lookUp(ref))
          }
        })
    }
    // Columns in the order of the properties; towns Archet, Bree, Combe.
    #expect(
      origins == [
        [[], [0], []], [[0], [0, 0], []], [[], [1], [1]], [[], [0], []],
      ])
  }

  @Test("a link to a missing object is an error with its place")
  func missingTarget() throws {
    let error = #expect(throws: BuildError.self) {
      _ = try BatchSource(schema: schema, batches: [people("Moria"), towns]).build()
    }
    #expect(
      error
        == BuildError(
          .missingTarget(className: "Town", primaryKey: .string("Moria")), className: "Person",
          property: "town", objectKey: 0))
    #expect(
      error?.description
        == "class Person.town, object 0: the link refers to the object of class Town with primary key "
        + "\"Moria\", which does not exist")
  }

  @Test("the error of a set names the object with the link to a missing one")
  func missingMember() throws {
    let batch = ObjectBatch(
      classPosition: 0,
      columns: [
        .ints([7, 9, 11]), names([nil, nil, nil]), .lists(ends: [0, 0, 0], elements: names([])),
        .lists(ends: [2, 4, 5], elements: names(["Bree", "Combe", "Moria", "Bree", "Archet"])),
        .dictionaries(ends: [0, 0, 0], keys: [], elements: names([])),
      ])
    let error = #expect(throws: BuildError.self) {
      _ = try BatchSource(schema: schema, batches: [batch, towns]).build()
    }
    #expect(
      error
        == BuildError(
          .missingTarget(className: "Town", primaryKey: .string("Moria")), className: "Person",
          property: "seen", objectKey: 1))
  }

  /// A realm with indexes, links by primary key and strings of all lengths, so that each store moves to a file
  /// if there is little memory.
  @Test("data that does not fit in memory makes the same realm, byte for byte")
  func littleMemory() throws {
    var random = SplitMix64(seed: 21)
    func text() -> String {
      let length = [3, 9, 17, 40, 250][Int(random.next() % 5)]
      return String(
        decoding: (0..<length).map { _ in Array("ab cd".utf8)[Int(random.next() % 5)] },
        as: UTF8.self)
    }
    let node = ObjectClass(
      name: Name("Node"),
      properties: [
        Property(name: Name("_id"), type: .string),
        Property(name: Name("next"), type: .link, isOptional: true, target: 0),
        Property(name: Name("all"), type: .link, collection: .set, target: 0),
        Property(name: Name("text"), type: .string, index: .search),
        Property(name: Name("words"), type: .string, index: .fulltext),
        Property(name: Name("number"), type: .int, index: .search),
        Property(name: Name("any"), type: .mixed, isOptional: true, index: .search),
      ], primaryKey: 0)
    let (count, size) = (40, 250)
    func id(_ i: Int) -> RealmValue { .string("node \(i % 7) number \(i)") }
    let batches = (0..<count).map { batch in
      let rows = (batch * size)..<((batch + 1) * size)
      func links(_ steps: [Int]) -> BatchColumn {
        .links(
          to: 0,
          primaryKeys: rows.flatMap { i in steps.map { id((i + $0) % (count * size)) } },
          type: .string)
      }
      let names: [String?] = rows.map { "node \($0 % 7) number \($0)" }
      let texts: [String?] = rows.map { _ in text() }
      let words: [String?] = rows.map { _ in text() }
      let numbers: [Int64?] = rows.map { _ in Int64(random.next() % 5000) }
      let mixed = MixedColumn(
        values: rows.map { $0 % 3 == 0 ? .int(Int64($0 % 100)) : .double(Double($0 % 200)) })
      return ObjectBatch(
        classPosition: 0,
        columns: [
          .strings(names), links([4001]),
          .lists(ends: (1...size).map { 2 * $0 }, elements: links([77, 5003])), .strings(texts),
          .strings(words), .ints(numbers), BatchColumn(.mixed(mixed)),
        ])
    }
    let source = BatchSource(schema: ObjectSchema(classes: [node]), batches: batches)
    func bytes(limit: Int, jobs: Int) throws -> Data {
      var request = RealmBuilder.Request()
      (request.memoryByteCount, request.jobs) = (limit, jobs)
      let built = try source.build(request, jobs: jobs)
      defer { withExtendedLifetime(built) {} }
      return try Data(contentsOf: URL(fileURLWithPath: built.folder.path("x.realm")))
    }
    let whole = try bytes(limit: 256 << 20, jobs: 1)
    #expect(try bytes(limit: 1, jobs: 1) == whole)
    #expect(try bytes(limit: 1, jobs: 2) == whole)
  }

  /// Chapter 3, section 4.3: the key of the tombstone of "missing" was measured with the reference.
  /// Primary keys of 16 bytes that were chosen to have equal hashes.
  @Test("a link finds its target by its primary key, not by a shared hash")
  func equalHashes() throws {
    func id(_ low: UInt64, _ high: UInt64) -> [UInt8] {
      [low, high].flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) } }
    }
    let count: UInt64 = 16 << 56
    let other = mixed(1 ^ count) &+ 3 &- mixed(2 ^ count)
    let ids = [id(1, 3), id(2, other)]
    let schema = ObjectSchema(classes: [
      ObjectClass(
        name: Name("Thing"), properties: [Property(name: Name("id"), type: .uuid)], primaryKey: 0),
      ObjectClass(
        name: Name("Link"),
        properties: [Property(name: Name("to"), type: .link, isOptional: true, target: 0)]),
    ])
    func links(_ ids: [[UInt8]]) -> ObjectBatch {
      ObjectBatch(
        classPosition: 1,
        columns: [.links(to: 0, primaryKeys: ids.map { .uuid($0) }, type: .uuid)])
    }
    func things(_ ids: [[UInt8]]) -> ObjectBatch {
      ObjectBatch(classPosition: 0, columns: [.uuids(ids)])
    }
    let built = try BatchSource(schema: schema, batches: [links(ids), things(ids)]).build()
    let targets = try built.objects("Link").map { object -> Int64? in
      if case .link(let link) = object.values[0] { link.key?.raw } else { nil }
    }
    #expect(targets == [0, 1])
    #expect(throws: BuildError.self) {
      _ = try BatchSource(schema: schema, batches: [links(ids), things([ids[0]])]).build()
    }
  }

  @Test("on request, such a link gets a tombstone")
  func tombstone() throws {
    var request = RealmBuilder.Request()
    request.allowsMissingTargets = true
    let built = try BatchSource(schema: schema, batches: [people("missing"), towns]).build(request)
    let value = try built.objects("Person")[0].values[1]
    guard case .link(let link) = value else { return #expect(Bool(false), "\(value)") }
    #expect(link.isUnresolved)
    #expect(link.key?.raw == -473_302_717_188_276_572)
    #expect(link.primaryKey == [.string("missing")])
  }

  @Test("two objects with the same primary key are an error that names both")
  func duplicates() throws {
    let batches = [
      ObjectBatch(classPosition: 1, columns: [.strings(["Bree", "Combe"])]),
      ObjectBatch(classPosition: 1, columns: [.strings(["Archet", "Bree"])]),
    ]
    let error = #expect(throws: BuildError.self) {
      _ = try BatchSource(schema: schema, batches: batches).build()
    }
    #expect(
      error
        == BuildError(
          .duplicatePrimaryKey(.string("Bree"), otherKey: 0), className: "Town", property: "name",
          objectKey: 3))
  }

  @Test(
    "several errors are reported together: first the objects, then the links", arguments: [1, 2, 9])
  func severalErrors(limit: Int) throws {
    var request = RealmBuilder.Request()
    request.errorLimit = limit
    let towns = ObjectBatch(
      classPosition: 1, columns: [.strings(["Bree", "Combe", "Combe", "Bree", "Bree", "Archet"])])
    let error = #expect(throws: BuildError.self) {
      _ = try BatchSource(schema: schema, batches: [people("missing"), towns]).build(request)
    }
    func duplicate(_ name: String, _ key: Int64, _ other: Int64) -> BuildError {
      BuildError(
        .duplicatePrimaryKey(.string(name), otherKey: other), className: "Town", property: "name",
        objectKey: key)
    }
    let all = try #require(error.map { [BuildError($0.kind)] + $0.others })
    let expected = [duplicate("Combe", 2, 1), duplicate("Bree", 3, 0), duplicate("Bree", 4, 3)]
    #expect(error?.objectKey == 2)
    #expect(Array(all.dropFirst().prefix(2)) == Array(expected.dropFirst().prefix(limit - 1)))
    #expect(all.count == (limit == 9 ? 4 : limit))
    guard limit == 9 else { return }
    #expect(
      all[3].kind == .missingTarget(className: "Town", primaryKey: .string("missing")))
    #expect(all[3].className == "Person")
  }

  @Test("objects without primary key get squeezed keys, and slot 9 the next number")
  func squeezedKeys() throws {
    let schema = ObjectSchema(classes: [
      ObjectClass(name: Name("Dot"), properties: [Property(name: Name("x"), type: .int)])
    ])
    let batches = [200, 100].map { count in
      ObjectBatch(classPosition: 0, columns: [.ints((0..<count).map { Int64($0) })])
    }
    let built = try BatchSource(schema: schema, batches: batches).build()
    let keys = try built.objects("Dot").map(\.key)
    // Chapter 3, section 4.4: 255 is followed by 65536.
    #expect(keys == Array(0...255) + Array(65536...65579))
    #expect(built.realm.schema.table(named: "class_Dot")?.sequenceNumber == 300)
  }

  @Test("objects keep the keys that they come with; these must ascend")
  func keptKeys() throws {
    let schema = ObjectSchema(classes: [
      ObjectClass(name: Name("Dot"), properties: [Property(name: Name("x"), type: .int)])
    ])
    func batch(_ keys: [Int64]) -> ObjectBatch {
      ObjectBatch(
        classPosition: 0, keys: keys.map { ObjectKey($0) }, columns: [.ints(keys.map { $0 })])
    }
    let built = try BatchSource(
      schema: schema, batches: [batch([3, 4, 9]), batch([65537, 1 << 40])]
    ).build()
    #expect(try built.objects("Dot").map(\.key) == [3, 4, 9, 65537, 1 << 40])
    let error = #expect(throws: BuildError.self) {
      _ = try BatchSource(schema: schema, batches: [batch([3, 9]), batch([4])]).build()
    }
    #expect(error == BuildError(.keyOrder(after: 9), className: "Dot", objectKey: 4))
  }

  @Test("null in a required property is an error")
  func requiredNull() throws {
    let batch = ObjectBatch(classPosition: 1, columns: [.strings(["Bree", nil])])
    let error = #expect(throws: BuildError.self) {
      _ = try BatchSource(schema: schema, batches: [batch]).build()
    }
    #expect(error == BuildError(.nullInRequired, className: "Town", property: "name"))
  }

  @Test("properties that a batch leaves out have their default values")
  func defaults() throws {
    let batch = ObjectBatch(classPosition: 0, columns: [.ints([1]), nil, nil, nil, nil])
    let built = try BatchSource(schema: schema, batches: [batch]).build()
    #expect(
      try built.objects("Person")[0].values == [
        .int(1), .null, .list([]), .list([]), .dictionary([]),
      ])
  }

  @Test("the schema version is in the first table, which SDKs read")
  func schemaVersion() throws {
    var request = RealmBuilder.Request()
    request.schemaVersion = 42
    let built = try BatchSource(schema: schema, batches: []).build(request)
    #expect(try built.realm.schemaVersion() == 42)
    #expect(
      built.realm.schema.tables.map(\.name.text) == ["metadata", "class_Person", "class_Town"])
    #expect(try BatchSource(schema: schema, batches: []).build().realm.schemaVersion() == nil)
  }
}
