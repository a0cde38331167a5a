import Foundation
import RealmBrowse
import TestSupport
import Testing

/// The positions of properties of the realm of the measured queries.
enum PersonProperty {
  static let name = 1, age = 3, born = 6, oid = 9, uid = 10, avatar = 11, mix = 12, dog = 13
  static let dogs = 14, scores = 17, tags = 18, attrs = 20, address = 23, addresses = 24
}

@Suite("pages of a realm with a draft")
struct DraftPageTests {
  private let site = DraftSite(MeasuredQuery.realm)
  private let reading = Site(MeasuredQuery.realm)

  private func row(_ page: String, _ link: String) throws -> String {
    let rows = page.components(separatedBy: "<tr").dropFirst()
    return try #require(rows.first { $0.contains("href=\"\(link)\"") })
      .components(separatedBy: "</tr>")[0]
  }

  @Test("without editing, no page has a form, an editor or a mark of a draft")
  func reads() throws {
    for target in ["/0/class/Person/", "/0/class/Person/0", "/0/class/Dog/?q=age+%3E+3", "/0/"] {
      let page = try reading.get(target).text
      for mark in [
        "data-edit", "data-draft", "edit.js", "edit.css", "class=\"edit\"", "method=\"post\"",
        "checkbox\" name=\"key", "controls", "realm-token",
      ] {
        #expect(!page.contains(mark), "\(target) \(mark)")
      }
    }
    for target in [
      "/0/class/Person/new", "/0/class/Person/found", "/0/class/Person/0/edit?at=1",
      "/0/class/Dog/pick.json",
    ] {
      #expect(try reading.get(target).status == 404, "\(target)")
    }
  }

  @Test("a changed cell is marked, with the stored value a hover away")
  func changedCell() throws {
    try site.edit("set", "Dog", 0, at: "2", ("value", "44"))
    let page = try site.get("/0/class/Dog/")
    let row = try row(page, "/0/class/Dog/0")
    #expect(row.contains("class=\"number changed\" title=\"stored: 3\""))
    #expect(row.contains(">44<span class=\"hidden\"> (changed, stored: 3)"))
    #expect(page.contains("3 objects; draft: 1 changed"))
    #expect(page.contains("Draft: 1 change<"))
  }

  @Test("added objects come first, and pages count them")
  func added() throws {
    let many = DraftSite(Golden.path("people.realm"))
    let before = PageText(try many.get("/0/class/Person/?c=_id")).rows.map { $0[0] }
    let answer = try many.submit(try many.get("/0/class/Company/new"), "Add")
    #expect(answer.status == 303 || answer.status == 422)
    for _ in 0..<3 {
      #expect(try many.submit(try many.get("/0/class/Person/new"), "Add").status == 303)
    }
    let first = try many.get("/0/class/Person/?c=_id")
    let rows = first.components(separatedBy: "<tbody>")[1].components(separatedBy: "<tr")
      .dropFirst()
    #expect(rows.count == 50)
    #expect(rows.prefix(4).map { $0.hasPrefix(" class=\"added\"") } == [true, true, true, false])
    let second = PageText(try many.get("/0/class/Person/?c=_id&from=50")).rows.map { $0[0] }
    #expect(second.prefix(3) == before[47...])
  }

  @Test("a removed object stays in the table, struck, without a choice, and links to it are struck")
  func removed() throws {
    try site.edit("delete", "Dog", 0)
    let row = try row(try site.get("/0/class/Dog/"), "/0/class/Dog/0")
    #expect(row.hasPrefix(" class=\"removed\"") && !row.contains("checkbox"))
    #expect(!row.contains("data-edit"))
    let person = try site.get("/0/class/Person/0")
    #expect(
      person.contains(
        "href=\"/0/class/Dog/0\" class=\"link removed\" title=\"removed in the draft\"")
    )
    let page = try site.get("/0/class/Dog/0")
    #expect(page.contains("The draft removes this object."))
    #expect(!page.contains("class=\"edit\""))
    #expect(try site.submit(page, "Take back").status == 303)
    #expect(!(try site.get("/0/class/Dog/0").contains("The draft removes")))
  }

  @Test("the chosen rows are deleted as one step")
  func chosen() throws {
    let page = try site.get("/0/class/Dog/")
    let form = try #require(FormText.all(page).first { $0.value("do") == "delete" })
    try site.post(form.fields + [("key", "0"), ("key", "2")], to: form.action)
    var rows = try site.get("/0/class/Dog/").components(separatedBy: "<tr class=\"removed\"").count
    #expect(rows == 3)
    #expect(try site.submit(try site.get("/0/class/Dog/"), "Undo").location == "/0/class/Dog/")
    rows = try site.get("/0/class/Dog/").components(separatedBy: "<tr class=\"removed\"").count
    #expect(rows == 1)
  }

  @Test("a page says where the query and the order do not know the draft")
  func notices() throws {
    let notice = "those of the realm without the draft"
    #expect(!(try site.get("/0/class/Dog/?q=age+%3E+3").contains(notice)))
    try site.edit("set", "Dog", 0, at: "2", ("value", "44"))
    #expect(!(try site.get("/0/class/Dog/").contains(notice)))
    for query in ["q=age+%3E+3", "sort=age", "facet=age"] {
      #expect(try site.get("/0/class/Dog/?\(query)").contains(notice), "\(query)")
    }
    #expect(!(try site.get("/0/class/Person/?sort=age").contains(notice)))
  }

  @Test("an object shows the values of the draft, what they were, and takes a change back")
  func changedObject() throws {
    try site.edit("set", "Person", 0, at: "1", ("value", "A <b>"))
    try site.edit("set", "Person", 0, at: "3", ("value", "77"))
    var page = try site.get("/0/class/Person/0")
    #expect(page.contains("<dd class=\"changed\" title=\"stored: &quot;Ann&quot;\">"))
    #expect(page.contains("A &lt;b&gt;") && page.contains("The draft changes 2 properties."))
    #expect(try site.submit(page, "take back").status == 303)
    page = try site.get("/0/class/Person/0")
    #expect(page.contains("The draft changes 1 property."))
  }

  @Test("links of the draft lead to their objects, and back")
  func links() throws {
    // A link in a draft has the primary key of its target, and not its key.
    try site.edit("set", "Person", 2, at: "\(PersonProperty.dog)", ("value", "fido"))
    let person = try site.get("/0/class/Person/2")
    #expect(person.contains("href=\"/0/class/Dog/1\" class=\"link\">fido"))
    let dog = try site.get("/0/class/Dog/1")
    #expect(dog.contains("1 link not saved yet"))
    #expect(dog.contains("Person.dog</span>"))
    // A link that ends is struck where it was.
    try site.edit("set", "Person", 0, at: "\(PersonProperty.dog)", ("null", "1"))
    let rex = try site.get("/0/class/Dog/0")
    #expect(
      rex.contains("class=\"link removed\" title=\"does not link here any more in the draft\""))
  }

  @Test("a new object has a page, is found by links, and is gone with its deletion")
  func newObject() throws {
    let form = try site.get("/0/class/Dog/new")
    let answer = try site.submit(form, "Add", ["value0": "laika", "value1": "Laika"])
    let target = try #require(answer.location)
    #expect(try site.get(target).contains("The draft adds this object."))
    let key = try #require(target.split(separator: "/").last.map(String.init))
    try site.edit("insert", "Person", 0, at: "\(PersonProperty.dogs).0", ("value", "laika"))
    #expect(try site.get("/0/class/Person/0").contains("href=\"\(target)\" class=\"link\">laika"))
    #expect(try site.get(target).contains("1 link not saved yet"))
    #expect(try site.status("/0/class/Dog/\(key).json") == 404)
    #expect(try site.submit(try site.get(target), "Delete").location == "/0/class/Dog/")
    #expect(try site.status(target) == 404)
    #expect(!(try site.get("/0/class/Person/0").contains("laika")))
  }

  @Test("a duplicate needs another primary key where none can be made")
  func duplicate() throws {
    let page = try site.get("/0/class/Dog/1")
    let link = try #require(PageText(page).links("Duplicate").first)
    let form = try site.get(link)
    let refused = try site.submit(form, "Duplicate", ["value": "rex"])
    #expect(refused.status == 422)
    #expect(refused.text.contains("there is an object with this primary key"))
    #expect(FormText.all(refused.text).contains { $0.value("value") == "rex" })
    let answer = try site.submit(form, "Duplicate", ["value": "fido2"])
    #expect(PageText(try site.get("/0/class/Dog/")).html.contains("fido2"))
    #expect(try site.get(try #require(answer.location)).contains("20.0"))
    // Without a primary key, one button does it.
    #expect(try site.submit(try site.get("/0/class/Note/0"), "Duplicate").status == 303)
    #expect(try site.get("/0/class/Note/").contains("draft: 1 added"))
  }

  @Test("elements of a list move, come and go by buttons")
  func elements() throws {
    func dogs() throws -> [String] {
      let page = try site.get("/0/class/Person/0?at=\(PersonProperty.dogs)")
      return page.components(separatedBy: "class=\"link\">").dropFirst().map {
        $0.components(separatedBy: "<")[0]
      }
    }
    let before = try dogs()
    #expect(before.count == 2)
    let page = try site.get("/0/class/Person/0?at=\(PersonProperty.dogs)")
    #expect(try site.submit(page, "↓").status == 303)
    #expect(try dogs() == before.reversed())
    #expect(
      try site.submit(try site.get("/0/class/Person/0?at=\(PersonProperty.dogs)"), "×").status
        == 303)
    #expect(try dogs() == [before[0]])
  }

  @Test("embedded objects are made and removed, and their values edited in depth")
  func embedded() throws {
    let at = PersonProperty.address
    try site.edit("set", "Person", 0, at: "\(at)", ("null", "1"))
    var page = try site.get("/0/class/Person/0?at=\(at)")
    #expect(try site.submit(page, "new object").status == 303)
    page = try site.get("/0/class/Person/0?at=\(at)")
    #expect(page.contains("/0/class/Person/0/edit?at=\(at).0"))
    let form = try site.get("/0/class/Person/0/edit?at=\(at).0")
    #expect(try site.submit(form, "Set", ["value": "Bern", "null": nil]).status == 303)
    #expect(try site.get("/0/class/Person/0").contains("Bern"))
    #expect(try site.submit(try site.get("/0/class/Person/0?at=\(at)"), "remove").status == 303)
    #expect(!(try site.get("/0/class/Person/0").contains("Bern")))
    let embedded = try site.get("/0/class/Address/0")
    #expect(
      embedded.contains("Embedded objects are edited") && !embedded.contains("class=\"edit\""))
  }

  @Test("all that a query finds is set or deleted after a page with their number")
  func found() throws {
    var page = try site.get("/0/class/Dog/found?q=age+%3E+3")
    #expect(page.contains("<h1>Set for 1 object</h1>") && page.contains("age = age + 1"))
    let refused = try site.submit(page, "Set for 1 object", ["set": "age = 'x'"])
    #expect(refused.status == 422)
    #expect(FormText.all(refused.text).contains { $0.value("set") == "age = 'x'" })
    #expect(try site.submit(page, "Set for 1 object", ["set": "age = age + 1"]).status == 303)
    #expect(PageText(try site.get("/0/class/Dog/")).html.contains(">8<"))
    page = try site.get("/0/class/Dog/found?do=delete")
    #expect(try site.submit(page, "Delete 3 objects").status == 303)
    #expect(try site.get("/0/class/Dog/").contains("draft: 3 removed"))
  }

  @Test("nothing is deleted if the query finds another number than the page said")
  func otherNumber() throws {
    let page = try site.get("/0/class/Dog/found?do=delete&q=age+%3E+3")
    // Another tab lets the query find one more.
    try site.edit("set", "Dog", 0, at: "2", ("value", "44"))
    let refused = try site.submit(page, "Delete 1 object")
    #expect(refused.status == 409)
    #expect(refused.text.contains("the query finds 2 objects now, expected 1"))
    #expect(!(try site.get("/0/class/Dog/").contains("removed")))
    #expect(try site.submit(refused.text, "Delete 2 objects").status == 303)
    #expect(try site.get("/0/class/Dog/").contains("2 removed"))
  }

  @Test("the bar on top leads to the review, and undoes and redoes")
  func bar() throws {
    #expect(!(try site.get("/0/class/Dog/").contains("draft-bar")))
    try site.edit("set", "Dog", 0, at: "2", ("value", "44"))
    for target in [
      "/0/", "/0/class/Dog/", "/0/class/Person/0", "/0/schema", "/0/stats", "/0/draft",
    ] {
      let page = try site.get(target)
      #expect(PageText(page).links("Review") == ["/0/draft"], "\(target)")
    }
    let undone = try site.submit(try site.get("/0/class/Dog/0"), "Undo")
    #expect(undone.location == "/0/class/Dog/0")
    let page = try site.get("/0/class/Dog/")
    #expect(page.contains("Draft: 0 changes") && !page.contains("44"))
    #expect(try site.submit(page, "Redo").location == "/0/class/Dog/")
    #expect(try site.get("/0/class/Dog/").contains("44"))
  }

  @Test("the version before is shown without the draft, and cannot be edited")
  func previous() throws {
    let many = DraftSite(Golden.path("people.realm"))
    try many.edit("delete", "Person", 0)
    let page = try many.get("/0/class/Person/?version=previous")
    #expect(!page.contains("data-edit") && !page.contains("removed"))
  }
}
