import RealmInterchange
import RealmJobs
import RealmMigration
import RealmModel
import RealmQuery
import RealmStorage
import TestJobs
import TestSupport
import Testing

@Suite("Objects updated and deleted")
struct EditTests {
  let folder: TemporaryFolder
  let out: String

  init() throws {
    folder = try TemporaryFolder()
    out = folder.path("out.realm")
  }

  private func request(_ className: String, _ query: String, expected: Int? = nil) -> EditRequest {
    var request = EditRequest(className: className)
    (request.query, request.expected) = (query, expected)
    (request.sampleCount, request.jobs) = (2, 2)
    return request
  }

  private func update(
    _ path: String, _ className: String, _ query: String, _ assignments: String...,
    expected: Int? = nil, isDryRun: Bool = false
  ) throws -> EditReport {
    try UpdateJob(
      path: path, key: nil, destination: .file(out, replacing: true),
      request: request(className, query, expected: expected), assignments: assignments,
      isDryRun: isDryRun
    ).runVerified()
  }

  private func delete(
    _ path: String, _ className: String, _ query: String, expected: Int? = nil
  ) throws -> EditReport {
    try DeleteJob(
      path: path, key: nil, destination: .file(out, replacing: true),
      request: request(className, query, expected: expected)
    ).runVerified()
  }

  /// A realm in which objects link to each other in every way.
  private func linkedRealm() throws -> String {
    try folder.importRealm(
      #"""
      {"realm":{"format":"realm-json","version":1,"schemaVersion":7},
      "schema":[
      {"name":"P","primaryKey":"_id","properties":{"_id":"int","n":"int","name":"string?","link":"P?","list":"P[]","set":"P<>","dict":"P?{}","any":"mixed","anys":"mixed[]","e":"E?","es":"E[]"}},
      {"name":"E","embedded":true,"properties":{"x":"int","to":"P?","inner":"I?"}},
      {"name":"I","embedded":true,"properties":{"y":"int"}}],
      "objects":{"P":[
      {"_id":1,"n":5,"name":"a","link":2,"list":[3,2,3,2],"set":[2,3],"dict":{"a":2,"b":3},"any":ANY,"anys":[1,ANY,[ANY,2],{"k":ANY}],"e":{"x":1,"to":2,"inner":{"y":1}},"es":[]},
      {"_id":2,"n":6,"name":null,"link":2,"list":[],"set":[],"dict":{},"any":null,"anys":[],"e":{"x":2,"to":3,"inner":{"y":2}},"es":[{"x":3,"to":null,"inner":null}]},
      {"_id":3,"n":-7,"name":"c","link":1,"list":[],"set":[],"dict":{},"any":null,"anys":[],"e":null,"es":[]}]}}
      """#.replacing("ANY", with: #"{"$link":{"class":"P","id":2}}"#))
  }

  private func object(_ id: Int) throws -> JSONValue {
    let objects = try realmJSON(of: out)["objects"]?["P"]?.array
    return try #require(objects?.first { $0["_id"]?.int == id })
  }

  // MARK: Update

  @Test("values are those of the expressions, which see the object as it was before")
  func values() throws {
    let path = try linkedRealm()
    let report = try update(
      path, "P", "n > 0", "n = n * 2 + _id", "name = coalesce(name, 'none') + string(n)",
      "any = n", "link = link.link")
    #expect(report.found == 2 && report.changed == 2)
    let (one, two) = (try object(1), try object(2))
    #expect(one["n"]?.int == 11 && two["n"]?.int == 14)
    #expect(one["name"]?.string == "a5" && two["name"]?.string == "none6")
    #expect(one["any"]?.int == 5 && two["any"]?.int == 6)
    #expect(one["link"]?.int == 2 && two["link"]?.int == 2)
  }

  @Test("schema version, object keys and the objects that the query does not find stay")
  func rest() throws {
    let path = try linkedRealm()
    let before = try Realm(path: path)
    let report = try update(path, "P", "_id == 3", "n = 8", "name = upper(name)")
    #expect(report.found == 1 && report.changed == 1)
    let after = try Realm(path: out)
    #expect(try after.schemaVersion() == 7)
    #expect(try keys(of: after) == keys(of: before))
    #expect(try object(3)["n"]?.int == 8 && object(3)["name"]?.string == "C")
    let old = try realmJSON(of: path)["objects"]?["P"]?.array
    #expect(try object(1) == old?[0] && object(2) == old?[1])
    #expect(
      report.samples.map(\.before).map { $0.map(\.value) } == [["-7", "\"c\""]])
    #expect(report.samples.map(\.after).map { $0.map(\.value) } == [["8", "\"C\""]])
  }

  private func keys(of realm: Realm) throws -> [ObjectKey] {
    let objects = try #require(try realm.objects(ofClass: "P"))
    var keys: [ObjectKey] = []
    while let object = try objects.next() { keys.append(object.key) }
    return keys
  }

  @Test("an object that keeps its values does not count, and bits of numbers do")
  func same() throws {
    let path = try folder.importRealm(
      #"""
      {"realm":{"format":"realm-json","version":1,"schemaVersion":0},
      "schema":[{"name":"C","properties":{"d":"double","m":"mixed","s":"string?"}}],
      "objects":{"C":[{"d":0.0,"m":1,"s":null},{"d":1.0,"m":null,"s":""}]}}
      """#)
    #expect(try update(path, "C", "", "d = d", "m = m", "s = s").changed == 0)
    #expect(try update(path, "C", "", "d = -d").changed == 2)
    #expect(try update(path, "C", "", "m = 1.0").changed == 2)
    #expect(try update(path, "C", "", "s = ''").changed == 1)
  }

  @Test("a primary key can change, but not to one that another object has")
  func primaryKey() throws {
    let path = try linkedRealm()
    #expect(try update(path, "P", "", "_id = _id + 10").changed == 3)
    #expect(try object(11)["link"]?.int == 12)
    let error = #expect(throws: MigrationError.self) { try update(path, "P", "", "_id = 5") }
    guard case .duplicates = error?.kind else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test("an embedded object that its owner loses is gone")
  func embedded() throws {
    let path = try linkedRealm()
    #expect(try update(path, "P", "_id == 2", "e = null").changed == 1)
    let realm = try Realm(path: out)
    #expect(realm.schema.tables.map(\.objectCount).sorted() == [1, 1, 2, 3])
    #expect(try object(2)["e"]?.isNull == true)
  }

  @Test("objects of an embedded class can be changed")
  func embeddedClass() throws {
    let path = try linkedRealm()
    #expect(try update(path, "E", "x < 3", "x = x + 100").changed == 2)
    #expect(try object(1)["e"]?["x"]?.int == 101 && object(2)["es"]?[0]?["x"]?.int == 3)
  }

  @Test("a value that does not fit names the object, and nothing is written")
  func wrongValue() throws {
    let path = try linkedRealm()
    let error = #expect(throws: MigrationError.self) {
      try update(path, "P", "", "n = n / (n - 6)")
    }
    #expect(error?.identity == "2")
    #expect(!OutputFile.exists(out))
  }

  @Test(
    "a wrong assignment shows where",
    arguments: [
      ("n", 1..<1), ("n == 3", 2..<4), (" = 3", 1..<1), ("m = 3", 0..<1), ("n = 'x'", 4..<7),
      ("n = nope", 4..<8), ("list = null", 7..<11),
    ])
  func wrongAssignment(text: String, range: Range<Int>) throws {
    let path = try linkedRealm()
    let error = #expect(throws: QueryTextError.self) { try update(path, "P", "", text) }
    #expect(error?.part == .assignment && error?.text == text)
    #expect(error?.error.range.lowerBound == range.lowerBound, "\(String(describing: error))")
  }

  @Test("another number of objects than expected changes nothing")
  func expected() throws {
    let path = try linkedRealm()
    let report = try update(path, "P", "", "n = 5", expected: 3)
    #expect(!report.isExpected && report.changed == 2 && report.rewrite == nil)
    #expect(!OutputFile.exists(out))
    #expect(try update(path, "P", "", "n = 5", expected: 2).isExpected)
    #expect(OutputFile.exists(out))
    #expect(try delete(path, "P", "_id > 1", expected: 1).rewrite == nil)
    #expect(try delete(path, "P", "_id > 1", expected: 2).rewrite != nil)
  }

  // MARK: Delete

  @Test("links to a deleted object are gone in every form, and its embedded objects too")
  func links() throws {
    let path = try linkedRealm()
    let report = try delete(path, "P", "_id == 2")
    #expect(report.changed == 1 && report.embedded == 3)
    let one = try object(1)
    #expect(one["link"]?.isNull == true && one["any"]?.isNull == true)
    #expect(one["list"]?.array?.compactMap(\.int) == [3, 3])
    #expect(one["set"]?.array?.compactMap(\.int) == [3])
    #expect(one["dict"]?["a"]?.isNull == true && one["dict"]?["b"]?.int == 3)
    #expect(one["anys"]?.text == #"[1,[2],{"k":null}]"#)
    #expect(one["e"]?["to"]?.isNull == true && one["e"]?["x"]?.int == 1)
    let counts = try Realm(path: out).schema.tables.map(\.objectCount)
    #expect(counts.sorted() == [1, 1, 1, 2])
  }

  @Test("an embedded object is deleted from its owner")
  func deletedEmbedded() throws {
    let path = try linkedRealm()
    let report = try delete(path, "E", "x != 1")
    #expect(report.changed == 2 && report.embedded == 1)
    #expect(try object(2)["e"]?.isNull == true && object(2)["es"]?.array?.isEmpty == true)
    #expect(try object(1)["e"]?["inner"]?["y"]?.int == 1)
  }

  @Test("queries can sort and limit what is deleted")
  func limited() throws {
    let path = try linkedRealm()
    #expect(try delete(path, "P", "TRUEPREDICATE SORT(n DESC) LIMIT(1)").changed == 1)
    #expect(
      try realmJSON(of: out)["objects"]?["P"]?.array?.compactMap { $0["_id"]?.int } == [1, 3])
  }

  // MARK: Fixtures

  @Test(
    "realms of the reference stay sound when objects of each class change and go",
    arguments: Golden.names.filter { !$0.contains("encrypted") } + Lived.names.map { "lived/\($0)" }
  )
  func fixtures(name: String) throws {
    let source =
      name.hasPrefix("lived/")
      ? Lived.path("\(name.dropFirst(6)).realm") : Golden.path("\(name).realm")
    let path = folder.path("copy.realm")
    _ = try CompactJob(path: source, key: nil, destination: .file(path, replacing: true)).run()
    let schema = try Realm(path: path).schema.objects
    for position in schema.appClasses {
      let objectClass = schema.classes[position]
      let count = try Realm(path: path).schema.tables[position].objectCount
      guard count > 0 else { continue }
      var query = request(objectClass.name.text, "TRUEPREDICATE LIMIT(\(count / 2 + 1))")
      query.jobs = 1
      let assignments = objectClass.properties.enumerated().filter { i, property in
        i != objectClass.primaryKey && property.isOptional && property.collection == nil
      }.map { "\($0.element.name.text) = null" }
      do {
        if !assignments.isEmpty {
          _ = try UpdateJob(
            path: path, key: nil, destination: .inPlace(backup: false), request: query,
            assignments: assignments, formats: FormatChoice(upgradesInPlace: true)
          ).runVerified()
        }
        _ = try DeleteJob(
          path: path, key: nil, destination: .inPlace(backup: false), request: query,
          formats: FormatChoice(upgradesInPlace: true)
        ).runVerified()
        #expect(
          try Realm(path: path).schema.tables[position].objectCount <= count - count / 2 - 1)
      } catch let error as RequestError {
        // A synced realm takes no changes of classes that changesets cannot describe.
        switch error.kind {
        case .syncedTarget, .oldSyncedFormat: continue
        default: throw error
        }
      }
    }
  }
}
