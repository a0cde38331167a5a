import RealmStorage
import TestSupport
import Testing

@testable import RealmBuilding
@testable import RealmModel

/// Objects added to a realm, by hand; expected values are written down here.
@Suite("Merged source")
struct MergedSourceTests {
  private static let town = ObjectClass(
    name: Name("Town"),
    properties: [
      Property(name: Name("name"), type: .string),
      Property(name: Name("size"), type: .int),
      Property(name: Name("seal"), type: .objectId),
      Property(name: Name("note"), type: .string, isOptional: true),
      Property(name: Name("years"), type: .int, collection: .list),
    ], primaryKey: 0)
  private static let person = ObjectClass(
    name: Name("Person"),
    properties: [
      Property(name: Name("name"), type: .string),
      Property(name: Name("home"), type: .link, isOptional: true, target: 0),
      Property(name: Name("seen"), type: .link, collection: .list, target: 0),
      Property(
        name: Name("named"), type: .link, isOptional: true, collection: .dictionary, target: 0),
      Property(name: Name("any"), type: .mixed, isOptional: true),
      Property(name: Name("friend"), type: .link, isOptional: true, target: 1),
    ])
  private static let schema = ObjectSchema(classes: [town, person])

  /// The classes of added objects: single values are optional, and the last property is a marker.
  private static let added = ObjectSchema(
    classes: schema.classes.map { objectClass in
      let properties = objectClass.properties.enumerated().map { i, property in
        Property(
          name: property.name, type: property.type,
          isOptional: property.isOptional || property.collection == nil && i != 0,
          collection: property.collection, target: property.target)
      }
      return ObjectClass(
        name: objectClass.name,
        properties: properties + [Property(name: Name("mark"), type: .binary, isOptional: true)],
        primaryKey: objectClass.primaryKey)
    })

  private static let seal = Array(repeating: UInt8(7), count: 12)

  private static func towns(_ names: [String], size: Int64, years: [Int64]) -> ObjectBatch {
    ObjectBatch(
      classPosition: 0,
      columns: [
        .strings(names), .ints(names.map { _ in size }), .objectIds(names.map { _ in seal }),
        .strings(names.map { "old " + $0 }),
        .lists(
          ends: names.indices.map { ($0 + 1) * years.count },
          elements: .ints(names.flatMap { _ in years })),
      ])
  }

  /// Towns with a name and the values that are not nil.
  private static func added(
    _ names: [String], sizes: [Int64]? = nil, notes: [String?]? = nil, years: [Int64]? = nil,
    sealed: Bool = false
  ) -> ObjectBatch {
    var mark = AddedMark(propertyCount: 5)
    if sizes == nil { mark.insert(1) }
    if !sealed { mark.insert(2) }
    if notes == nil { mark.insert(3) }
    if years == nil { mark.insert(4) }
    let elements = years ?? []
    return ObjectBatch(
      classPosition: 0,
      columns: [
        .strings(names), .ints(sizes?.map { $0 } ?? names.map { _ in nil }),
        .objectIds(names.map { _ in sealed ? seal : nil }),
        .strings(notes ?? names.map { _ in nil }),
        .lists(
          ends: names.indices.map { ($0 + 1) * elements.count },
          elements: .ints(names.flatMap { _ in elements })),
        .binaries(names.map { _ in mark.stored }),
      ])
  }

  private static func names(_ texts: [String?]) -> BatchColumn {
    .links(to: 0, primaryKeys: texts.map { $0.map { .string($0) } }, type: .string)
  }

  /// One person with all kinds of links to towns, and a link to a person by object key.
  private static func person(
    _ name: String, to town: String?, key: Int64? = nil, friend: Int64? = nil, isAdded: Bool
  ) -> ObjectBatch {
    var columns: [BatchColumn?] = [
      .strings([name]), names([town]), .lists(ends: [2], elements: names([town, "Bree"])),
      .dictionaries(ends: [2], keys: ["a", "b"], elements: names([town, "Bree"])),
      nil, .links(to: 1, keys: [friend.map { ObjectKey($0) }]),
    ]
    if isAdded { columns.append(.binaries([nil])) }
    return ObjectBatch(
      classPosition: 1, keys: key.map { [ObjectKey($0)] } ?? [], columns: columns)
  }

  private func merge(
    _ existing: [ObjectBatch]?, _ added: [ObjectBatch], _ mode: MergeRequest.Mode,
    drops: Bool = false, jobs: Int = 1
  ) throws -> (realm: BuiltRealm, counts: [Int: MergedSource.Counts]) {
    let old = try existing.map { try BatchSource(schema: Self.schema, batches: $0).build() }
    var building = RealmBuilder.Request()
    building.separatesMissingTargets = true
    let (new, report) = try BatchSource(schema: Self.added, batches: added).built(building)
    var request = MergeRequest()
    (request.mode, request.dropsMissingTargets) = (mode, drops)
    let source = try MergedSource(
      MergeInput(
        existing: old?.realm, added: new.realm, classesWithKeys: report.classesWithKeys,
        schema: Self.schema, format: .current), request)
    var result = RealmBuilder.Request()
    if let old, let copied = source.copied {
      (result.copied, result.tables) = (copied, try KeptTables(of: old.realm))
    }
    return (try source.built(result, jobs: jobs).realm, source.counts)
  }

  private static let bree = towns(["Archet", "Bree"], size: 5, years: [1, 2])

  @Test("new objects come after the others, which keep their keys and links", arguments: [1, 3])
  func insert(jobs: Int) throws {
    let (merged, counts) = try merge(
      [Self.bree, Self.person("Ann", to: "Archet", key: 7, isAdded: false)],
      [
        Self.person("Bob", to: "Combe", friend: 7, isAdded: true),
        Self.added(["Combe"], sizes: [3], notes: ["new"], years: [9], sealed: true),
      ], .insert, jobs: jobs)
    let towns = try merged.objects("Town")
    #expect(towns.map(\.key) == [0, 1, 2])
    #expect(towns.map { $0.values[0] } == ["Archet", "Bree", "Combe"].map { .string($0) })
    #expect(
      towns[2].values[1...] == [.int(3), .objectId(Self.seal), .string("new"), .list([.int(9)])])
    let people = try merged.objects("Person")
    #expect(people.map(\.key) == [7, 8])
    #expect(people.map { keys($0.values[1]) } == [[0], [2]])
    #expect(people.map { keys($0.values[2]) } == [[0, 1], [2, 1]])
    #expect(people.map { keys($0.values[3]) } == [[0, 1], [2, 1]])
    #expect(people.map { keys($0.values[5]) } == [[nil], [7]])
    #expect(counts[0]?.inserted == 1 && counts[0]?.updated == 0)
  }

  private func keys(_ value: RealmValue) -> [Int64?] {
    switch value {
    case .list(let values): values.map { keys($0)[0] }
    case .dictionary(let entries): entries.map { keys($0.value)[0] }
    case .link(let link): [link.key?.raw]
    default: [nil]
    }
  }

  @Test("in insert mode, an existing primary key is an error that names the first such object")
  func exists() throws {
    let error = #expect(throws: MergeError.self) {
      try merge(
        [Self.bree], [Self.added(["Combe", "Bree", "Archet"], sizes: [1, 1, 1], sealed: true)],
        .insert)
    }
    guard case .exists(identity: .string("Bree"))? = error?.kind else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(error?.addedKey?.raw == 1 && error?.classPosition == 0 && error?.property == 0)
  }

  @Test("upsert changes the given properties only")
  func upsert() throws {
    let (merged, counts) = try merge(
      [Self.bree, Self.person("Ann", to: "Bree", isAdded: false)],
      [
        Self.added(["Bree"], notes: ["new"]),
        Self.added(["Combe", "Archet"], sizes: [1, 8], years: [6], sealed: true),
      ], .upsert)
    let towns = try merged.objects("Town")
    #expect(
      towns.map(\.values) == [
        [
          .string("Archet"), .int(8), .objectId(Self.seal), .string("old Archet"), .list([.int(6)]),
        ],
        [
          .string("Bree"), .int(5), .objectId(Self.seal), .string("new"),
          .list([.int(1), .int(2)]),
        ],
        [.string("Combe"), .int(1), .objectId(Self.seal), .null, .list([.int(6)])],
      ])
    #expect(try merged.objects("Person").map { keys($0.values[1]) } == [[1]])
    #expect(counts[0]?.inserted == 1 && counts[0]?.updated == 2)
  }

  @Test("replace sets missing properties to their default values")
  func replace() throws {
    let (merged, _) = try merge([Self.bree], [Self.added(["Bree"], notes: ["new"])], .replace)
    #expect(
      try merged.objects("Town")[1].values == [
        .string("Bree"), .int(0), .objectId(Array(repeating: 0, count: 12)), .string("new"),
        .list([]),
      ])
  }

  @Test("a new object without a required property is an error", arguments: [true, false])
  func missing(isUpsert: Bool) throws {
    let error = #expect(throws: RoadError<MergeError, BuildError>.self) {
      try merge([Self.bree], [Self.added(["Combe"], sizes: [1])], isUpsert ? .upsert : .insert)
    }
    guard case .source(let error)? = error, case .missingProperty = error.kind else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(error.property == 2 && error.addedKey?.raw == 0)
  }

  @Test("objects without primary key are placed by their keys")
  func keyed() throws {
    let people = [3, 9, 12].map {
      Self.person("old", to: "Bree", key: $0, isAdded: false)
    }
    let added = [1, 9, 10, 40].map { Self.person("new", to: "Bree", key: $0, isAdded: true) }
    let (merged, counts) = try merge([Self.bree] + people, added, .replace)
    let objects = try merged.objects("Person")
    #expect(objects.map(\.key) == [1, 3, 9, 10, 12, 40])
    #expect(
      objects.map { $0.values[0] }
        == ["new", "old", "new", "new", "old", "new"].map { .string($0) })
    #expect(counts[1]?.inserted == 3 && counts[1]?.updated == 1)
    let error = #expect(throws: MergeError.self) {
      try merge([Self.bree] + people, added, .insert)
    }
    #expect(error?.addedKey?.raw == 9)
  }

  @Test("a link to a missing object is refused, or left out on request")
  func dropped() throws {
    let added = [Self.person("Bob", to: "Nowhere", friend: 99, isAdded: true)]
    #expect(throws: RoadError<MergeError, BuildError>.self) {
      try merge([Self.bree], added, .insert)
    }
    let (merged, _) = try merge([Self.bree], added, .insert, drops: true)
    let person = try #require(try merged.objects("Person").first)
    #expect(keys(person.values[1]) == [nil])
    #expect(keys(person.values[2]) == [1])
    #expect(keys(person.values[3]) == [nil, 1])
    #expect(keys(person.values[5]) == [nil])
    // Without an existing realm, Bree is missing, too.
    let (alone, _) = try merge(nil, added, .insert, drops: true)
    #expect(keys(try #require(try alone.objects("Person").first).values[2]) == [])
  }

  @Test("a list that comes in runs is kept, and replaced")
  func runs() throws {
    let many = (0..<70_000).map { Int64($0) }
    let old = Self.towns(["Bree"], size: 5, years: many)
    let (kept, _) = try merge([old], [Self.added(["Bree", "Combe"], notes: ["x", "y"])], .replace)
    #expect(try kept.objects("Town")[0].values[4] == .list([]))
    let (upserted, _) = try merge(
      [Self.towns(["Archet"], size: 1, years: []), old], [Self.added(["Bree"], notes: ["x"])],
      .upsert)
    let town = try upserted.objects("Town")[1]
    #expect(town.values[3] == .string("x"))
    #expect(town.values[4] == .list(many.map { .int($0) }))
    let (replaced, _) = try merge(
      [Self.bree],
      [
        Self.added(["Archet"], sizes: [4], years: many.reversed(), sealed: true),
        Self.added(["Bree"], notes: ["x"]),
      ], .upsert)
    let towns = try replaced.objects("Town")
    #expect(towns[0].values[4] == .list(many.reversed().map { .int($0) }))
    #expect(towns[1].values[4] == .list([.int(1), .int(2)]))
  }

  @Test(
    "a class whose largest key is the largest of all takes no new objects, but changes of old ones")
  func noKeysLeft() throws {
    let last = Self.person("old", to: "Bree", key: .max - 2, isAdded: false)
    let error = #expect(throws: MergeError.self) {
      try merge([Self.bree, last], [Self.person("new", to: "Bree", isAdded: true)], .insert)
    }
    guard case .tooMany? = error?.kind else {
      Issue.record("\(String(describing: error))")
      return
    }
    let (merged, _) = try merge(
      [Self.bree, last], [Self.person("new", to: "Bree", key: .max - 2, isAdded: true)], .replace)
    #expect(try merged.objects("Person").map { $0.values[0] } == [.string("new")])
  }
}
