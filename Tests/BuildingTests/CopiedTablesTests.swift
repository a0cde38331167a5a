import RealmStorage
import TestSupport
import Testing

@testable import RealmBuilding
@testable import RealmModel

/// Which tables can be copied when the objects of some classes change. The expected tables are written down
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

  /// The names of the tables that can be copied.
  ///
  /// - Parameters:
  ///   - losing: classes that lose objects.
  ///   - keepsLinks: whether the changed classes keep all their links, as in a migration that changes other
  ///     properties. Otherwise they keep none, and embedded objects get new keys, as in an import.
  private func copied(
    _ built: BuiltRealm, changing names: [String], losing: [String] = [],
    newTargets: [Int: Set<Int>] = [:], keepsLinks: Bool = false
  ) -> [String] {
    let tables = built.realm.schema.tables
    func positions(_ names: [String]) -> Set<Int> {
      Set(names.compactMap { name in tables.first { $0.className.text == name }?.position })
    }
    let changed = positions(names)
    let embedded = positions(["Box"])
    var changes = TableChanges(positions: Array(tables.indices)) { position, property in
      let isOwner = tables[position].objectClass.properties[property].target.map(embedded.contains)
      return keepsLinks || !changed.contains(position) && isOwner != true ? property : nil
    }
    (changes.changed, changes.newTargets) = (changed, newTargets)
    changes.losing = keepsLinks ? positions(losing) : embedded
    let copied = CopiedTables(of: built.realm, changes, .current)
    return copied.map { $0.positions.map { tables[$0].className.text }.sorted() } ?? []
  }

  static let changes: [(changed: [String], copied: [String])] = [
    ([], ["Box", "Chest", "Dog", "Person", "Stone", "Town"]),
    (["Stone"], ["Box", "Chest", "Dog", "Person", "Town"]),
    // Others link to it.
    (["Town"], ["Box", "Chest", "Dog", "Person", "Stone"]),
    // Its links change backlinks of Town.
    (["Person"], ["Box", "Chest", "Dog", "Stone"]),
    // Chest owns boxes, too, which get new keys. The links of Person stay, so Town does.
    (["Dog"], ["Stone", "Town"]),
    // Dog owns boxes, too; its links to Person stay.
    (["Chest"], ["Person", "Stone", "Town"]),
    (["Town", "Stone"], ["Box", "Chest", "Dog", "Person"]),
  ]

  @Test(
    "targets of links from changed objects are built, and sources of links to them are not",
    arguments: changes)
  func reached(example: (changed: [String], copied: [String])) throws {
    #expect(copied(try realm(), changing: example.changed) == example.copied)
  }

  static let keptLinks: [(changed: [String], losing: [String], copied: [String])] = [
    (["Person"], [], ["Box", "Chest", "Dog", "Stone", "Town"]),
    (["Dog"], [], ["Box", "Chest", "Person", "Stone", "Town"]),
    (["Box"], [], ["Chest", "Dog", "Person", "Stone", "Town"]),
    // Links to deleted objects change.
    (["Town"], ["Town"], ["Box", "Chest", "Dog", "Stone"]),
    (["Box"], ["Box"], ["Person", "Stone", "Town"]),
  ]

  @Test("the targets of links that stay are not built", arguments: keptLinks)
  func kept(example: (changed: [String], losing: [String], copied: [String])) throws {
    let found = copied(
      try realm(), changing: example.changed, losing: example.losing, keepsLinks: true)
    #expect(found == example.copied)
  }

  @Test("classes that link to a class with tombstones are built with it")
  func tombstones() throws {
    let built = try realm(home: "Nowhere")
    #expect(copied(built, changing: ["Town"]) == ["Box", "Chest", "Dog", "Stone"])
    #expect(copied(built, changing: ["Stone"]) == ["Box", "Chest", "Dog", "Person", "Town"])
    // Links to tombstones do not stay.
    #expect(
      copied(built, changing: ["Person"], keepsLinks: true) == ["Box", "Chest", "Dog", "Stone"])
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
