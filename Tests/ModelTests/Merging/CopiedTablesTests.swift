import RealmStorage
import TestSupport
import Testing

@testable import RealmModel

/// Which tables can be copied when the objects of some classes change; the expected ones are written down
/// here.
@Suite("Copied tables")
struct CopiedTablesTests {
  /// ```
  /// Dog ──owner──▶ Person ──home──▶ Town     Stone
  ///  └──box──▶ Box ◀──box──┘ Chest           Box is embedded
  /// ```
  private static let schema = ObjectSchema(classes: [
    ObjectClass(
      name: Name("Town"), properties: [Property(name: Name("name"), type: .string)], primaryKey: 0),
    ObjectClass(
      name: Name("Person"),
      properties: [
        Property(name: Name("home"), type: .link, isOptional: true, target: 0),
        Property(name: Name("any"), type: .mixed, isOptional: true),
      ]),
    ObjectClass(
      name: Name("Dog"),
      properties: [
        Property(name: Name("owner"), type: .link, isOptional: true, target: 1),
        Property(name: Name("box"), type: .link, isOptional: true, target: 4),
      ]),
    ObjectClass(name: Name("Stone"), properties: [Property(name: Name("n"), type: .int)]),
    ObjectClass(
      name: Name("Box"), kind: .embedded, properties: [Property(name: Name("n"), type: .int)]),
    ObjectClass(
      name: Name("Chest"),
      properties: [Property(name: Name("box"), type: .link, isOptional: true, target: 4)]),
  ])

  /// - Parameter home: primary key of the town that a person links to; if no such town exists, the link is
  ///   unresolved.
  private func realm(home: String = "Bree") throws -> BuiltRealm {
    var request = RealmBuilder.Request()
    request.allowsMissingTargets = true
    return try BatchSource(
      schema: Self.schema,
      batches: [
        ObjectBatch(classPosition: 0, columns: [.strings(["Bree"])]),
        ObjectBatch(
          classPosition: 1,
          columns: [.links(to: 0, primaryKeys: [.string(home)], type: .string), nil]),
        ObjectBatch(classPosition: 3, columns: [.ints([1])]),
      ]
    ).build(request)
  }

  private func copied(
    _ built: BuiltRealm, changing names: [String], newTargets: [Int: Set<Int>] = [:]
  ) -> [String] {
    let tables = built.realm.schema.tables
    let changed = names.compactMap { name in tables.first { $0.className.text == name }?.position }
    let copied = CopiedTables(of: built.realm, changing: changed, newTargets: newTargets)
    return copied.map { $0.positions.map { tables[$0].className.text }.sorted() } ?? []
  }

  static let changes: [(changed: [String], copied: [String])] = [
    ([], ["Box", "Chest", "Dog", "Person", "Stone", "Town"]),
    (["Stone"], ["Box", "Chest", "Dog", "Person", "Town"]),
    // Others link to it.
    (["Town"], ["Box", "Chest", "Dog", "Person", "Stone"]),
    // Its links change backlinks of Town.
    (["Person"], ["Box", "Chest", "Dog", "Stone"]),
    // Chest owns boxes, too, which get new keys.
    (["Dog"], ["Stone"]),
    (["Chest"], ["Stone"]),
    (["Town", "Stone"], ["Box", "Chest", "Dog", "Person"]),
  ]

  @Test(
    "what links from changed objects reach is built, and what links to them is not",
    arguments: changes)
  func reached(example: (changed: [String], copied: [String])) throws {
    #expect(copied(try realm(), changing: example.changed) == example.copied)
  }

  @Test("what links to a class with tombstones is built with it")
  func tombstones() throws {
    let built = try realm(home: "Nowhere")
    #expect(copied(built, changing: ["Town"]) == ["Box", "Chest", "Dog", "Stone"])
    #expect(copied(built, changing: ["Stone"]) == ["Box", "Chest", "Dog", "Person", "Town"])
  }

  @Test("new links in mixed values count")
  func mixed() throws {
    let built = try realm()
    #expect(copied(built, changing: ["Person"], newTargets: [1: [3]]) == ["Box", "Chest", "Dog"])
    #expect(
      copied(built, changing: ["Town"], newTargets: [1: [3]])
        == ["Box", "Chest", "Dog", "Person", "Stone"])
  }
}
