import Foundation
import RealmInterchange
import RealmJobs
import RealmStorage
import TestJobs
import TestSupport
import Testing

/// Migrations of realms that the reference wrote.
@Suite("Migrations of the reference's realms")
struct ReferenceMigrationTests {
  @Test("the first and last name become one, as the reference reads both")
  func names() throws {
    let folder = try TemporaryFolder()
    let steps = """
      add-property: {class: Person, name: name, type: string, value: "firstName + ' ' + lastName"}
      remove-property: {class: Person, name: firstName}
      remove-property: {class: Person, name: lastName}
      """
    let plan = try folder.write(Array(migrationPlan(steps, to: 1).utf8), to: "plan.yml")
    let out = folder.path("out.realm")
    try MigrateJob(
      path: Golden.path("names-v0.realm"), key: nil, destination: .file(out, replacing: false),
      source: .plan(path: plan, to: nil)
    ).runVerified()
    let truth = try JSONParser.parse(try Golden.bytes("names-v0.core-xjson-plus.json"))
    let people = try #require(truth["class_Person"]?.array ?? truth["Person"]?.array)
    let json = try realmJSON(of: out)
    #expect(people.count == 3)
    #expect(
      json.values(of: "Person", "name")
        == people.map { person in
          .string("\(person["firstName"]?.string ?? "") \(person["lastName"]?.string ?? "")")
        })
    #expect(json["realm"]?["schemaVersion"]?.int == 1)
    #expect(json.properties(of: "Person")?.names == ["age", "name"])
  }

  /// The realms of one example app, of schema versions 0 to 5.
  private static let templates: [String] =
    corpusFolder.map { folder in
      (0...5).compactMap { version in
        let name = "examples__ios__objc__Migration__RealmTemplates__default-v\(version).realm"
        let files = try? FileManager.default.contentsOfDirectory(
          atPath: folder.appending(path: "realm-swift").path)
        return files?.first { $0.hasPrefix(name) }.map {
          folder.appending(path: "realm-swift/\($0)").path
        }
      }
    } ?? []

  /// The migration block of the app as steps, version by version, and the values on which both realms must
  /// agree. The app also invents dogs and addresses, which no plan can know.
  private static let versions: [(steps: String, agreeing: [(String, String)])] = [
    (
      """
      add-property: {class: Person, name: fullName, type: string, value: "firstName + ' ' + lastName"}
      remove-property: {class: Person, name: firstName}
      remove-property: {class: Person, name: lastName}
      """, [("Person", "fullName"), ("Person", "age")]
    ),
    (
      """
      add-class: {name: Dog, properties: {name: string}}
      add-property: {class: Person, name: dogs, type: "Dog[]"}
      """, [("Person", "fullName"), ("Person", "age")]
    ),
    (
      """
      rename-class: {from: Dog, to: Pet}
      rename-property: {class: Person, from: dogs, to: pets}
      add-property: {class: Pet, name: kind, type: int, value: "1"}
      """, [("Person", "fullName"), ("Person", "age"), ("Pet", "name"), ("Pet", "kind")]
    ),
    (
      """
      add-class: {name: Address, properties: {street: string, city: string}}
      add-property: {class: Person, name: address, type: "Address?"}
      """, [("Person", "fullName"), ("Person", "age"), ("Person", "pets"), ("Pet", "name")]
    ),
    (
      "set-embedded: {class: Address}",
      [("Person", "address"), ("Person", "fullName"), ("Person", "pets"), ("Pet", "name")]
    ),
  ]

  @Test(
    "the realms of an example app become those of its next version",
    .enabled(if: templates.count == 6, "the public corpus is not here"), arguments: 0..<5)
  func nextVersion(version: Int) throws {
    let folder = try TemporaryFolder()
    let (from, to) = (Self.templates[version], Self.templates[version + 1])
    let (steps, agreeing) = Self.versions[version]
    let plan = try folder.write(
      Array(migrationPlan(steps, to: version + 1).utf8), to: "plan.yml")
    let out = folder.path("out.realm")
    try MigrateJob(
      path: from, key: nil, destination: .file(out, replacing: false),
      source: .plan(path: plan, to: nil)
    ).runVerified()
    #expect(try schemaDifferences(from: out, to: to) == [])
    let (result, truth) = (try realmJSON(of: out), try realmJSON(of: to))
    for (name, property) in agreeing {
      // The app created its objects again, in another order.
      func texts(_ json: JSONValue) -> [String] {
        json.values(of: name, property).map { "\($0 ?? .null)" }.sorted()
      }
      #expect(texts(result) == texts(truth), "\(name).\(property)")
      #expect(texts(result).count == (name == "Pet" ? 4 : 3))
    }
  }
}
