import Foundation
import RealmBrowse
import TestSupport
import Testing

@Suite("editors of browse")
struct EditorTests {
  private let site = DraftSite(MeasuredQuery.realm)

  private func editor(_ path: String, _ action: String = "set", of key: Int = 0) throws -> String {
    try site.get("/0/class/Person/\(key)/edit?at=\(path)&do=\(action)")
  }

  private func form(_ page: String) throws -> FormText {
    try #require(FormText.all(page).first { $0.value("do") != nil })
  }

  /// Each type with a value that a browser's own fields would change, as the editor takes it and shows it again.
  @Test(
    "what an editor takes, it shows again to the last digit",
    arguments: [
      ("int", "9223372036854775807"), ("int", "-9223372036854775808"), ("int", "9007199254740993"),
      ("bool", "true"), ("double", "0.1"), ("double", "NaN"), ("double", "-Infinity"),
      ("double", "5e-324"), ("float", "16777216.0"), ("decimal", "1.2300"),
      ("decimal", "123456789012345678901234567890.1234"),
      ("date", "1969-12-31T23:59:59.000000001Z"),
      ("objectId", "0123456789abcdef01234567"), ("uuid", "00112233-4455-6677-8899-aabbccddeeff"),
      ("string", "two\nlines\n"), ("string", "\n\nbehind"), ("string", ""), ("string", "  "),
      ("string", "windows\r\nlines\r\n"), ("string", "mixed\r\nlines\nand\rmore"),
      ("string", "zero\u{0}, bell\u{7}, \"quotes\" and \\"), ("string", "right\u{202E}to left"),
      ("string", "</textarea><script>alert(1)</script>"), ("data", "00ff7f"),
    ])
  func roundTrip(type: String, text: String) throws {
    let types = DraftSite(Golden.path("all-types.realm"))
    let properties = [
      "int": 1, "bool": 3, "float": 5, "double": 7, "string": 9, "data": 11, "date": 13,
      "decimal": 15, "objectId": 17, "uuid": 19,
    ]
    let at = try #require(properties[type])
    let page = try types.get("/0/class/AllTypes/0/edit?at=\(at)")
    var entered = text
    var fields: [String: String?] = [:]
    if type == "string", text.contains("\r") || text.contains("\u{0}") {
      // As the editor shows a value with such characters.
      fields["breaks"] = "escaped"
      let json = try JSONSerialization.data(
        withJSONObject: [text], options: [.withoutEscapingSlashes])
      entered = String(String(decoding: json, as: UTF8.self).dropFirst(2).dropLast(2))
    } else {
      entered = text.replacingOccurrences(of: "\n", with: "\r\n")
    }
    fields["value"] = entered
    let answer = try types.submit(page, "Set", fields)
    #expect(answer.status == 303, "\(answer.text)")
    // The form that is shown then changes nothing when it is sent.
    let again = try types.get("/0/class/AllTypes/0/edit?at=\(at)")
    let revision = try types.get("/0/version.json")
    #expect(try types.submit(again, "Set").status == 303)
    #expect(try types.get("/0/version.json") == revision)
    guard type == "string" else {
      return #expect(
        FormText.all(again).contains {
          $0.value("value")?.replacingOccurrences(of: "\r\n", with: "\n") == text
        }, "\(again)")
    }
    #expect(!again.contains("<script>alert"))
    // The stored string is empty, too.
    guard !text.isEmpty else { return #expect(!again.contains("Draft: 1 change")) }
    let stored = try types.get("/0/draft.patch")
    let line = try #require(stored.split(separator: "\n").dropFirst().first)
    let object = try #require(
      JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    let new = try #require(object["new"] as? [String: Any])
    #expect(new["string"] as? String == text)
  }

  @Test("an error keeps what was entered, and says what is expected")
  func error() throws {
    let page = try editor("\(PersonProperty.age)")
    let answer = try site.submit(page, "Set", ["value": "12<x", "null": nil])
    #expect(answer.status == 422)
    #expect(answer.text.contains("role=\"alert\"") && answer.text.contains("aria-invalid=\"true\""))
    #expect(answer.text.contains("aria-describedby=\"edit-problem\""))
    #expect(try form(answer.text).value("value") == "12<x")
    #expect(answer.text.contains("value=\"12&lt;x\""))
  }

  @Test("integers are entered as text, so that no digit is lost")
  func integers() throws {
    let page = try editor("\(PersonProperty.age)")
    #expect(page.contains("inputmode=\"numeric\"") && !page.contains("type=\"number\""))
  }

  @Test("null is a state of its own, only where it is allowed")
  func null() throws {
    #expect(try editor("\(PersonProperty.name)").contains("name=\"null\""))
    // email is required
    #expect(!(try editor("2").contains("name=\"null\"")))
    let page = try editor("\(PersonProperty.name)")
    #expect(try site.submit(page, "Set", ["null": "1"]).status == 303)
    #expect(try form(try editor("\(PersonProperty.name)")).value("null") == "1")
  }

  @Test("an edit of a value that another tab changed is refused, with the value it has now")
  func conflict() throws {
    let page = try editor("\(PersonProperty.name)")
    try site.edit("set", "Person", 0, at: "\(PersonProperty.name)", ("value", "other"))
    let answer = try site.submit(page, "Set", ["value": "mine", "null": nil])
    #expect(answer.status == 409 && answer.text.contains("other"))
    #expect(try form(answer.text).value("value") == "mine")
    // Whoever saw it can still save.
    #expect(try site.submit(answer.text, "Set").status == 303)
  }

  @Test("a mixed value is edited with its type, and a link in it with its class")
  func mixed() throws {
    let at = "\(PersonProperty.mix)"
    for (type, text) in [
      ("int", "9007199254740993"), ("double", "2.0"), ("string", "a\u{1}b"), ("link", "rex"),
      ("decimal", "1.10"), ("binary", "00ff"), ("bool", "false"), ("date", "2026-01-31T12:00:00Z"),
    ] {
      let page = try editor(at)
      var values: [String: String?] = ["type": type, "value": text, "link": "Dog", "breaks": nil]
      if text.contains("\u{1}") { (values["value"], values["breaks"]) = ("a\\u0001b", "escaped") }
      let answer = try site.submit(page, "Set", values)
      #expect(answer.status == 303, "\(type): \(answer.text)")
      let shown = try form(try editor(at))
      #expect(shown.value("type") == type)
      if type == "link" { #expect(shown.value("link") == "Dog") }
      if type != "string" && type != "date" { #expect(shown.value("value") == text, "\(type)") }
    }
    let page = try editor(at)
    #expect(try site.submit(page, "Set", ["type": "list"]).status == 303)
    #expect(
      try site.submit(try editor("\(at).0", "insert"), "Add", ["type": "int", "value": "5"]).status
        == 303)
    #expect(try form(try editor("\(at).0")).value("value") == "5")
  }

  @Test("new object ids and UUIDs are made at a click")
  func made() throws {
    for at in [PersonProperty.oid, PersonProperty.uid] {
      #expect(try site.submit(try editor("\(at)"), "New").status == 303)
      let first = try form(try editor("\(at)")).value("value")
      #expect(try site.submit(try editor("\(at)"), "New").status == 303)
      let second = try form(try editor("\(at)")).value("value")
      #expect(first?.count ?? 0 >= 24 && first != second)
    }
  }

  @Test("the target of a link is searched for, among the objects of the draft, too")
  func picker() throws {
    let all = try site.get("/0/class/Dog/pick.json")
    #expect(all.contains("{\"key\":0,\"identity\":\"rex\",\"text\":\"rex\",\"label\":\"rex Rex\"}"))
    #expect(try site.get("/0/class/Dog/pick.json?text=FI").contains("fido"))
    #expect(!(try site.get("/0/class/Dog/pick.json?text=FI").contains("rex")))
    try site.edit("delete", "Dog", 0)
    #expect(!(try site.get("/0/class/Dog/pick.json").contains("rex")))
    try site.submit(try site.get("/0/class/Dog/new"), "Add", ["value0": "<laika>"])
    let page = try site.get("/0/class/Person/0/edit?at=\(PersonProperty.dog)&pick=lai")
    #expect(page.contains("type=\"radio\"") && page.contains("&lt;laika&gt;"))
    #expect(try site.submit(page, "Set", ["null": nil]).status == 303)
    #expect(try form(try editor("\(PersonProperty.dog)")).value("value") == "<laika>")
    // A number, an object key, and text that no query can spell.
    #expect(try site.get("/0/class/Person/pick.json?text=1").contains("\"identity\":1,"))
    #expect(try site.get("/0/class/Note/pick.json").contains("\"key\":0"))
    #expect(try site.get("/0/class/Dog/pick.json?text=%22%27%5C%00").contains("[]"))
  }

  @Test("elements, entries and keys have editors")
  func parts() throws {
    let scores = try editor("\(PersonProperty.scores).0", "insert")
    #expect(try site.submit(scores, "Add", ["value": "17", "null": nil]).status == 303)
    #expect(try form(try editor("\(PersonProperty.scores).0")).value("value") == "17")
    let tags = try editor("\(PersonProperty.tags).0", "insert")
    #expect(try site.submit(tags, "Add", ["value": "odd \"tag\""]).status == 303)
    let twice = try site.submit(tags, "Add", ["value": "odd \"tag\"", "was": nil])
    #expect(twice.status == 422 && twice.text.contains("the set has this member already"))
    let entry = try editor("\(PersonProperty.attrs)", "entry", of: 4)
    let key = "a.b$c <\u{e9}>"
    let added = try site.submit(entry, "Add", ["name": key, "type": "int", "value": "3"])
    #expect(added.status == 303, "\(added.text)")
    let object = try site.get("/0/class/Person/4?at=\(PersonProperty.attrs)")
    #expect(object.contains("a.b$c &lt;\u{e9}&gt;"))
    let rename = try #require(PageText(object).links("rename").last)
    let page = try site.get(rename)
    #expect(try form(page).value("name") == key)
    #expect(try site.submit(page, "Set", ["name": "plain"]).status == 303)
  }

  @Test("the form alone has the same fields, for the script")
  func part() throws {
    let whole = try editor("\(PersonProperty.name)")
    let part = try site.get("/0/class/Person/0/edit?at=\(PersonProperty.name)&part=1")
    #expect(part.hasPrefix("<section class=\"part\"") && !part.contains("<html"))
    #expect(try form(part).fields.map(\.0) == form(whole).fields.map(\.0))
  }

  @Test("a form goes back only to pages of its realm")
  func target() throws {
    for target in ["https://example.org/", "//example.org/", "/1/", "javascript:alert(1)"] {
      let page = try site.get(
        "/0/class/Person/0/edit?at=1&to=" + PercentEncoding.encode(target))
      #expect(try form(page).value("to") == "/0/class/Person/0", "\(target)")
    }
  }

  @Test(
    "what cannot be edited has no editor",
    arguments: [
      "0/edit", "0/edit?at=99", "0/edit?at=1.2", "0/edit?at=x", "99/edit?at=1", "0/edit?at=14",
      "0/edit?at=1&do=delete", "0/edit?at=1&do=nonsense", "0/edit?at=1.0&do=insert",
      "0/edit?at=1&do=entry", "0/edit?at=23",
    ])
  func noEditor(target: String) throws {
    #expect([404, 422].contains(try site.status("/0/class/Person/\(target)")))
  }
}
