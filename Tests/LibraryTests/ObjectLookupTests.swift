import Foundation
import RealmModel
import Testing

private let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
  .deletingLastPathComponent().deletingLastPathComponent()

private func golden(_ name: String) throws -> Realm {
  try Realm(path: root.appending(path: "Tests/Fixtures/golden/\(name).realm").path)
}

// The examples of the DocC page of RealmModel.

func friends(ofPersonWithID id: [UInt8], in realm: Realm) throws -> [String] {
  guard let person = try realm.object(ofClass: "Person", primaryKey: .objectId(id)) else {
    return []
  }
  var names: [String] = []
  for friend in try person.value(of: "friends")?.elements ?? [] {
    let name = try friend.link?.object?.value(of: "name")?.string
    names.append(name ?? "somebody")
  }
  for backlink in try person.backlinks() where backlink.className == "Dog" {
    guard let dog = try realm.object(ofClass: "Dog", key: backlink.key) else { continue }
    names.append(try dog.value(of: "name")?.string ?? "a dog")
  }
  return names
}

struct Dog: Decodable {
  struct Owner: Decodable {
    var name: String
  }

  var name: String
  var age: Int
  var breed: String?
  var owner: Owner?
}

func oldDogs(in realm: Realm) throws -> [Dog] {
  guard let dogs = try realm.objects(ofClass: "Dog", as: Dog.self) else { return [] }
  var old: [Dog] = []
  while let dog = try dogs.next() {
    if dog.age > 10 { old.append(dog) }
  }
  return old
}

@Suite("Objects by key, links, backlinks and decoding")
struct ObjectLookupTests {
  @Test("the DocC page shows the tested functions and types")
  func page() throws {
    let page = try String(
      contentsOf: root.appending(path: "Sources/Core/Model/RealmModel.docc/RealmModel.md"),
      encoding: .utf8)
    let source = try String(contentsOf: URL(fileURLWithPath: #filePath), encoding: .utf8)
    let examples = page.components(separatedBy: "```swift\nimport RealmModel\n\n").dropFirst(2)
    #expect(examples.count == 2)
    for example in examples {
      let code = example.components(separatedBy: "\n```")[0]
      #expect(source.contains("\n\(code)\n"))
    }
  }

  /// All objects of a class, one after the other.
  private func all(_ name: String, in realm: Realm) throws -> [RealmObject] {
    let objects = try #require(try realm.objects(ofClass: name))
    var all: [RealmObject] = []
    while let object = try objects.next() { all.append(object) }
    return all
  }

  @Test(
    "each object is found by its key and its primary key",
    arguments: ["primary-keys", "all-types", "people", "links", "unresolved", "tasks-synced"])
  func lookup(name: String) throws {
    let realm = try golden(name)
    for className in realm.classNames {
      let objects = try all(className, in: realm)
      for object in objects.prefix(300) {
        let byKey = try #require(try realm.object(ofClass: className, key: object.key))
        #expect(byKey.key == object.key)
        guard let key = object.objectClass.primaryKey else { continue }
        let property = object.objectClass.properties[key].name.text
        let value = try #require(try object.value(of: property))
        let found = try #require(try realm.object(ofClass: className, primaryKey: value))
        #expect(found.key == object.key)
        #expect(try found.value(of: property) == value)
      }
      let unused = ObjectKey((objects.map(\.key.raw).max() ?? 0) + 1)
      #expect(try realm.object(ofClass: className, key: unused) == nil)
      #expect(try realm.object(ofClass: className, key: .null) == nil)
      #expect(try realm.object(ofClass: className, primaryKey: .string("no such key")) == nil)
      #expect(try realm.object(ofClass: className, primaryKey: .double(1)) == nil)
    }
    #expect(try realm.object(ofClass: "Nothing", primaryKey: .int(1)) == nil)
    #expect(try realm.object(ofClass: "Nothing", key: ObjectKey(0)) == nil)
  }

  @Test("links lead to their targets, and the targets' backlinks lead back")
  func links() throws {
    let realm = try golden("links")
    var count = 0
    for dog in try all("Dog", in: realm) {
      guard let link = try dog.value(of: "owner")?.link else { continue }
      let owner = try #require(try link.object)
      #expect(owner.objectClass.name.text == "Person" && owner.key == link.key)
      let id = try #require(try owner.value(of: "_id"))
      #expect(link.primaryKey == [id])
      let back = try owner.backlinks().filter { $0.className == "Dog" && $0.property == "owner" }
      #expect(back.contains { $0.key == dog.key })
      let again = try #require(try back.first { $0.key == dog.key }?.object)
      #expect(try again.value(of: "name") == dog.value(of: "name"))
      count += 1
    }
    #expect(count > 0)
    // As many backlinks as links, of all classes together.
    var (links, backlinks) = (0, 0)
    for name in ["Person", "Dog"] {
      for object in try all(name, in: realm) {
        backlinks += try object.backlinks().count
        for property in object.objectClass.properties {
          links += try linkCount(object.value(of: property.name.text) ?? .null)
        }
      }
    }
    #expect(links == backlinks && links > 50)
  }

  /// Number of links in a value, at any depth.
  private func linkCount(_ value: RealmValue) -> Int {
    switch value {
    case .link: 1
    case .list(let values), .object(let values): values.reduce(0) { $0 + linkCount($1) }
    case .dictionary(let entries): entries.reduce(0) { $0 + linkCount($1.value) }
    default: 0
    }
  }

  @Test("a link to an object that another device deleted leads nowhere")
  func unresolved() throws {
    let realm = try golden("unresolved")
    var count = 0
    for object in try all("A", in: realm) {
      for value in try object.value(of: "bs")?.elements ?? [] {
        guard let link = value.link, link.isUnresolved else { continue }
        #expect(try link.object == nil)
        count += 1
      }
    }
    #expect(count > 0)
    #expect(try RealmLink(classPosition: 0, key: ObjectKey(0)).object == nil)
  }

  @Test("the example of the page finds friends and dogs, as reading all objects does")
  func exampleOfLinks() throws {
    let realm = try golden("links")
    let people = try all("Person", in: realm)
    let names = try Dictionary(
      uniqueKeysWithValues: people.map { ($0.key, try $0.value(of: "name")?.string ?? "") })
    var found = 0
    for person in people {
      guard case .objectId(let id)? = try person.value(of: "_id") else { continue }
      let friends = try person.value(of: "friends")?.elements ?? []
      var expected = friends.map { $0.link?.key.flatMap { names[$0] } ?? "somebody" }
      for dog in try all("Dog", in: realm)
      where try dog.value(of: "owner")?.link?.key == person.key {
        expected.append(try dog.value(of: "name")?.string ?? "a dog")
      }
      #expect(try LibraryTests.friends(ofPersonWithID: id, in: realm) == expected)
      found += expected.count
    }
    #expect(found > 10)
  }

  @Test("the example of the page decodes dogs, as reading their properties does")
  func exampleOfDecoding() throws {
    let realm = try golden("links")
    let old = try oldDogs(in: realm)
    let expected = try all("Dog", in: realm).filter { try $0.value(of: "age")?.int ?? 0 > 10 }
    #expect(old.map(\.name) == (try expected.map { try $0.value(of: "name")?.string ?? "" }))
    #expect(old.map(\.breed) == (try expected.map { try $0.value(of: "breed")?.string }))
    let owners = try expected.map {
      try $0.value(of: "owner")?.link?.object?.value(of: "name")?.string
    }
    #expect(old.map { $0.owner?.name } == owners)
  }

  /// Every type, with the types of Foundation.
  private struct AllTypes: Decodable {
    var _id: Int
    var int: Int64
    var intOpt: Int?
    var bool: Bool
    var float: Float
    var double: Double
    var doubleOpt: Double?
    var string: String
    var stringOpt: String?
    var data: Data
    var date: Date
    var dateOpt: Date?
    var decimal: RealmValue
    var objectId: String
    var uuid: UUID
  }

  @Test("every type decodes to the value of the property")
  func types() throws {
    let realm = try golden("all-types")
    let decoded = try #require(try realm.objects(ofClass: "AllTypes", as: AllTypes.self))
    var count = 0
    for object in try all("AllTypes", in: realm) {
      let value = try #require(try decoded.next())
      #expect(try object.value(of: "_id")?.int == Int64(value._id))
      #expect(try object.value(of: "int") == .int(value.int))
      #expect(try object.value(of: "intOpt")?.int == value.intOpt.map(Int64.init))
      #expect(try object.value(of: "bool")?.bool == value.bool)
      #expect(try object.value(of: "string")?.string == value.string)
      #expect(try object.value(of: "stringOpt")?.string == value.stringOpt)
      #expect(try object.value(of: "data") == .binary([UInt8](value.data)))
      #expect(try object.value(of: "decimal") == value.decimal)
      if case .double(let number)? = try object.value(of: "double") {
        #expect(number.bitPattern == value.double.bitPattern)
      }
      if case .date(let seconds, _)? = try object.value(of: "date"), seconds.magnitude < 1 << 40 {
        #expect(value.date.timeIntervalSince1970.rounded(.down) - Double(seconds) <= 1)
      }
      if case .uuid(let bytes)? = try object.value(of: "uuid") {
        let digits = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        #expect(value.uuid.uuidString.lowercased().replacing("-", with: "") == digits)
      }
      #expect(value.objectId.utf8.count == 24)
      count += 1
    }
    #expect(count > 5)
    #expect(try decoded.next() == nil)
  }

  private struct Embedding: Decodable {
    struct Address: Decodable {
      struct Geo: Decodable {
        var lat: Double
      }

      var city: String?
      var geo: Geo?
    }

    var name: String
    var address: Address?
    var addresses: [Address]
    var addressBook: [String: Address?]
    /// The primary keys of the targets.
    var friends: [String]
    var contacts: [String: String?]
  }

  @Test("embedded objects, collections and links decode")
  func nested() throws {
    let realm = try golden("links")
    let decoded = try #require(try realm.objects(ofClass: "Person", as: Embedding.self))
    var (embedded, friends) = (0, 0)
    for object in try all("Person", in: realm) {
      let value = try #require(try decoded.next())
      #expect(try object.value(of: "addresses")?.elements?.count == value.addresses.count)
      #expect(try object.value(of: "friends")?.elements?.count == value.friends.count)
      if case .object(let values)? = try object.value(of: "address") {
        #expect(value.address?.city == values[1].string)
        embedded += 1
      } else {
        #expect(value.address == nil)
      }
      friends += value.friends.count
    }
    #expect(embedded > 0 && friends > 0)
  }

  private struct WrongAge: Decodable {
    var name: String
    var age: String
  }

  private struct Unknown: Decodable {
    var nickname: String
  }

  private struct Circle: Decodable {
    final class Other: Decodable {
      var name: String
      var spouse: Other?
      var friends: [Other]
    }

    var friends: [Other]
  }

  @Test("errors name the class, the property, the object and the problem")
  func errors() throws {
    let realm = try golden("links")
    let first = try #require(try all("Dog", in: realm).first)
    let wrong = #expect(throws: RealmDecodingError.self) { try first.decoded(as: WrongAge.self) }
    #expect(
      wrong?.description
        == "Dog.age, object \(first.key.raw): found an int, expected a string")
    let unknown = #expect(throws: RealmDecodingError.self) { try first.decoded(as: Unknown.self) }
    #expect(
      unknown?.description
        == "Dog.nickname, object \(first.key.raw): the class has no such property")
    // People are friends of each other.
    let people = try #require(try realm.objects(ofClass: "Person", as: Circle.self))
    var problems: Set<String> = []
    while true {
      do {
        guard try people.next() != nil else { break }
      } catch let error as RealmDecodingError {
        #expect(error.className == "Person" && error.property.hasPrefix("friends["))
        problems.insert(error.problem)
      }
    }
    #expect(problems == ["values are nested deeper than 100 levels"])
  }

  @Test("a value of a realm cannot be decoded from JSON")
  func foreign() {
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode([RealmValue].self, from: Data("[1]".utf8))
    }
  }
}
