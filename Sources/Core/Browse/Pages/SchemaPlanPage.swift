import RealmInterchange
import RealmJobs
import RealmMigration
import RealmModel
import RealmStorage

/// The migration plan of a realm: its steps, the classes after them, and forms for further steps.
struct SchemaPlanPage {
  /// A class or property whose forms are shown, by its position after the steps.
  struct Place: Equatable {
    var classPosition: Int
    var property: Int?
  }

  /// What was refused, and the form that it was in.
  struct Refusal {
    let problem: Problem
    let status: Int
    let form: FormFields
  }

  private let pages: RealmPages
  private let editing: Editing
  private let edits: RealmEdits

  /// - Throws: ``ErrorPage/NotFound`` without editing.
  init(_ pages: RealmPages) throws {
    guard let editing = pages.site.editing, let edits = try pages.edits else {
      throw RealmPages.noSuchPage
    }
    (self.pages, self.editing, self.edits) = (pages, editing, edits)
  }

  // MARK: GET

  /// - Throws: the errors of opening the realm.
  var response: HTTPResponse {
    get throws {
      let place = pages.query.number("class").map {
        Place(classPosition: $0, property: pages.query.number("property"))
      }
      return try pages.realm.withView(.latest) { view in try page(view, at: place, nil) }
    }
  }

  /// The plan in YAML, to save.
  ///
  /// - Throws: the errors of opening the realm.
  var file: HTTPResponse {
    get throws {
      let text = try pages.realm.withView(.latest) { try edits.plan.status(over: $0).text }
      var response = HTTPResponse(
        .bytes(Array(text.utf8)), contentType: "application/yaml; charset=utf-8")
      response.fields = [("Content-Disposition", "attachment; filename=\"plan.yml\"")]
      return response
    }
  }

  /// - Throws: the errors of opening the realm.
  var json: HTTPResponse {
    get throws {
      try pages.realm.withView(.latest) { view in
        let status = try edits.plan.status(over: view)
        let counts = edits.plan.counts(over: view, jobs: pages.realm.jobs)
        var json = RealmJSONValueText()
        json.append("{\"version\":\(status.version),\"revision\":\(status.revision),\"steps\":[")
        for (number, step) in status.steps.enumerated() {
          json.append(number > 0 ? ",{\"step\":" : "{\"step\":")
          json.append(Name(step.action.name.rawValue))
          json.append(",\"subject\":")
          json.append(Name(step.action.subject))
          json.append(",\"objects\":\(counts[number].map { "\($0)" } ?? "null")}")
        }
        json.append("],\"plan\":")
        json.append(Name(status.text))
        json.append("}\n")
        return .json(String(decoding: json.take(), as: UTF8.self))
      }
    }
  }

  // MARK: POST

  /// Changes, tries or saves the plan.
  ///
  /// - Throws: the errors of opening the realm. What is refused is shown with the form that it was in.
  var post: HTTPResponse {
    get throws {
      guard let form = pages.request.form else {
        throw HTTPError(415, "the body is no form")
      }
      let view = try pages.realm.withView(.latest) { $0 }
      let isScript = pages.request.fields["accept"]?.contains("application/json") ?? false
      do {
        let target = try perform(form, view)
        guard isScript else { return .redirect(to: target) }
        let view = try pages.realm.withView(.latest) { $0 }
        let status = try edits.plan.status(over: view)
        return .json("{\"steps\":\(status.steps.count),\"revision\":\(status.revision)}\n")
      } catch {
        let refusal = refusal(error, form)
        guard !isScript else { return .json(refusal.problem.json, status: refusal.status) }
        return try page(view, at: SchemaPlanPage.place(form), refusal)
      }
    }
  }

  /// - Returns: the page to show next.
  private func perform(_ form: FormFields, _ view: RealmView) throws -> String {
    let revision = form["revision"].flatMap { Int($0) }
    switch form["do"] {
    case "add":
      let status = try edits.plan.add(form, over: view)
      return target(after: form, status)
    case "remove":
      guard let number = form["number"].flatMap({ Int($0) }) else {
        throw HTTPError(422, "the form has no number of a step")
      }
      try edits.plan.remove(number, revision: revision, over: view)
    case "version":
      try edits.plan.set(
        version: try SchemaPlanPage.version(form), revision: revision, over: view)
    case "clear": try edits.plan.clear(revision: revision, over: view)
    case "try": return try startTrial(view)
    case "save": try save(form, revision, view)
    default: throw HTTPError(422, "the form has no known action")
    }
    return pages.urls.edited("schema")
  }

  /// The plan with the forms of the class that the step was about.
  private func target(after form: FormFields, _ status: SchemaPlan.Status) -> String {
    let name = form["step"] == StepName.renameClass.rawValue ? form["to"] : form["class"]
    guard let name, let position = status.schema.position(ofAppClassNamed: name) else {
      return pages.urls.edited("schema")
    }
    return pages.urls.edited("schema", query: URLQuery([("class", "\(position)")]))
      + SchemaPlanTable.chosen
  }

  /// Nil for an empty field, which stands for one more than the version of the realm.
  private static func version(_ form: FormFields) throws(HTTPError) -> UInt64? {
    let text = form["version"] ?? ""
    guard !text.isEmpty else { return nil }
    guard let version = UInt64(text) else {
      throw HTTPError(422, "the schema version is a number from 1 to 18446744073709551614")
    }
    return version
  }

  private func startTrial(_ view: RealmView) throws -> String {
    let revision = try edits.plan.status(over: view).revision
    let job = try pages.realm.withTarget {
      try edits.plan.trial($0, sampleCount: PlanTrial.sampleCount, over: view)
    }
    pages.realm.forgetTask(PlanTrial.name, .latest)
    _ = pages.realm.task(PlanTrial.name, .latest) { context in
      PlanTrial(revision: revision, result: Result { try job.run(progress: context.progress) })
    }
    return pages.urls.edited("schema", "trial")
  }

  private func save(_ form: FormFields, _ revision: Int?, _ view: RealmView) throws {
    func save(_ destination: Draft.Destination) throws -> MigrateJob.Report {
      try pages.realm.withTarget {
        try edits.plan.save(to: destination, $0, revision: revision, over: view)
      }
    }
    switch form["to"] {
    case "realm":
      guard try edits.draft.status(over: view).state.isEmpty else {
        throw HTTPError(409, "the draft has changes of objects: save or discard the draft first")
      }
      _ = try edits.saving(save) { $0.rewrite?.backup }
      pages.realm.renew()
    case "copy":
      _ = try save(
        .copy(path: try CopyName.path(form["name"] ?? "", beside: pages.realm.path)))
    default: throw HTTPError(422, "a plan is saved to the realm or to a copy")
    }
  }

  private func refusal(_ error: any Error, _ form: FormFields) -> Refusal {
    if let error = error as? HTTPError {
      return Refusal(problem: Problem(refusal: error.message), status: error.status, form: form)
    }
    let problem = pages.reports.problem(error)
    return Refusal(
      problem: problem, status: problem.isInternal ? 500 : error.draftStatus, form: form)
  }

  /// The place that a form was at.
  private static func place(_ form: FormFields) -> Place? {
    form["at-class"].flatMap { Int($0) }.map {
      Place(classPosition: $0, property: form["at-property"].flatMap { Int($0) })
    }
  }

  // MARK: The page

  private func page(
    _ view: RealmView, at place: Place?, _ refusal: Refusal?
  ) throws -> HTTPResponse {
    let status = try edits.plan.status(over: view)
    let hasDraft = !(try edits.draft.status(over: view).state.isEmpty)
    let parts = SchemaPlanParts(
      pages: pages, editing: editing, view: view, status: status,
      counts: edits.plan.counts(over: view, jobs: pages.realm.jobs), refusal: refusal,
      hasDraft: hasDraft)
    let crumbs = [
      Page.Crumb(text: "Schema", target: pages.urls.page("schema")),
      Page.Crumb(text: SchemaPlanPage.title, target: nil),
    ]
    let page = pages.page(SchemaPlanPage.title, .schema, crumbs: crumbs, view: view).html {
      html in
      html.element("h1", SchemaPlanPage.title)
      html.element("div", ["class": "plan"]) { html in
        let table = SchemaPlanTable(parts: parts, place: place)
        parts.notices(withRefusal: !table.showsPlace, to: &html)
        parts.plan(to: &html)
        table.add(to: &html)
      }
    }
    return .html(page, status: refusal?.status ?? 200)
  }

  static let title = "Schema changes"
}

extension ObjectSchema {
  /// The position of the class of the app with this name; nil if there is none.
  func position(ofAppClassNamed name: String) -> Int? {
    appClasses.first { classes[$0].name.text.utf8.elementsEqual(name.utf8) }
  }
}
