import Foundation
import RealmModel
import Testing

private let golden = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
  .deletingLastPathComponent().appending(path: "Fixtures/golden")

@Suite("The library, as other packages use it")
struct TenLinesTests {
  /// The function that docs/library.md and the DocC page of RealmModel show.
  private func fullNames(inRealmAt path: String) throws -> [String] {
    let realm = try Realm(path: path)
    guard let people = try realm.objects(ofClass: "Person") else { return [] }
    var names: [String] = []
    while let person = try people.next() {
      let first = try person.value(of: "firstName")?.string ?? ""
      let last = try person.value(of: "lastName")?.string ?? ""
      names.append("\(first) \(last)")
    }
    return names
  }

  @Test("ten lines open a realm and read a property of each object by its name")
  func tenLines() throws {
    let path = golden.appending(path: "names-v0.realm").path
    // From the export of the reference implementation.
    let text = try Data(contentsOf: golden.appending(path: "names-v0.core-json.json"))
    let document = try #require(
      try JSONSerialization.jsonObject(with: text) as? [String: [[String: Any]]])
    let expected = try #require(document["Person"]).map { person in
      "\(person["firstName"] as? String ?? "") \(person["lastName"] as? String ?? "")"
    }
    #expect(expected.count > 1)
    #expect(try fullNames(inRealmAt: path) == expected)
  }

  @Test(
    "each page shows the tested function",
    arguments: ["docs/library.md", "Sources/Core/Model/RealmModel.docc/RealmModel.md"])
  func page(path: String) throws {
    let root = golden.deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let page = try String(contentsOf: root.appending(path: path), encoding: .utf8)
    let source = try String(contentsOf: URL(fileURLWithPath: #filePath), encoding: .utf8)
    let function = try #require(source.firstMatch(of: /private (func fullNames(?s:.*?)\n  })\n/))
    let code = function.output.1.replacing("\n  ", with: "\n")
    #expect(page.contains("```swift\nimport RealmModel\n\n\(code)\n```\n"))
  }

  /// The lines that the README shows.
  @Test("five lines decode the objects of a class, as the README shows them")
  func fiveLines() throws {
    func names(_ path: String) throws -> [String] {
      var names: [String] = []
      func print(_ name: String, _ age: Int) { names.append("\(name) \(age)") }
      struct Person: Decodable { let firstName: String, age: Int }
      let people = try Realm(path: path).objects(ofClass: "Person", as: Person.self)
      while let person = try people?.next() { print(person.firstName, person.age) }
      return names
    }
    let found = try names(golden.appending(path: "names-v0.realm").path)
    #expect(found.count == 3 && found.contains { $0.hasPrefix("Bilbo ") })
    let root = golden.deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let page = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
    let source = try String(contentsOf: URL(fileURLWithPath: #filePath), encoding: .utf8)
    let lines = try #require(source.firstMatch(of: /(struct Person(?s:.*?)\n) {6}return names/))
    let code = lines.output.1.replacing("\n      ", with: "\n")
      .replacing("path: path", with: "path: \"people.realm\"")
    #expect(page.contains("```swift\nimport RealmModel\n\n\(code)```\n"))
  }

  @Test("an object stays readable after its realm and its cursor are released")
  func kept() throws {
    var kept: [RealmObject] = []
    do {
      let realm = try Realm(path: golden.appending(path: "primary-keys.realm").path)
      for name in realm.classNames {
        guard let objects = try realm.objects(ofClass: name) else { continue }
        while let object = try objects.next() { kept.append(object) }
      }
    }
    #expect(kept.count > 1000)
    for object in kept {
      let key = try #require(object.objectClass.primaryKey)
      _ = try object.value(of: object.objectClass.properties[key].name.text)
    }
    #expect(Set(kept.map(\.key.raw)).count > 900)
  }

  @Test("a realm is read three times")
  func thrice() throws {
    let realm = try Realm(path: golden.appending(path: "links.realm").path)
    var counts: [Int] = []
    for _ in 0..<3 {
      var count = 0
      for name in realm.classNames {
        guard let objects = try realm.objects(ofClass: name) else { continue }
        while try objects.next() != nil { count += 1 }
      }
      counts.append(count)
    }
    // The reference's export of the realm has as many, including embedded ones.
    #expect(counts[0] > 100)
    #expect(Set(counts).count == 1)
  }

  @Test("a class that does not exist has no objects, and a property that does not exist no value")
  func missing() throws {
    let realm = try Realm(path: golden.appending(path: "names-v0.realm").path)
    #expect(try realm.objects(ofClass: "class_Person") == nil)
    let people = try #require(try realm.objects(ofClass: "Person"))
    let person = try #require(try people.next())
    #expect(try person.value(of: "nickname") == nil)
  }
}
