import RealmJobs
import RealmMigration
import RealmStorage

/// What a trial of a plan has shown.
struct PlanTrial: Sendable {
  /// The name of the work.
  static let name = "plan"
  /// The most objects that are shown for a step.
  static let sampleCount = 3

  /// The revision of the plan.
  let revision: Int
  let result: Result<MigrateJob.Report, any Error>
}

/// The result of a trial of the plan of a realm.
struct PlanTrialPage {
  private let pages: RealmPages
  private let edits: RealmEdits

  /// - Throws: ``ErrorPage/NotFound`` without editing.
  init(_ pages: RealmPages) throws {
    guard let edits = try pages.edits else { throw RealmPages.noSuchPage }
    (self.pages, self.edits) = (pages, edits)
  }

  private var task: BackgroundTask? { pages.realm.startedTask(PlanTrial.name, .latest) }

  /// - Throws: the errors of opening the realm.
  var response: HTTPResponse {
    get throws {
      guard let task else { return .redirect(to: pages.urls.edited("schema")) }
      let revision = try pages.realm.withView(.latest) {
        try edits.plan.status(over: $0).revision
      }
      let crumbs = [
        Page.Crumb(text: "Schema", target: pages.urls.page("schema")),
        Page.Crumb(text: SchemaPlanPage.title, target: pages.urls.edited("schema")),
        Page.Crumb(text: "Trial", target: nil),
      ]
      return try TaskPage.response(
        pages, .schema, crumbs: crumbs, task, as: PlanTrial.self,
        running: "Trying the plan on all objects…"
      ) { trial, html in
        if trial.revision != revision {
          html.element("p", ["class": "notice"], "The plan was changed after this trial.")
        }
        switch trial.result {
        case .success(let report): add(report, to: &html)
        case .failure(let error):
          html.element("p", ["class": "verdict bad"], "The plan cannot be saved")
          ErrorPage.add(pages.reports.problem(error), to: &html)
        }
        html.element("p", ["class": "pages"]) { html in
          html.element("a", ["href": pages.urls.edited("schema")], "back to the plan")
          html.element("a", ["href": pages.urls.edited("schema", "trial.json")], "JSON")
        }
      }
    }
  }

  /// - Throws: the error of the trial.
  var json: HTTPResponse {
    get throws {
      guard let task else { throw RealmPages.noSuchPage }
      let trial = try TaskPage.report(task, as: PlanTrial.self)
      return .json(try pages.reports.json(try trial.result.get()))
    }
  }

  private func add(_ report: MigrateJob.Report, to html: inout HTML) {
    html.element("p", ["class": "verdict good"], "The plan can be saved")
    let before = report.versionBefore.map { "schema version \($0)" } ?? "no schema version"
    let sizes = report.rewrite.map {
      ", \(Text.size($0.bytesBefore)) → \(Text.size($0.bytesAfter))"
    }
    html.element(
      "p", ["class": "count"],
      "From \(before) to \(report.versionAfter)\(sizes ?? ""). Nothing was written.")
    if let count = report.changesets {
      html.element("p", "\(ValueWriter.count(count, "changeset")) would be uploaded.")
    }
    html.element(
      "div", ["class": "scroll", "role": "region", "aria-label": "Steps", "tabindex": "0"]
    ) { html in
      html.element("table", ["class": "list"]) { html in
        html.element("thead") { html in
          html.element("tr") { html in
            html.element("th", ["scope": "col"], "step")
            for name in ["changed", "deleted", "copied"] {
              html.element("th", ["scope": "col", "class": "number"], name)
            }
          }
        }
        html.element("tbody") { html in
          for step in report.steps { html.element("tr") { html in row(step, to: &html) } }
        }
      }
    }
  }

  private func row(_ step: MigrateJob.Report.Step, to html: inout HTML) {
    html.element("td") { html in
      html.element("code", step.name)
      html.text(" \(step.subject)")
      guard !step.samples.isEmpty else { return }
      html.element("ul", ["class": "samples"]) { html in
        for sample in step.samples {
          html.element("li") { html in
            html.element("span", ["class": "type"], "\(sample.identity) ")
            html.text(PlanTrialPage.text(sample.before))
            if !sample.after.isEmpty { html.text(" → \(PlanTrialPage.text(sample.after))") }
          }
        }
      }
    }
    for count in [step.changedObjects, step.deletedObjects, step.copiedObjects] {
      html.element("td", ["class": "number"], count.grouped)
    }
  }

  /// Maximum length of a value.
  private static let valueLimit = 200

  private static func text(_ values: [MigrationSample.Value]) -> String {
    values.map { "\($0.property): \(Text.cut($0.value, to: valueLimit) { $0.count })" }
      .joined(separator: ", ")
  }
}
