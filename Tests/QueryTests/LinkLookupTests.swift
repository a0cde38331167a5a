import Foundation
import RealmModel
import RealmStorage
import TestSupport
import Testing

@testable import RealmQuery

/// Conditions over links that are looked up at their end and followed back.
@Suite("Queries over links")
struct LinkLookupTests {
  private static let made = Result<LinkedPeople, any Error> {
    try LinkedPeople(seed: 1, people: 2_500, companies: 300)
  }
  private let world: LinkedPeople

  init() throws { world = try LinkLookupTests.made.get() }

  private func run(
    _ text: String, ofClass name: String = "Person", in realm: Realm? = nil,
    usesShortcuts: Bool = true
  ) throws -> QueryResult {
    let realm = realm ?? world.realm
    let query = try Query(text, ofClass: name, in: realm.schema.objects)
    return try QueryRun(realm, query.resolved, jobs: 2, usesShortcuts: usesShortcuts).run()
  }

  private func kinds(_ text: String, ofClass name: String = "Person") throws -> [QueryStep.Kind] {
    try run(text, ofClass: name).steps.map(\.kind)
  }

  /// The primary keys of persons in the order of their object keys.
  private func ids(_ result: QueryResult) throws -> [Int] {
    let all = try world.realm.objectIDs()
    return result.keys.map { all[$0] ?? -1 }
  }

  private typealias Person = LinkedPeople.Person

  /// Queries with the path that is followed back (nil for a scan, empty for several look-ups), and their meaning.
  private static let cases:
    [(text: String, path: String?, matches: @Sendable (Person, LinkedPeople) -> Bool)] = [
      ("company._id == 'c7'", "company", { person, _ in person.company == 7 }),
      ("'c7' == company._id", "company", { person, _ in person.company == 7 }),
      (
        "company._id IN {'c7', 'c8', 'nope'}", "company",
        { person, _ in person.company == 7 || person.company == 8 }
      ),
      ("company == obj('Company', 'c7')", "company", { person, _ in person.company == 7 }),
      ("company == obj('Company', 'nope')", nil, { person, _ in person.company == nil }),
      (
        "company IN {obj('Company', 'c7'), obj('Company', 'c9')}", "company",
        { person, _ in person.company == 7 || person.company == 9 }
      ),
      ("company._id == null", nil, { person, _ in person.company == nil }),
      ("company == null", nil, { person, _ in person.company == nil }),
      (
        "company._id IN {'c7', null}", nil,
        { person, _ in person.company == nil || person.company == 7 }
      ),
      ("company._id != 'c7'", nil, { person, _ in person.company != 7 }),
      ("NOT company._id == 'c7'", nil, { person, _ in person.company != 7 }),
      (
        "company.size == 3", "company",
        { person, world in person.company.map { world.companies[$0].size } == 3 }
      ),
      (
        "company.country._id == 'k3' AND age > 30", "company.country",
        { person, world in
          person.age > 30 && person.company.flatMap { world.companies[$0].country } == 3
        }
      ),
      ("clubs._id == 'c7'", "clubs", { person, _ in person.clubs.contains(7) }),
      (
        "ANY clubs._id IN {'c7', 'c8'}", "clubs",
        { person, _ in person.clubs.contains { $0 == 7 || $0 == 8 } }
      ),
      ("ALL clubs._id == 'c7'", nil, { person, _ in person.clubs.allSatisfy { $0 == 7 } }),
      ("NONE clubs._id == 'c7'", nil, { person, _ in !person.clubs.contains(7) }),
      ("jobs._id == 'c7'", "jobs", { person, _ in person.jobs.contains(7) }),
      ("jobs['j1']._id == 'c7'", "jobs", { person, _ in person.jobs.dropFirst().first == 7 }),
      ("friends._id == 7", "friends", { person, _ in person.friends.contains(7) }),
      ("friends[0]._id == 7", "friends", { person, _ in person.friends.first == 7 }),
      ("obj('Person', 7) IN friends", "friends", { person, _ in person.friends.contains(7) }),
      (
        "friends.company._id == 'c7'", "friends.company",
        { person, world in person.friends.contains { world.people[$0].company == 7 } }
      ),
      (
        "home.landlord._id == 'c7'", "home.landlord",
        { person, _ in person.home?.landlord == 7 }
      ),
      ("home.number == 7", "home", { person, _ in person.home?.number == 7 }),
      (
        "@links.Person.friends._id == 7", "@links.Person.friends",
        { person, world in world.people[7].friends.contains(person.id) }
      ),
      (
        "SUBQUERY(friends, $f, $f.company._id == 'c7').@count > 0", "friends",
        { person, world in person.friends.contains { world.people[$0].company == 7 } }
      ),
      (
        "SUBQUERY(friends, $f, $f.company._id == 'c7').@count == 0", nil,
        { person, world in !person.friends.contains { world.people[$0].company == 7 } }
      ),
      (
        "company._id == 'c7' OR clubs._id == 'c7'", "",
        { person, _ in person.company == 7 || person.clubs.contains(7) }
      ),
      (
        "company._id == 'c7' OR company._id == 'c8'", "company",
        { person, _ in person.company == 7 || person.company == 8 }
      ),
      (
        "company._id == 'c7' OR _id == 12", "",
        { person, _ in person.company == 7 || person.id == 12 }
      ),
      (
        "company._id == 'c7' OR home == null", nil,
        { person, _ in person.company == 7 || person.home == nil }
      ),
    ]

  @Test(
    "results are those computed by hand, and links are followed back where that can be right",
    arguments: 0..<32)
  func results(index: Int) throws {
    #expect(LinkLookupTests.cases.count == 32)
    let (text, path, matches) = LinkLookupTests.cases[index]
    let result = try run(text)
    let expected = world.people.filter { matches($0, world) }.map(\.id)
    #expect(try ids(result).sorted() == expected, "\(text)")
    #expect(result.keys == result.keys.sorted { $0.raw < $1.raw }, "\(text)")
    let expectedKind: QueryStep.Kind =
      switch path {
      case nil: .scan(className: "Person")
      case "": .union(className: "Person")
      case let path?: .backlinks(className: "Person", path: path)
      }
    let last = try #require(result.steps.last)
    #expect(last.kind == expectedKind, "\(text)")
    #expect(last.foundCount == expected.count)
    if path != nil { #expect(last.lookedAtCount < world.people.count / 2) }
  }

  @Test("the steps of a look-up show what gave the objects")
  func steps() throws {
    let one = try run("company._id == 'c7'").steps
    #expect(
      one.map(\.kind) == [
        .index(className: "Company", property: "_id"),
        .backlinks(className: "Person", path: "company"),
      ])
    let count = world.people.count { $0.company == 7 }
    #expect(one[0].lookedAtCount == 1 && one[0].foundCount == 1)
    #expect(one[1].lookedAtCount == count && one[1].foundCount == count)
    // Links from the companies, whose index gives the persons.
    #expect(
      try kinds("@links.Person.company._id == 7", ofClass: "Company") == [
        .index(className: "Person", property: "_id"),
        .backlinks(className: "Company", path: "@links.Person.company"),
      ])
    let either = try run("company._id == 'c7' OR _id == 12").steps
    #expect(
      either.map(\.kind) == [
        .index(className: "Company", property: "_id"),
        .index(className: "Person", property: "_id"),
        .backlinks(className: "Person", path: "company"), .union(className: "Person"),
      ])
    #expect(either[1].foundCount == 1 && either[2].foundCount == count)
    // A scan of few countries, of whose persons there are fewer than of that age.
    #expect(
      try kinds("company.country.population == 6") == [
        .linkedScan(className: "Country"),
        .backlinks(className: "Person", path: "company.country"),
      ])
  }

  @Test("of an AND, the look-up with the fewest objects counts, and those of others are left out")
  func fewest() throws {
    let large = try LinkedPeople(seed: 2, people: 20_000, companies: 300)
    let text = "age IN {10, 20, 30, 40, 50, 60} AND company._id == 'c7' AND friends.age > 50"
    let result = try run(text, in: large.realm)
    #expect(
      result.steps.map(\.kind) == [
        .index(className: "Company", property: "_id"),
        .index(className: "Person", property: "age"),
        .backlinks(className: "Person", path: "company"),
      ])
    let ages = large.people.filter { $0.age > 0 && $0.age <= 60 && $0.age % 10 == 0 }
    let both = ages.filter { $0.company == 7 }
    #expect(result.steps[1].foundCount == ages.count && result.steps[2].lookedAtCount == both.count)
    let expected = both.count { $0.friends.contains { large.people[$0].age > 50 } }
    #expect(result.keys.count == expected)
    #expect(try run(text, in: large.realm, usesShortcuts: false).keys == result.keys)
    // With few objects from an index, the links of these are followed.
    #expect(
      try run("_id == 3 AND company._id == 'c7'", in: large.realm).steps.map(\.kind) == [
        .index(className: "Company", property: "_id"), .index(className: "Person", property: "_id"),
      ])
  }

  /// Random conditions, which both ways must answer alike.
  private static func condition(_ random: inout SplitMix64, depth: Int = 0) -> String {
    func number(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }
    if depth < 2, number(2) == 0 {
      let parts = (0...number(3)).map { _ in condition(&random, depth: depth + 1) }
      switch number(5) {
      case 0: return "NOT (\(parts[0]))"
      case 1, 2: return "(" + parts.joined(separator: " OR ") + ")"
      default: return "(" + parts.joined(separator: " AND ") + ")"
      }
    }
    let path = [
      "", "company.", "clubs.", "friends.", "jobs.", "friends.company.", "home.landlord.",
      "jobs['j0'].", "friends[LAST].", "@links.Person.friends.", "friends.clubs.",
    ][number(11)]
    let quantifier = ["", "", "", "ANY ", "ALL ", "NONE "][path.contains("s") ? number(6) : 0]
    let isPerson = path.isEmpty || path.hasSuffix("friends.") || path.hasSuffix("[LAST].")
    let operation = ["==", "==", "==", "!=", "<", "IN"][number(6)]
    func value(_ make: () -> String) -> String {
      operation == "IN"
        ? "{" + (0...number(3)).map { _ in make() }.joined(separator: ",") + "}" : make()
    }
    switch (number(4), isPerson) {
    case (0, true): return "\(quantifier)\(path)_id \(operation) " + value { "\(number(2500))" }
    case (0, false): return "\(quantifier)\(path)_id \(operation) " + value { "'c\(number(310))'" }
    case (1, true): return "\(quantifier)\(path)age \(operation) " + value { "\(number(110))" }
    case (1, false): return "\(quantifier)\(path)size \(operation) " + value { "\(number(60))" }
    case (2, true):
      return "\(quantifier)\(path)company == "
        + ["null", "obj('Company','c\(number(310))')"][number(2)]
    case (2, false):
      return "\(quantifier)\(path)country.population \(operation) " + value { "\(number(8))" }
    default:
      return
        "SUBQUERY(friends, $x, $x.age == \(number(110))).@count \(["==", ">", "<"][number(3)]) "
        + "\(number(3))"
    }
  }

  @Test("random conditions find the same with a scan", arguments: 0..<8 as Range<UInt64>)
  func random(part: UInt64) throws {
    var followed = 0
    for seed in 0..<20 {
      var random = SplitMix64(seed: part * 1000 + UInt64(seed))
      let text = LinkLookupTests.condition(&random)
      guard let fast = try? run(text) else { continue }
      let slow = try run(text, usesShortcuts: false)
      #expect(fast.keys == slow.keys, "seed \(part * 1000 + UInt64(seed)): \(text)")
      let isFollowed = fast.steps.contains {
        if case .backlinks = $0.kind { true } else { false }
      }
      followed += isFollowed ? 1 : 0
    }
    #expect(followed > 0)
  }

  // MARK: Damage

  private enum Change {
    /// The only backlink of a dog, to this object key.
    case backlink(Int)
    /// The ref of the backlinks of all dogs.
    case leaf(Int)
  }

  /// The persons that `dog._id == 'rex'` finds in a realm whose backlinks were changed. Rex is the dog of Person 1.
  private func owners(after change: Change) throws -> [ObjectKey] {
    let original = try Realm(path: MeasuredQuery.realm)
    let dogs = try #require(original.schema.table(named: "class_Dog"))
    let people = try #require(original.schema.table(named: "class_Person"))
    let link = try #require(people.column(named: "dog"))
    let backlinks = try #require(dogs.backlinkColumns.first { $0.originColumn == link.key })
    var edited = EditedRealm(try readFile(MeasuredQuery.realm))
    let slot = backlinks.key.leafIndex + 1
    let leaf = edited.element(slot, of: dogs.clusters)
    let key = try #require(try run("_id == 'rex'", ofClass: "Dog", in: original).keys.first)
    let all = try run("", ofClass: "Dog", in: original).keys
    let row = try #require(all.firstIndex(of: key))
    switch change {
    case .backlink(let key): edited.setSlot(row, of: leaf, to: key)
    case .leaf(let ref): edited.setElement(slot, of: dogs.clusters, to: ref)
    }
    let folder = try TemporaryFolder()
    let path = folder.path("edited.realm")
    try Data(edited.bytes).write(to: URL(fileURLWithPath: path))
    let realm = try Realm(path: path)
    let result = try run("dog._id == 'rex'", in: realm)
    if case .leaf = change {
      #expect(result.steps.last?.kind == .scan(className: "Person"))
    } else {
      #expect(result.steps.last?.kind == .backlinks(className: "Person", path: "dog"))
    }
    // The links themselves are as before.
    #expect(try run("dog._id == 'rex'", in: realm, usesShortcuts: false).keys.count == 1)
    return result.keys
  }

  @Test("an object that only damaged backlinks name is not found, whether it exists or not")
  func wrongBacklinks() throws {
    let realm = try Realm(path: MeasuredQuery.realm)
    let other = try #require(try run("_id == 2", in: realm).keys.first)
    #expect(try owners(after: .backlink(Int(other.raw))).isEmpty)
    #expect(try owners(after: .backlink(99)).isEmpty)
  }

  @Test("if backlinks cannot be read, all objects are looked at")
  func unreadableBacklinks() throws {
    let realm = try Realm(path: MeasuredQuery.realm)
    let owner = try run("_id == 1", in: realm).keys
    #expect(try owners(after: .leaf(8)) == owner)
  }

  /// Persons are found over the backlinks of dogs, and then their links are read.
  @Test(
    "a leaf of links with another number of rows or another form is damage, also if one link is read",
    arguments: [
      ([0x41, 0x41, 0x41, 0x41, 0x04, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0], .leafRows),
      ([0x41, 0x41, 0x41, 0x41, 0x44, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0], .leafKind),
    ] as [([UInt8], Rule)])
  func unreadableLinks(leaf: [UInt8], rule: Rule) throws {
    let people = try #require(
      try Realm(path: MeasuredQuery.realm).schema.table(named: "class_Person"))
    let link = try #require(people.column(named: "dog"))
    var edited = EditedRealm(try readFile(MeasuredQuery.realm))
    let ref = edited.append(leaf)
    edited.setElement(link.key.leafIndex + 1, of: people.clusters, to: ref)
    let folder = try TemporaryFolder()
    let path = try folder.write(edited.bytes, to: "edited.realm")
    let realm = try Realm(path: path)
    let error = #expect(throws: RealmFileError.self) { try run("dog._id == 'rex'", in: realm) }
    #expect(error?.kind == .damaged(rule))
  }
}

extension Realm {
  /// The primary key of each person.
  fileprivate func objectIDs() throws -> [ObjectKey: Int] {
    var all: [ObjectKey: Int] = [:]
    let objects = try #require(try objects(ofClass: "Person"))
    while let object = try objects.next() {
      if case .int(let id) = try object.value(of: "_id") { all[object.key] = Int(id) }
    }
    return all
  }
}
