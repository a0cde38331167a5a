import Foundation
import RealmBrowse
import RealmStorage
import TestSupport
import Testing

@Suite("safety of schema changes in browse")
struct SchemaPlanSafetyTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test("GET changes nothing, and without editing there is no plan")
  func get() throws {
    let browsed = try PlanSite(in: folder, state: folder.path("state"))
    try browsed.add("remove-class", ("name", "Old"))
    #expect(try browsed.post([("do", "try")]).status == 303)
    let before = try folder.contents()
    let plan = try browsed.site.get("/0/draft/schema.json").text
    let targets = [
      "/0/draft/schema", try browsed.forms(of: "Person"), try browsed.forms(of: "Person.age"),
      "/0/draft/schema?class=0", "/0/draft/schema?class=99", "/0/draft/schema?class=0&property=99",
      "/0/draft/plan.yml",
      "/0/draft/schema/trial", "/0/draft/schema/trial.json", "/0/schema",
      "/0/draft/schema?do=clear", "/0/draft/schema?do=save&to=realm",
    ]
    for target in targets {
      #expect(try browsed.site.follow(target).status == 200, "\(target)")
    }
    #expect(try browsed.site.get("/0/draft/schema.json").text == plan)
    #expect(try folder.contents() == before)
    #expect(try browsed.site.get("/0/draft/schema?version=previous").status == 404)
    let reading = Site(browsed.path)
    for target in targets where target != "/0/schema" {
      #expect(try reading.follow(target).status == 404, "\(target)")
    }
    #expect(!(try reading.get("/0/schema").text.contains("draft")))
  }

  @Test("the page Schema leads to the plan, and lists its steps")
  func schemaPage() throws {
    let browsed = try PlanSite(in: folder)
    let empty = PageText(try browsed.site.get("/0/schema").text)
    #expect(empty.links("change the schema") == ["/0/draft/schema"])
    try browsed.add("rename-class", ("from", "Dog"), ("to", "Hound"))
    let page = PageText(try browsed.site.get("/0/schema").text)
    #expect(page.links("Show the plan") == ["/0/draft/schema"])
    #expect(page.html.contains("<li>rename-class Dog -&gt; Hound</li>"))
  }

  @Test(
    "each form of a class and of a property has the fields of its step",
    arguments: ["Person", "Person._id", "Person.name", "Person.nick", "Address", "Note.text"])
  func forms(place: String) throws {
    let browsed = try PlanSite(in: folder)
    let forms = PlanForm.all(on: try browsed.site.follow(try browsed.forms(of: place)).text)
      .filter { $0.contains { $0.0 == "at-class" } }
    #expect(forms.count >= 4)
    for form in forms {
      let filled = form.map { field in
        guard field.1.isEmpty else { return field }
        let value =
          switch field.0 {
          case "type": "string?"
          case "to", "name": "other"
          case "expression": "null"
          case "where": "TRUEPREDICATE"
          default: ""
          }
        return (field.0, value)
      }
      let response = try browsed.post(filled)
      let problem = PlanSite.problem(response)
      // Some steps break a rule here, but no form has a wrong structure.
      #expect(response.status == 303 || response.status == 422, "\(filled)")
      #expect(!problem.contains("member") && !problem.contains("no step"), "\(problem)")
      #expect(try browsed.post([("do", "clear")]).status == 303)
    }
  }

  @Test("names and expressions of all kinds are text on the pages", arguments: HostileTests.texts)
  func escaping(text: String) throws {
    let browsed = try PlanSite(in: folder)
    for fields in [
      [("step", "rename-class"), ("from", "Note"), ("to", text)],
      [("step", "rename-property"), ("class", "Dog"), ("from", "name"), ("to", text)],
      [("step", "set-values"), ("class", text), ("property", text), ("expression", text)],
      [("step", "delete-objects"), ("class", "Dog"), ("where", text)],
      [("step", "add-class"), ("name", text), ("property", text), ("propertyType", text)],
      [("step", text), ("at-class", text)],
    ] {
      let response = try browsed.post([("do", "add")] + fields)
      #expect(response.status == 303 || response.status == 422, "\(fields)")
      check(String(decoding: response.bytes, as: UTF8.self), "\(fields)")
    }
    let kept = try browsed.plan
    for target in [
      "/0/schema", "/0/draft/schema", try browsed.forms(of: "Person"),
    ] + (0..<10).map({ "/0/draft/schema?class=\($0)&property=0" }) {
      let page = try browsed.site.follow(target)
      #expect(page.status == 200)
      check(page.text, target)
    }
    _ = try browsed.post([("do", "try")])
    #expect(try browsed.site.get("/0/draft/schema/trial.json").status == 200, "\(kept)")
    check(try browsed.site.get("/0/draft/schema/trial").text, kept)
    let saved = try browsed.post([("do", "save"), ("to", "copy"), ("name", text)])
    check(String(decoding: saved.bytes, as: UTF8.self), "save")
  }

  /// Checks that nothing from the realm is markup, and that hidden characters show. Fields that are not shown have them as they are.
  private func check(_ page: String, _ place: String) {
    let lower = page.lowercased()
    for markup in ["<script>", "<img", "<svg onload", "<b>", " onmouseover='alert"] {
      #expect(!lower.contains(markup), "\(place)")
    }
    let text = PageText.withoutTags(page)
    #expect(
      !text.unicodeScalars.contains {
        "\u{202E}\u{2066}\u{1}\u{7F}\u{9B}".unicodeScalars.contains($0)
      }, "\(place)")
  }

  @Test("the YAML to copy is the plan, also with hidden characters in names")
  func copiedText() throws {
    let browsed = try PlanSite(in: folder)
    try browsed.add("rename-class", ("from", "Note"), ("to", "a\u{202E}b\u{200B}\u{9B}<&\u{2028}ü"))
    let page = try browsed.site.get("/0/draft/schema").text
    let code = try #require(
      page.components(separatedBy: "data-copy>").dropFirst().first?
        .components(separatedBy: "</pre>").first)
    let plan = try browsed.plan
    #expect(PageText.decoded(code) == plan)
    #expect(plan.contains("to: \"a\\u202eb\\u200b\\u009b<&\\u2028ü\""))
  }

  @Test("a plan that is not saved is offered by the next server, and its file goes with it")
  func kept() throws {
    let state = folder.path("state")
    let browsed = try PlanSite(in: folder, state: state)
    try browsed.add("remove-class", ("name", "Old"))
    try browsed.add("add-class", ("name", "ü \"x\": {y}\u{2028}"))
    let plan = try browsed.plan
    func files() throws -> [String] { try TemporaryFolderNames.names(state) }
    let file = try #require(try files().first)
    #expect(file.hasPrefix("world.realm-") && file.hasSuffix(".yml"))
    let later = PlanSite(browsed.path, in: folder, state: state)
    #expect(try later.plan == plan)
    #expect(try later.site.get("/0/draft/schema").text.contains("It is offered again."))
    #expect(try later.post([("do", "remove"), ("number", "1")]).status == 303)
    #expect(!(try later.site.get("/0/draft/schema").text.contains("It is offered again.")))
    #expect(try later.post([("do", "save"), ("to", "realm")]).status == 303)
    #expect(try files().isEmpty)
    #expect(try PlanSite(browsed.path, in: folder, state: state).counts.isEmpty)
  }

  @Test("a kept plan that is damaged, or does not fit any more, says so and can be removed")
  func damagedFile() throws {
    let state = folder.path("state")
    let browsed = try PlanSite(in: folder, state: state)
    try browsed.add("remove-class", ("name", "Old"))
    let name =
      "state/drafts/" + (try #require(try TemporaryFolderNames.names(state).first))
    let large = "realm-migration: 1\n# " + String(repeating: "x", count: 1 << 20)
    for (text, message) in [
      ("nonsense", "expected the members of a plan"), ("", "the plan is empty"),
      (large, "expected at most 1048576"),
      (
        "realm-migration: 1\nversions:\n  - to: 4\n    steps:\n      - remove-class: {name: Gone}\n",
        "there is no class 'Gone'"
      ),
      ("realm-migration: 1\nversions:\n  - to: 3\n    steps: []\n", "schema version"),
    ] {
      try folder.write(Array(text.utf8), to: name)
      let later = PlanSite(browsed.path, in: folder, state: state)
      let page = try later.site.get("/0/draft/schema")
      #expect(page.status == 200 && page.text.contains(PlanForm.escaped(message)), "\(message)")
      #expect(try later.post([("do", "save"), ("to", "realm")]).status == 422, "\(message)")
      #expect(try later.post([("do", "clear")]).status == 303)
      try later.add("remove-class", ("name", "Old"))
    }
  }

  @Test("a plan has at most 1,000 steps")
  func limit() throws {
    let state = folder.path("state")
    let browsed = try PlanSite(in: folder, state: state)
    try browsed.add("remove-class", ("name", "Old"))
    let name =
      "state/drafts/" + (try #require(try TemporaryFolderNames.names(state).first))
    let plan = "realm-migration: 1\nversions:\n  - to: 4\n    steps:\n"
    let steps = (0..<500).flatMap { _ in
      ["set-optional: {class: Note, name: code}", "set-required: {class: Note, name: code}"]
    }
    try folder.write(
      Array((plan + steps.map { "      - \($0)\n" }.joined()).utf8), to: name)
    let later = PlanSite(browsed.path, in: folder, state: state)
    #expect(try later.counts.count == 1000)
    let refused = try later.post([("do", "add"), ("step", "remove-class"), ("name", "Old")])
    #expect(refused.status == 422)
    #expect(PlanSite.problem(refused).contains("the plan has 1,000 steps, the most it can"))
    #expect(try later.post([("do", "remove"), ("number", "999")]).status == 303)
    try later.add("remove-class", ("name", "Old"))
  }

  @Test("the plan of an encrypted realm is not kept, and the result has the key")
  func encrypted() throws {
    let state = folder.path("state")
    let path = try folder.copyGolden("people-encrypted.realm")
    let key = try Golden.key("people-encrypted")
    let browsed = PlanSite(path, in: folder, state: state, key: key)
    let className = try #require(
      PageText(try browsed.site.get("/0/").text).links.first { $0.target.contains("/class/") }?.text
    )
    try browsed.add(
      "add-property", ("class", className), ("name", "added"), ("type", "int"))
    #expect(!FileManager.default.fileExists(atPath: state))
    #expect(try browsed.post([("do", "save"), ("to", "realm")]).status == 303)
    #expect(throws: RealmFileError.self) { try Snapshot(path: path) }
    let site = Site(path, key: key)
    #expect(try site.get("/0/schema?as=json").text.contains("added"))
  }

  @Test("a synced realm takes only additions, which are uploaded")
  func synced() throws {
    let path = try folder.copyGolden("tasks-synced.realm")
    let browsed = PlanSite(path, in: folder)
    let page = try browsed.site.follow(try browsed.forms(of: "QsTask")).text
    #expect(page.contains("The realm is synced"))
    #expect(page.contains("Add a property") && !page.contains("Rename the class"))
    for fields in [
      [("step", "remove-class"), ("name", "QsTask")],
      [("step", "rename-property"), ("class", "QsTask"), ("from", "owner"), ("to", "x")],
      [
        ("step", "add-property"), ("class", "QsTask"), ("name", "x"), ("type", "int"),
        ("value", "1"),
      ],
    ] {
      let refused = try browsed.post([("do", "add")] + fields)
      #expect(refused.status == 422 && PlanSite.problem(refused).contains("synced"), "\(fields)")
    }
    try browsed.add(
      "add-property", ("class", "QsTask"), ("name", "urgent"), ("type", "bool"))
    try browsed.add("add-index", ("class", "QsTask"), ("name", "owner"))
    let plan = try folder.write(Array(try browsed.plan.utf8), to: "plan.yml")
    let command = try runTool(
      "migrate", path, "--plan", plan, "-o", folder.path("by-command.realm"))
    try #require(command.status == 0, "\(command.stderr)")
    #expect(try browsed.post([("do", "save"), ("to", "realm")]).status == 303)
    #expect(try browsed.site.get("/0/draft/schema").text.contains("1 changeset to upload."))
    let difference = try runTool("diff", path, folder.path("by-command.realm"))
    #expect(difference.status == 0, "\(difference.stderr)")
    #expect(try runTool("verify", path).status == 0)
  }
}

/// The names of kept plans.
enum TemporaryFolderNames {
  static func names(_ state: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: state + "/drafts")
      .filter { $0.hasSuffix(".yml") }
  }
}

/// Forms as a browser reads them.
enum PlanForm {
  /// The fields of each form of a page that adds a step, with the values that they have at first.
  static func all(on page: String) -> [[(String, String)]] {
    page.components(separatedBy: "<form ").dropFirst()
      .map { fields(of: $0.components(separatedBy: "</form>")[0]) }
      .filter { $0.contains { $0 == ("do", "add") } }
  }

  private static func fields(of form: String) -> [(String, String)] {
    form.components(separatedBy: "<").dropFirst().compactMap { tag in
      guard tag.hasPrefix("input") || tag.hasPrefix("select"), !tag.contains("checkbox"),
        let name = PageText.attribute("name", in: tag)
      else { return nil }
      guard tag.hasPrefix("select") else {
        return (name, PageText.attribute("value", in: tag) ?? "")
      }
      let option = form.components(separatedBy: "<option ").dropFirst().first ?? ""
      return (name, PageText.attribute("value", in: option) ?? "")
    }
  }

  /// Text with the escapes of HTML that a page has.
  static func escaped(_ text: String) -> String {
    text.replacingOccurrences(of: "'", with: "&#39;")
  }
}
