import Foundation
import FuzzTargets
import RealmModel
import RealmStorage
import TestSupport
import Testing

@Suite("hostile realms in browse")
struct HostileTests {
  /// A realm from a text in the form of Realm JSON.
  private func realm(_ json: String, in folder: TemporaryFolder) throws -> String {
    let text = try folder.write(Array(json.utf8), to: "x.json")
    let path = folder.path("x.realm")
    let result = try runTool("import", text, "-o", path)
    try #require(result.status == 0, "\(result.stderr)")
    return path
  }

  private func json(_ value: Any) throws -> String {
    String(
      decoding: try JSONSerialization.data(withJSONObject: value, options: [.fragmentsAllowed]),
      as: UTF8.self)
  }

  /// Texts that would do harm as markup, in URLs, or on the screen.
  static let texts = [
    "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "' onmouseover='alert(1)",
    "&lt;b&gt;",
    "javascript:alert(1)", "a/../b", "..", ".", "@3", "%2e%2e", "x?token=1#y", "a b+c",
    "\u{202E}evil\u{2066}",
    "\u{1}\u{7F}\u{9B}", "</textarea></title><svg onload=alert(1)>", "ünï\u{301}cödé", "{{x}}",
    "objects.json", "`${1}`",
  ]

  @Test(
    "names and values of all kinds are text on every page, and every link works", arguments: texts)
  func escaping(text: String) throws {
    let folder = try TemporaryFolder()
    let name = try json(text)
    let path = try realm(
      """
      {"realm":{"format":"realm-json","version":1,"schemaVersion":0},
       "schema":[{"name":\(name),"properties":{\(name):"string","_next":{"type":"object","objectType":\(name),"optional":true},
         "map":"string{}"},"primaryKey":\(name)}],
       "objects":{\(name):[{\(name):\(name),"_next":\(name),"map":{\(name):\(name)}}]}}
      """, in: folder)
    let site = Site(path)
    var seen: Set<String> = []
    var waiting = ["/", "/0/stats", "/0/verify", "/0/schema", "/0/schema?as=swift", "/0/changes"]
    while let target = waiting.popLast(), seen.count < 60 {
      guard seen.insert(target).inserted else { continue }
      let page = try site.follow(target)
      // The realm has one version only; the changes are always those of the newest one.
      let expected =
        target.contains("again")
        ? 303 : target.contains("previous") && !target.contains("changes") ? 422 : 200
      #expect(page.status == expected, "\(target)")
      guard page.type.hasPrefix("text/html") else { continue }
      let lower = page.text.lowercased()
      #expect(
        !lower.contains("<img src=x") && !lower.contains("<svg onload")
          && !lower.contains("onerror=a\""),
        "\(target)")
      #expect(page.text.components(separatedBy: "<script").count == 2, "\(target)")
      #expect(
        !PageText.withoutTags(page.text).unicodeScalars.contains {
          $0.value == 0x202E || $0.value == 0x2066 || $0.value == 0x9B || $0.value == 1
        })
      #expect(!page.text.contains(" onmouseover='") && !page.text.contains("style="))
      for link in PageText(page.text).links {
        #expect(link.target.hasPrefix("/") || link.target.hasPrefix("#"), "\(link.target)")
        // A browser resolves these before it asks.
        #expect(!link.target.contains("/../") && !link.target.contains("/./"))
        if link.target.hasPrefix("/") { waiting.append(link.target) }
      }
    }
    #expect(seen.contains { $0.contains("/class/") && $0.hasSuffix("/0") })
  }

  @Test("a string of 10 MB is cut in pages and whole as a value")
  func longString() throws {
    let folder = try TemporaryFolder()
    let long = String(repeating: "long text ", count: 1_000_000)
    let path = try realm(
      """
      {"realm":{"format":"realm-json","version":1,"schemaVersion":0},
       "schema":[{"name":"T","properties":{"s":"string","l":"string[]"}}],
       "objects":{"T":[{"_key":0,"s":"\(long)","l":["a","b"]}]}}
      """, in: folder)
    let site = Site(path)
    #expect(try site.get("/0/class/T/").text.utf8.count < 10_000)
    #expect(try site.get("/0/class/T/0").text.utf8.count < 20_000)
    #expect(try site.get("/0/class/T/0?at=0").text.utf8.count < 120_000)
    #expect(try site.get("/0/class/T/0/value?at=0").text == long)
    #expect(try site.get("/0/class/T/?facet=s").status == 200)
  }

  @Test("deeply nested values are open to some levels, and each level has a page")
  func nesting() throws {
    let folder = try TemporaryFolder()
    let levels = 90
    let value = String(repeating: "[", count: levels) + "1" + String(repeating: "]", count: levels)
    let path = try realm(
      """
      {"realm":{"format":"realm-json","version":1,"schemaVersion":0},
       "schema":[{"name":"T","properties":{"m":"mixed"}}],"objects":{"T":[{"_key":0,"m":\(value)}]}}
      """, in: folder)
    let site = Site(path)
    let page = try site.get("/0/class/T/0")
    #expect(page.status == 200 && page.text.utf8.count < 10_000)
    #expect(
      PageText(page.text).links("open") == ["/0/class/T/0?at=0.0.0.0.0"]
        || PageText(page.text).links("open").count == 1)
    let steps = Array(repeating: "0", count: levels + 1).joined(separator: ".")
    #expect(try site.get("/0/class/T/0?at=\(steps)").text.contains(">1<"))
    #expect(try site.get("/0/class/T/").status == 200)
    let tooDeep = Array(repeating: "0", count: 500).joined(separator: ".")
    #expect(try site.get("/0/class/T/0?at=\(tooDeep)").status == 200)
  }

  @Test("embedded objects can nest 400 levels deep")
  func deepEmbedded() throws {
    let folder = try TemporaryFolder()
    let levels = 400
    let value =
      String(repeating: "{\"e\":", count: levels) + "null" + String(repeating: "}", count: levels)
    let path = try realm(
      """
      {"realm":{"format":"realm-json","version":1,"schemaVersion":0},
       "schema":[{"name":"T","properties":{"e":"E?"}},{"name":"E","embedded":true,"properties":{"e":"E?"}}],
       "objects":{"T":[{"_key":0,"e":\(value)}]}}
      """, in: folder)
    let site = Site(path)
    #expect(try site.get("/0/class/T/0").status == 200)
    #expect(try site.get("/0/class/T/").status == 200)
    #expect(try site.get("/0/class/E/").status == 200)
  }

  @Test("a class with 5,000 properties shows some of them, the rest by choice, and has every page")
  func manyProperties() throws {
    let folder = try TemporaryFolder()
    let names = (0..<5000).map { "p\($0)" }
    let properties = names.map { "\"\($0)\":\"int\"" }.joined(separator: ",")
    let values = names.enumerated().map { "\"\($1)\":\($0)" }.joined(separator: ",")
    let path = try realm(
      """
      {"realm":{"format":"realm-json","version":1,"schemaVersion":0},
       "schema":[{"name":"T","properties":{\(properties)}}],"objects":{"T":[{"_key":0,\(values)}]}}
      """, in: folder)
    let site = Site(path)
    #expect(PageText(try site.get("/0/class/T/").text).rows[0].count == 13)
    #expect(PageText(try site.get("/0/class/T/?c=p4999").text).rows[0] == ["0", "4999"])
    #expect(try site.get("/0/class/T/0").text.contains(">4999<"))
    let all = names.map { "c=\($0)" }.joined(separator: "&")
    let wide = try site.get("/0/class/T/?\(all)").text
    #expect(PageText(wide).rows[0].count == 101)
    // Not the product of the numbers of links and columns.
    #expect(wide.utf8.count < 2_000_000)
    #expect(wide.contains("up to 100 columns"))
    let list = try site.get("/0/class/T/?c=\(names.prefix(150).joined(separator: ","))").text
    #expect(PageText(list).rows[0].count == 101)
    #expect(try site.get("/0/class/T/objects.csv?\(all)").text.contains(",4998,4999\r\n"))
    for target in [
      "/", "/0/", "/0/index.json", "/0/stats", "/0/stats.json", "/0/verify", "/0/verify.json",
      "/0/schema.json", "/0/changes", "/0/version.json", "/0/class/T/?sort=p4999&q=p4998+%3E+1",
      "/0/class/T/?facet=p4999", "/0/class/T/0?at=4999", "/0/class/T/0.json",
      "/0/class/T/objects.json", "/0/class/T/objects.ndjson",
      "/0/class/T/objects.csv", "/0/class/T/complete.json?q=p",
    ] {
      let page = try site.get(target)
      #expect(page.status == 200, "\(target.prefix(60)): \(page.text.prefix(300))")
    }
    #expect(try site.get("/0/class/T/objects.csv").text.contains(",4998,4999\r\n"))
    let schema = PageText(try site.get("/0/schema").text)
    let languages = schema.links.filter { $0.target.contains("?as=") }
    #expect(languages.count > 4)
    for language in languages {
      let page = try site.follow(language.target).text
      // Tables of SQLite and PostgreSQL have fewer columns.
      let isTable = ["grdb", "room", "drift", "sqlalchemy", "sql"].contains {
        language.target.hasSuffix("?as=\($0)")
      }
      #expect(
        page.contains(isTable ? " columns, but " : "p4999"), "\(language.text)")
    }
  }

  @Test("a long list has pages")
  func longList() throws {
    let folder = try TemporaryFolder()
    let count = 200_000
    let path = try realm(
      """
      {"realm":{"format":"realm-json","version":1,"schemaVersion":0},
       "schema":[{"name":"T","properties":{"l":"int[]"}}],
       "objects":{"T":[{"_key":0,"l":[\((0..<count).map(String.init).joined(separator: ","))]}]}}
      """, in: folder)
    let site = Site(path)
    let first = try site.get("/0/class/T/0")
    #expect(first.text.utf8.count < 10_000)
    let next = try #require(PageText(first.text).links("all").first)
    #expect(try site.follow(next).text.contains(">99<"))
    let last = try site.get("/0/class/T/0?at=0&from=199950")
    #expect(last.text.contains(">199999<") && !last.text.contains(">next<"))
    #expect(try site.get("/0/class/T/0?at=0&from=9223372036854775807").status == 200)
    #expect(try site.get("/0/class/T/0?at=0.9223372036854775807").status == 200)
  }

  @Test("changes of a realm whose schema is damaged are an error that names the damage")
  func damagedSchema() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("x.realm")
    // Types, names, attributes, and keys of the columns.
    for slot in [0, 1, 2, 5] {
      let editor = try RealmEditor("people.realm")
      let spec = try editor.spec("Person", slot)
      // A node with another kind of elements than it must have.
      editor.bytes[spec + 4] ^= 0x40
      try folder.write(editor.bytes, to: "x.realm")
      #expect(throws: RealmFileError.self) { try Realm(path: path) }
      let site = Site(path)
      let page = try site.get("/0/changes")
      #expect([200, 422].contains(page.status), "\(slot)")
      #expect(page.text.contains("role=\"alert\"") && page.text.contains("damaged"), "\(slot)")
      #expect(!page.text.contains("It changed no objects"))
      #expect(throws: RealmFileError.self) { try site.get("/0/changes.ndjson") }
    }
  }

  @Test("objects that link to one are listed by their keys if their primary keys cannot be read")
  func damagedNames() throws {
    let folder = try TemporaryFolder()
    let path = try realm(
      """
      {"realm":{"format":"realm-json","version":1,"schemaVersion":0},
       "schema":[{"name":"Person","primaryKey":"_id","properties":{"_id":"int","dog":"Dog?"}},
                 {"name":"Dog","primaryKey":"_id","properties":{"_id":"int"}}],
       "objects":{"Person":[{"_id":71,"dog":5},{"_id":72,"dog":5}],"Dog":[{"_id":5}]}}
      """, in: folder)
    func listed() throws -> PageText {
      let page = try Site(path).get("/0/class/Dog/0")
      #expect(page.status == 200)
      return PageText(page.text)
    }
    let links = try listed().links.filter { $0.target.hasPrefix("/0/class/Person/") }
    #expect(links.map(\.text) == ["71", "72"])
    let realm = try Realm(path: path)
    let table = try #require(realm.schema.table(named: "class_Person"))
    let reader = try RealmReader(realm)
    let place = try #require(try reader.clusters(of: table).first)
    var bytes = try readFile(path)
    // The flags of the leaf with the primary keys.
    bytes[try reader.cluster(place).leaf(at: 0) + 4] = 0xFF
    _ = try folder.write(bytes, to: "x.realm")
    let page = try Site(path).get("/0/class/Dog/0").text
    let names = PageText(page).links.filter { $0.target.hasPrefix("/0/class/Person/") }
    #expect(names.map(\.text) == ["Person 0", "Person 1"])
    #expect(page.contains("role=\"alert\"") && page.contains("class Person"))
  }

  @Test("pages of damaged realms answer, or say what is damaged")
  func damage() throws {
    let folder = try TemporaryFolder()
    for name in ["people", "all-types", "links", "nested-mixed", "indexes"] {
      let bytes = try Golden.bytes("\(name).realm")
      for seed in 0..<40 as Range<UInt64> {
        var mutation = RealmMutation(of: bytes, seed: seed)
        let path = try folder.write(mutation.make(), to: "x.realm")
        let site = Site(path)
        var waiting = ["/", "/0/", "/0/stats", "/0/verify", "/0/schema", "/0/changes"]
        let realm = PageText(try site.get("/0/").text)
        waiting += realm.links.map(\.target).filter { $0.hasPrefix("/0/class/") }
        for target in waiting {
          let page = try site.get(target)
          #expect(
            page.status == 200 || page.status == 422, "\(name) \(seed) \(target): \(page.text)")
          if page.status == 422 {
            #expect(page.text.contains("role=\"alert\""), "\(name) \(seed) \(target)")
          }
          for row in PageText(page.text).links.filter({ $0.target.hasSuffix("/0") }).prefix(3) {
            let object = try site.follow(row.target)
            #expect([200, 404, 422].contains(object.status), "\(name) \(seed) \(row.target)")
          }
        }
      }
    }
  }
}
