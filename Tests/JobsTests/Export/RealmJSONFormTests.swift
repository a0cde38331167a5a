import RealmInterchange
import RealmJobs
import RealmModel
import RealmStorage
import TestJobs
import TestSupport
import Testing

@Suite("Form of Realm JSON")
struct RealmJSONFormTests {
  private func document(_ name: String, classes: [String]? = nil) throws -> JSONValue {
    try JSONParser.parse(try exportGolden(name, as: .json, classes: classes).bytes)
  }

  private func lines(_ name: String, classes: [String]? = nil) throws -> RealmJSONLines {
    let exported = try exportGolden(name, as: .ndjson, classes: classes)
    return try #require(RealmJSONLines(try JSONParser.parseLines(exported.bytes)))
  }

  @Test("a document has a head, a schema and objects", arguments: Golden.names)
  func document(name: String) throws {
    let document = try document(name)
    #expect(document.names == ["realm", "schema", "objects"])
    #expect(document["realm"]?.names == ["format", "version", "schemaVersion"])
    #expect(document["realm"]?["format"] == .string("realm-json"))
    #expect(document["realm"]?["version"] == .number("1"))
  }

  @Test("every object has the members that the schema names", arguments: Golden.names)
  func members(name: String) throws {
    let document = try document(name)
    for json in try #require(document["schema"]?.array) {
      let type = try #require(RealmJSONClass(json))
      let expected = (type.keyMember.map { [$0] } ?? []) + type.properties.map(\.name)
      let objects = document["objects"]?[type.name]?.array
      #expect((objects == nil) == type.isEmbedded)
      #expect((objects ?? []).allSatisfy { $0.names == expected })
    }
  }

  /// The members of the wrappers that `docs/realm-json.md` describes.
  private static let wrappers: Set<[String]> = [
    ["$numberDouble"], ["$numberDouble", "$bits"], ["$numberDecimal"],
    ["$numberDecimal", "$bits"], ["$date"], ["$oid"], ["$uuid"], ["$binary"], ["$float"],
    ["$link"], ["$string"], ["$dictionary"],
  ]
  private static let contents: [String: Set<[String]>] = [
    "$date": [["$seconds", "$ns"]], "$binary": [["base64", "subType"]], "$string": [["base64"]],
    "$link": [["id"], ["class", "id"], ["class", "id", "unresolved"]],
  ]

  @Test("every wrapper is documented, with its members", arguments: Golden.names)
  func wrappers(name: String) throws {
    func check(_ value: JSONValue) {
      for element in value.array ?? [] { check(element) }
      guard let members = value.members else { return }
      if let first = members.first, first.name.hasPrefix("$") {
        #expect(RealmJSONFormTests.wrappers.contains(value.names))
        if let allowed = RealmJSONFormTests.contents[first.name], first.value.members != nil {
          #expect(allowed.contains(first.value.names))
        }
      }
      // The members of a date have a dollar sign in their names.
      for member in members where member.name != "$date" { check(member.value) }
    }
    check(try #require(try document(name)["objects"]))
  }

  @Test("no two objects of a class have the same identity", arguments: Golden.names)
  func identities(name: String) throws {
    let document = try document(name)
    for type in (document["schema"]?.array ?? []).compactMap(RealmJSONClass.init) {
      guard let member = type.primaryKey ?? type.keyMember else { continue }
      let objects = document["objects"]?[type.name]?.array ?? []
      let identities = Set(objects.map { "\(String(describing: $0[member]))" })
      #expect(identities.count == objects.count)
    }
  }

  @Test("ndjson has what json has, in the same order", arguments: Golden.names)
  func sameObjects(name: String) throws {
    #expect(try lines(name).document == (try document(name)))
  }

  @Test("the last line counts the objects of each class", arguments: Golden.names)
  func counts(name: String) throws {
    let lines = try lines(name)
    var counted: [String: Int] = [:]
    for (name, _) in lines.objects { counted[name, default: 0] += 1 }
    for member in try #require(lines.counts.members) {
      #expect(member.value.int == counted[member.name] ?? 0)
    }
  }

  @Test("the head of an export of one class says so", arguments: [true, false])
  func partial(asLines: Bool) throws {
    let head =
      try asLines ? lines("links", classes: ["Dog"]).head : document("links", classes: ["Dog"])
    #expect(head["realm"]?["partial"] == .bool(true))
  }

  @Test("an export of one class has its objects, its schema and the schema of embedded classes")
  func oneClass() throws {
    let partial = try document("links", classes: ["Dog"])
    let whole = try document("links")
    #expect(partial["objects"]?.names == ["Dog"])
    #expect(partial["objects"]?["Dog"] == whole["objects"]?["Dog"])
    #expect(
      partial["schema"]?.array?.compactMap { $0["name"]?.string } == ["Address", "Dog", "Geo"])
  }

  @Test("a class that does not exist is an error before anything is written")
  func unknownClass() throws {
    let path = Golden.path("links.realm")
    #expect(throws: RequestError(.noSuchClass("Cat"), path: path)) {
      try exportGolden("links", as: .json, classes: ["Dog", "Cat"])
    }
  }

  @Test(
    "two exports are the same bytes, whatever the number of threads", arguments: Golden.names,
    [ObjectTextFormat.json, .ndjson])
  func deterministic(name: String, format: ObjectTextFormat) throws {
    let first = try exportGolden(name, as: format)
    #expect(try exportGolden(name, as: format).bytes == first.bytes)
    for jobs in [2, 5] {
      #expect(try exportGolden(name, as: format, jobs: jobs).bytes == first.bytes)
    }
  }

  @Test("the schema names what the reference's schema names", arguments: Golden.names)
  func schema(name: String) throws {
    let document = try document(name)
    let reference = try JSONParser.parse(try Golden.bytes("\(name).core-schema.json"))
    let expected = try #require(reference.array).compactMap { table -> String? in
      guard let name = table["name"]?.string, name.hasPrefix("class_") else { return nil }
      return describe(reference: table, name: String(name.dropFirst("class_".count)))
    }
    let classes = try #require(document["schema"]?.array)
    #expect(classes.map(describe(ours:)) == expected)
  }

  /// A class of the reference's schema in words.
  private func describe(reference table: JSONValue, name: String) -> String {
    let kinds = ["TopLevel": "", "Embedded": "embedded ", "TopLevelAsymmetric": "asymmetric "]
    var text = (kinds[table["tableType"]?.string ?? ""] ?? "?") + name
    let primaryKey = table["primaryKey"]?.string
    text += " key \(primaryKey ?? "-")"
    let types = ["binary": "data", "timestamp": "date"]
    for property in table["properties"]?.array ?? [] {
      let type = property["type"]?.string ?? "?"
      let isOptional = property["isOptional"]?.bool == true && type != "mixed"
      let collection =
        property["isArray"] != nil
        ? "list" : property["isSet"] != nil ? "set" : property["isMap"] != nil ? "dictionary" : "-"
      let propertyName = property["name"]?.string ?? "?"
      let isIndexed = property["isIndexed"] != nil && propertyName != primaryKey
      text += " | \(propertyName) \(types[type] ?? type)"
      text += " \(property["objectType"]?.string?.dropFirst("class_".count) ?? "-")"
      text += " \(isOptional) \(collection) \(isIndexed) \(property["isFulltextIndexed"] != nil)"
    }
    return text
  }

  /// A class of our schema in the same words.
  private func describe(ours json: JSONValue) -> String {
    guard let type = RealmJSONClass(json) else { return "?" }
    var text =
      json["embedded"] != nil ? "embedded " : json["asymmetric"] != nil ? "asymmetric " : ""
    text += "\(type.name) key \(type.primaryKey ?? "-")"
    for (name, property) in type.properties {
      let member = json["properties"]?[name]
      text += " | \(name) \(property.name) \(property.objectType ?? "-") \(property.isOptional)"
      text += " \(property.collection ?? "-")"
      text += " \(member?["indexed"] != nil) \(member?["fulltext"] != nil)"
    }
    return text
  }
}
