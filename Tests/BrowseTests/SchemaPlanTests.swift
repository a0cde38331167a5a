import Foundation
import RealmBrowse
import RealmStorage
import TestSupport
import Testing

/// A site with one realm that can be edited, and forms for its plan.
struct PlanSite {
  let site: Site
  let folder: TemporaryFolder
  let path: String

  /// - Parameters:
  ///   - path: the realm, in `folder`.
  ///   - state: the folder for what is not saved.
  init(
    _ path: String, in folder: TemporaryFolder, state: String? = nil, key: RealmKey? = nil,
    keepsOriginal: Bool = true
  ) {
    (self.folder, self.path) = (folder, path)
    site = Site(
      path, key: key,
      editing: Editing(
        formToken: "0123456789abcdef", keepsOriginal: keepsOriginal, stateFolder: state))
  }

  /// A realm from a text in the form of Realm JSON.
  init(text: String = world, in folder: TemporaryFolder, state: String? = nil) throws {
    self.init(try PlanSite.realm(text, in: folder), in: folder, state: state)
  }

  static func realm(_ text: String, in folder: TemporaryFolder) throws -> String {
    let json = try folder.write(Array(text.utf8), to: "input/world.json")
    let path = folder.path("world.realm")
    let result = try runTool("import", json, "-o", path)
    try #require(result.status == 0, "\(result.stderr)")
    return path
  }

  /// Posts a form.
  func post(_ fields: [(String, String)], accept: String? = nil) throws -> HTTPResponse {
    let body = fields.map { "\(PercentEncoding.encode($0))=\(PercentEncoding.encode($1))" }
    var head = ["content-type": "application/x-www-form-urlencoded"]
    head["accept"] = accept
    return site.site.respond(
      to: try HTTPRequest(
        method: "POST", target: "/0/draft/schema", fields: head,
        body: Array(body.joined(separator: "&").utf8)))
  }

  /// Adds a step, which is accepted.
  func add(_ step: String, _ fields: (String, String)...) throws {
    let response = try post([("do", "add"), ("step", step)] + fields)
    try #require(response.status == 303, "\(step): \(PlanSite.problem(response))")
  }

  /// The text of the problem on a page.
  static func problem(_ response: HTTPResponse) -> String {
    let page = String(decoding: response.bytes, as: UTF8.self)
    let box = page.components(separatedBy: "<div class=\"problem\"").dropFirst().first
    let text = box?.components(separatedBy: "</div>").first ?? ""
    return PageText.decoded(PageText.withoutTags("<" + text))
  }

  var plan: String { get throws { try site.get("/0/draft/plan.yml").text } }

  /// The target of the link to the forms of a class or property, such as `Person.age`.
  func forms(of place: String) throws -> String {
    let page = try site.get("/0/draft/schema").text
    let tag = page.components(separatedBy: "<a ").first {
      PageText.attribute("aria-label", in: $0) == "Change \(place)"
    }
    return try #require(tag.flatMap { PageText.attribute("href", in: $0) }, "\(place)")
  }

  /// The numbers of objects of the steps, as the page's JSON has them.
  var counts: [Int?] {
    get throws {
      let json = try JSONSerialization.jsonObject(
        with: Data(try site.get("/0/draft/schema.json").text.utf8))
      let steps = (json as? [String: Any])?["steps"] as? [[String: Any]]
      return try #require(steps).map { $0["objects"] as? Int }
    }
  }

  static let world = #"""
    {"realm":{"format":"realm-json","version":1,"schemaVersion":3},
    "schema":[
    {"name":"Person","primaryKey":"_id","properties":{"_id":"int","name":"string","age":"int","nick":"string?","friend":"Person?","pets":"Dog[]","home":"Address?"}},
    {"name":"Dog","keyMember":"_key","properties":{"name":"string","owner":"Person?"}},
    {"name":"Address","embedded":true,"properties":{"street":"string"}},
    {"name":"Note","keyMember":"_key","properties":{"text":"string","code":"string"}},
    {"name":"Old","keyMember":"_key","properties":{"x":"int"}}
    ],
    "objects":{
    "Person":[
    {"_id":1,"name":"Ann","age":30,"nick":"A","friend":2,"pets":[0,1],"home":{"street":"Elm"}},
    {"_id":2,"name":"Bob","age":40,"nick":null,"friend":null,"pets":[],"home":null},
    {"_id":3,"name":"Cyd","age":50,"nick":null,"friend":1,"pets":[1],"home":null}
    ],
    "Dog":[{"_key":0,"name":"Rex","owner":1},{"_key":1,"name":"Fido","owner":3}],
    "Note":[{"_key":0,"text":"n0","code":"a"},{"_key":1,"text":"n1","code":"a"}],
    "Old":[{"_key":0,"x":1}]
    }}
    """#
}

@Suite("schema changes in browse")
struct SchemaPlanTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func tool(_ arguments: String...) throws -> String {
    let result = try runTool(arguments)
    try #require(result.status == 0, "\(result.stderr)")
    return result.text
  }

  @Test("steps of all kinds are saved as migrate does them, and the original is kept once")
  func saving() throws {
    let browsed = try PlanSite(in: folder)
    let original = try readFile(browsed.path)
    try browsed.add(
      "add-class", ("name", "Pet"), ("primary-key", "_id"), ("property", "_id"),
      ("propertyType", "objectId"), ("property", "tags"), ("propertyType", "string[]"),
      ("property", ""), ("propertyType", ""))
    try browsed.add("add-class", ("name", "Place"), ("embedded", "true"))
    try browsed.add(
      "add-property", ("class", "Place"), ("name", "town"), ("type", "string?"),
      ("fulltext", "true"), ("value", ""))
    try browsed.add(
      "add-property", ("class", "Person"), ("name", "label"), ("type", "string"),
      ("value", "name + \" of \" + string(age)"), ("indexed", "true"))
    try browsed.add("remove-property", ("class", "Person"), ("name", "friend"))
    try browsed.add("rename-property", ("class", "Person"), ("from", "age"), ("to", "years"))
    try browsed.add("rename-class", ("from", "Dog"), ("to", "Hound"))
    try browsed.add("change-type", ("class", "Person"), ("name", "years"), ("type", "double?"))
    try browsed.add(
      "set-required", ("class", "Person"), ("name", "nick"), ("value", "'none'"))
    try browsed.add("set-optional", ("class", "Note"), ("name", "text"))
    try browsed.add(
      "set-values", ("class", "Person"), ("property", "years"), ("expression", "null"),
      ("property", "nick"), ("expression", "upper(name)"), ("where", "years > 40"))
    try browsed.add("delete-objects", ("class", "Hound"), ("where", "name == 'Rex'"))
    try browsed.add("add-index", ("class", "Note"), ("name", "text"), ("fulltext", "true"))
    try browsed.add("add-index", ("class", "Note"), ("name", "code"))
    try browsed.add("remove-index", ("class", "Note"), ("name", "code"))
    try browsed.add("remove-primary-key", ("class", "Person"))
    try browsed.add("set-primary-key", ("class", "Person"), ("name", "label"))
    try browsed.add("set-top-level", ("class", "Address"))
    try browsed.add("set-embedded", ("class", "Hound"))
    try browsed.add("remove-class", ("name", "Old"))
    let plan = try folder.write(Array(try browsed.plan.utf8), to: "plan.yml")
    #expect(try readFile(browsed.path) == original)
    // The command reads the same plan from a file.
    _ = try tool("migrate", browsed.path, "--plan", plan, "-o", folder.path("by-command.realm"))
    let saved = try browsed.post([("do", "save"), ("to", "realm")])
    #expect(saved.status == 303, "\(PlanSite.problem(saved))")
    #expect(try readFile(browsed.path) == readFile(folder.path("by-command.realm")))
    #expect(try readFile(folder.path("world.before-browse.realm")) == original)
    _ = try tool("verify", browsed.path)
    // The plan is empty, and the pages show the new version.
    #expect(try browsed.counts.isEmpty)
    #expect(try browsed.site.get("/0/class/Hound/").status == 200)
    #expect(try browsed.site.get("/0/class/Old/").status == 404)
    let page = try browsed.site.get("/0/draft/schema").text
    #expect(page.contains("Saved: schema version 4 in world.realm."))
    #expect(page.contains("The original is world.before-browse.realm."))
    try browsed.add("remove-class", ("name", "Note"))
    #expect(try browsed.plan.hasPrefix("realm-migration: 1\nversions:\n  - to: 5\n"))
    #expect(try browsed.post([("do", "save"), ("to", "realm")]).status == 303)
    #expect(
      try folder.names().filter { $0.contains("before") } == ["world.before-browse.realm"])
  }

  @Test("no original is kept where the user wants none")
  func noOriginal() throws {
    let path = try PlanSite.realm(PlanSite.world, in: folder)
    let browsed = PlanSite(path, in: folder, keepsOriginal: false)
    try browsed.add("remove-class", ("name", "Old"))
    #expect(try browsed.post([("do", "save"), ("to", "realm")]).status == 303)
    #expect(try folder.names().filter { $0.contains("before") }.isEmpty)
  }

  @Test("a wrong step is refused with its reason, and the form keeps what was entered")
  func refusals() throws {
    let browsed = try PlanSite(in: folder)
    try browsed.add("rename-property", ("class", "Person"), ("from", "age"), ("to", "years"))
    let before = try browsed.plan
    let cases: [([(String, String)], String)] = [
      (
        [("step", "remove-property"), ("class", "Person"), ("name", "_id")],
        "Person._id is the primary key"
      ),
      (
        [("step", "remove-property"), ("class", "Person"), ("name", "age")],
        "Person has no property 'age'"
      ),
      ([("step", "remove-class"), ("name", "Dog")], "class Dog is the target of Person.pets"),
      ([("step", "add-class"), ("name", "Dog")], "there is already a class 'Dog'"),
      (
        [("step", "add-property"), ("class", "Dog"), ("name", "x")],
        "add-property needs the member 'type'"
      ),
      (
        [("step", "add-property"), ("class", "Dog"), ("name", "x"), ("type", "Cat?")],
        "no class named 'Cat'"
      ),
      (
        [("step", "set-values"), ("class", "Dog"), ("property", "name"), ("expression", "1 +")],
        "expected"
      ),
      ([("step", "set-values"), ("class", "Dog")], "'values' is empty, expected a property"),
      ([("step", "delete-objects"), ("class", "Dog")], "delete-objects needs the member 'where'"),
      ([("step", "drop"), ("class", "Dog")], "there is no step 'drop'"),
      ([], "there is no step ''"),
    ]
    for (fields, message) in cases {
      let response = try browsed.post([("do", "add")] + fields)
      let problem = PlanSite.problem(response)
      #expect(response.status == 422 && problem.contains(message), "\(fields): \(problem)")
      #expect(!problem.contains("line "), "\(problem)")
      #expect(try browsed.plan == before, "\(fields)")
    }
    let form = try #require(
      PlanForm.all(on: try browsed.site.follow(try browsed.forms(of: "Person.years")).text)
        .first { $0.contains { $0 == ("step", "change-type") } })
    let entered = [("type", "date"), ("value", "now() + \"x\"")]
    let refused = try browsed.post(
      form.map { field in entered.first { $0.0 == field.0 } ?? field })
    let page = String(decoding: refused.bytes, as: UTF8.self)
    #expect(refused.status == 422)
    #expect(page.contains("name=\"type\" value=\"date\""))
    #expect(page.contains("name=\"value\" value=\"now() + &quot;x&quot;\""))
  }

  @Test("scripts get the number of steps, or the error, as JSON")
  func scripts() throws {
    let browsed = try PlanSite(in: folder)
    let json = "application/json"
    let added = try browsed.post(
      [("do", "add"), ("step", "remove-class"), ("name", "Old")], accept: json)
    #expect(String(decoding: added.bytes, as: UTF8.self) == "{\"steps\":1,\"revision\":1}\n")
    let refused = try browsed.post(
      [("do", "add"), ("step", "remove-class"), ("name", "Old")], accept: json)
    #expect(refused.status == 422 && refused.contentType == json)
    #expect(String(decoding: refused.bytes, as: UTF8.self).hasPrefix("{\"error\":{"))
    for form in [[("do", "no")], [], [("do", "remove")], [("do", "remove"), ("number", "1")]] {
      #expect(try browsed.post(form, accept: json).status == 422)
    }
  }

  @Test("each step shows how many objects it changes now")
  func counts() throws {
    let browsed = try PlanSite(in: folder)
    try browsed.add("rename-class", ("from", "Person"), ("to", "Human"))
    try browsed.add("rename-property", ("class", "Human"), ("from", "age"), ("to", "years"))
    try browsed.add("change-type", ("class", "Human"), ("name", "years"), ("type", "double"))
    try browsed.add(
      "set-values", ("class", "Human"), ("property", "years"), ("expression", "years * 10"))
    // Of 300, 400 and 500.
    try browsed.add("delete-objects", ("class", "Human"), ("where", "years >= 400"))
    try browsed.add(
      "set-values", ("class", "Human"), ("property", "name"), ("expression", "'x'"),
      ("where", "years < 1000"))
    try browsed.add("set-required", ("class", "Human"), ("name", "nick"), ("value", "''"))
    try browsed.add("add-class", ("name", "New"))
    try browsed.add(
      "add-property", ("class", "New"), ("name", "x"), ("type", "int"), ("value", "5"))
    try browsed.add("remove-class", ("name", "Old"))
    // The default value of a type is no change.
    try browsed.add("add-property", ("class", "Note"), ("name", "x"), ("type", "int"))
    try browsed.add(
      "add-property", ("class", "Note"), ("name", "y"), ("type", "int"), ("value", "1"))
    #expect(try browsed.counts == [0, 0, 3, 3, 2, 1, 0, 0, 0, 1, 0, 2])
    let table = try browsed.site.get("/0/draft/schema").text
    #expect(
      table.contains(
        "<th scope=\"row\">Human</th><td class=\"type\">class</td><td class=\"number\">3</td>"))
    #expect(
      table.contains(
        "<th scope=\"row\">New</th><td class=\"type\">class</td><td class=\"number\"><span class=\"type\">new</span>"
      ))
    // A condition on linked objects that a step changes needs the objects after it.
    try browsed.add(
      "set-values", ("class", "Dog"), ("property", "name"), ("expression", "'y'"),
      ("where", "owner.years > 5"))
    #expect(try browsed.counts.last == .some(nil))
    #expect(try browsed.site.get("/0/draft/schema").text.contains(">Try shows it<"))
  }

  @Test("a step that later ones need stays, and one that nobody needs goes")
  func removing() throws {
    let browsed = try PlanSite(in: folder)
    try browsed.add("remove-class", ("name", "Old"))
    try browsed.add("rename-class", ("from", "Dog"), ("to", "Hound"))
    try browsed.add("rename-property", ("class", "Hound"), ("from", "name"), ("to", "call"))
    let needed = try browsed.post([("do", "remove"), ("number", "1")])
    #expect(needed.status == 409)
    #expect(
      PlanSite.problem(needed).contains("step 3 needs this step: there is no class 'Hound'"))
    #expect(try browsed.post([("do", "remove"), ("number", "0")]).status == 303)
    #expect(try browsed.post([("do", "remove"), ("number", "1")]).status == 303)
    #expect(
      try browsed.plan
        == "realm-migration: 1\nversions:\n  - to: 4\n    steps:\n      - rename-class: {from: Dog, to: Hound}\n"
    )
    // Another tab shows the plan before.
    #expect(
      try browsed.post([("do", "remove"), ("number", "0"), ("revision", "4")]).status == 409)
    #expect(try browsed.post([("do", "clear"), ("revision", "5")]).status == 303)
    #expect(try browsed.counts.isEmpty)
  }

  @Test("the schema version is one more than that of the realm, or a higher one")
  func versions() throws {
    let browsed = try PlanSite(in: folder)
    try browsed.add("remove-class", ("name", "Old"))
    #expect(try browsed.plan.contains("  - to: 4\n"))
    for wrong in ["3", "0", "-1", "x", "18446744073709551615", "18446744073709551616"] {
      #expect(try browsed.post([("do", "version"), ("version", wrong)]).status == 422, "\(wrong)")
    }
    #expect(try browsed.post([("do", "version"), ("version", "17")]).status == 303)
    #expect(try browsed.plan.contains("  - to: 17\n"))
    #expect(try browsed.post([("do", "save"), ("to", "realm")]).status == 303)
    #expect(try tool("info", browsed.path, "--json").contains("\"schemaVersion\":17"))
  }

  @Test("a realm in use is not written, and the plan stays")
  func inUse() throws {
    let browsed = try PlanSite(in: folder)
    try browsed.add("remove-class", ("name", "Old"))
    do {
      let lock = HeldLock(browsed.path + ".lock", LOCK_SH)
      defer { withExtendedLifetime(lock) {} }
      let before = try folder.contents()
      let refused = try browsed.post([("do", "save"), ("to", "realm")])
      #expect(refused.status == 423)
      #expect(PlanSite.problem(refused).contains("the realm is in use"))
      #expect(try folder.contents() == before)
      #expect(try browsed.counts == [1])
      // A trial and a copy only read the realm.
      #expect(try browsed.post([("do", "try")]).status == 303)
      #expect(try trial(browsed).contains("The plan can be saved"))
      #expect(
        try browsed.post([("do", "save"), ("to", "copy"), ("name", "c.realm")]).status == 303)
    }
    #expect(try browsed.post([("do", "save"), ("to", "realm")]).status == 303)
    #expect(try readFile(browsed.path) == readFile(folder.path("c.realm")))
  }

  /// The page of a trial that is done.
  private func trial(_ browsed: PlanSite) throws -> String {
    while true {
      let page = try browsed.site.get("/0/draft/schema/trial")
      try #require(page.status == 200)
      if !page.text.contains("http-equiv=\"refresh\"") { return page.text }
    }
  }

  @Test("a trial shows what each step does, writes nothing, and names the object that stops it")
  func trials() throws {
    let browsed = try PlanSite(in: folder)
    #expect(try browsed.post([("do", "try")]).status == 422)
    #expect(try browsed.site.get("/0/draft/schema/trial").status == 303)
    try browsed.add(
      "set-values", ("class", "Person"), ("property", "name"),
      ("expression", "lower(name) + '<b>'"), ("where", "age > 30"))
    // Asking for a trial starts none.
    #expect(try browsed.site.get("/0/draft/schema/trial").status == 303)
    #expect(try browsed.site.get("/0/draft/schema/trial.json").status == 404)
    let before = try contents()
    #expect(try browsed.post([("do", "try")]).status == 303)
    let page = try trial(browsed)
    #expect(page.contains("From schema version 3 to 4, "))
    #expect(page.contains("name: &quot;Bob&quot; → name: &quot;bob&lt;b&gt;&quot;"))
    #expect(page.contains("<td class=\"number\">2</td><td class=\"number\">0</td>"))
    let json = try browsed.site.get("/0/draft/schema/trial.json").text
    #expect(json.contains("\"changedObjects\":2") && json.contains("\"dryRun\":true"))
    try browsed.add("set-primary-key", ("class", "Note"), ("name", "code"))
    #expect(try trial(browsed).contains("The plan was changed after this trial."))
    #expect(try browsed.post([("do", "try")]).status == 303)
    let failed = try trial(browsed)
    #expect(failed.contains("The plan cannot be saved"))
    #expect(failed.contains("objects have the same primary key: &quot;a&quot;"))
    #expect(try browsed.post([("do", "save"), ("to", "realm")]).status == 422)
    #expect(try contents() == before)
  }

  /// All files but those with locks, which stay.
  private func contents() throws -> [String: TemporaryFolder.FileState] {
    try folder.contents().filter { !$0.key.hasSuffix(".lock") }
  }

  @Test("a copy gets a name and no path, and replaces nothing")
  func copies() throws {
    let browsed = try PlanSite(in: folder)
    try browsed.add("remove-class", ("name", "Old"))
    let before = try contents()
    for name in [
      "", ".realm", "../x.realm", "/tmp/x.realm", "a/b.realm", ".x.realm", "x", "x.realm.lock",
      "x\u{0}.realm", "x\n.realm", ".\u{301}x.realm", "world.realm",
      String(repeating: "x", count: 250) + ".realm",
    ] {
      let refused = try browsed.post([("do", "save"), ("to", "copy"), ("name", name)])
      #expect(refused.status == 422, "\(name)")
    }
    #expect(try browsed.post([("do", "save"), ("to", "/tmp/x.realm")]).status == 422)
    #expect(try browsed.post([("do", "save")]).status == 422)
    #expect(try contents() == before)
    let original = try readFile(browsed.path)
    #expect(
      try browsed.post([("do", "save"), ("to", "copy"), ("name", "ä b.realm")]).status == 303)
    #expect(try readFile(browsed.path) == original)
    #expect(try tool("info", folder.path("ä b.realm"), "--json").contains("\"schemaVersion\":4"))
    // The realm itself has no step of the plan yet.
    #expect(try browsed.counts == [1])
  }

  @Test("a plan is not saved before the changes of objects")
  func draft() throws {
    let state = folder.path("state")
    let path = try PlanSite.realm(PlanSite.world, in: folder)
    let draft = Draft(file: try DraftFile(stateFolder: state, realm: path))
    let view = try RealmView(try Snapshot(path: path), jobs: 1)
    try draft.add(
      lines: Array(
        "{\"class\":\"Person\",\"old\":{\"_id\":1,\"age\":30},\"new\":{\"_id\":1,\"age\":31}}\n"
          .utf8),
      over: view)
    let browsed = PlanSite(path, in: folder, state: state)
    try browsed.add("remove-class", ("name", "Old"))
    let refused = try browsed.post([("do", "save"), ("to", "realm")])
    #expect(refused.status == 409)
    #expect(PlanSite.problem(refused).contains("save or discard the draft first"))
  }
}
