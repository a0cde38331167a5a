import RealmJobs
import RealmMigration
import RealmModel
import RealmStorage

/// The name and the value of a field that is not shown.
typealias FormField = (name: String, value: String)

/// The parts of the page of a plan that are about the plan as a whole.
struct SchemaPlanParts {
  let pages: RealmPages
  let editing: Editing
  let view: RealmView
  let status: SchemaPlan.Status
  let counts: [Int?]
  let refusal: SchemaPlanPage.Refusal?
  /// Whether objects have changes that are not saved.
  let hasDraft: Bool

  /// Adds a form for the plan.
  ///
  /// - Parameters:
  ///   - action: the value of the field `do`.
  ///   - place: the end of the URL, for the place that the browser shows if the form is refused.
  func form(
    _ action: String, _ fields: [FormField] = [], at place: String = "", to html: inout HTML,
    _ content: (inout HTML) -> Void
  ) {
    let target = pages.urls.edited("schema") + place
    html.form(action: target, editing, ["class": "step"]) { html in
      html.void("input", ["type": "hidden", "name": "do", "value": action])
      for field in fields {
        html.void("input", ["type": "hidden", "name": field.name, "value": field.value])
      }
      content(&html)
    }
  }

  private var revision: FormField { ("revision", "\(status.revision)") }

  // MARK: Notices

  /// - Parameter withRefusal: whether to say here what was refused.
  func notices(withRefusal: Bool, to html: inout HTML) {
    if withRefusal, let refusal { ErrorPage.add(refusal.problem, to: &html) }
    if let saved = status.saved { savedNotice(saved, to: &html) }
    if status.isRestored {
      html.element(
        "p", ["class": "notice", "role": "status"],
        "The plan was not saved when the server ended. It is offered again.")
    }
    if status.isSynced {
      html.element(
        "p", ["class": "notice"],
        "The realm is synced: only classes, properties and indexes can be added. Saving appends a changeset "
          + "with the new classes and properties, which the client uploads when an app opens the realm."
      )
    }
    if let problem = status.problem {
      ErrorPage.add(pages.reports.problem(problem), to: &html)
    }
  }

  private func savedNotice(_ report: MigrateJob.Report, to html: inout HTML) {
    html.element("p", ["class": "notice", "role": "status"]) { html in
      let output = report.rewrite?.output ?? report.path
      html.text("Saved: schema version \(report.versionAfter) in \(SchemaPlanParts.name(output)).")
      if let backup = report.rewrite?.backup {
        html.text(" The original is \(SchemaPlanParts.name(backup)).")
      }
      if let count = report.changesets {
        html.text(" \(ValueWriter.count(count, "changeset")) to upload.")
      }
    }
  }

  private static func name(_ path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? path
  }

  // MARK: The plan

  func plan(to html: inout HTML) {
    html.element("h2", "Plan")
    guard !status.steps.isEmpty || status.problem != nil else {
      html.element(
        "p", ["class": "null"],
        "The plan has no steps. Choose a class or property below, or add a class.")
      return
    }
    if !status.steps.isEmpty { steps(to: &html) }
    form("version", [revision], to: &html) { html in
      html.element("label") { html in
        html.text("Schema version after the steps")
        html.void(
          "input",
          [
            "type": "text", "name": "version", "value": "\(status.version)",
            "inputmode": "numeric",
          ])
      }
      html.element("button", ["class": "quiet"], "Set")
    }
    actions(to: &html)
    guard !status.steps.isEmpty else { return }
    html.element("h3", "YAML")
    html.element(
      "p", ["class": "type"],
      "For the app's repository, and for realm-cli migrate --plan on other devices' realms.")
    html.element("pre", ["class": "code", "tabindex": "0", "data-copy": ""], status.text)
    html.element("p", ["class": "pages"]) { html in
      html.element(
        "a", ["href": pages.urls.edited("plan.yml"), "download": "plan.yml"], "download plan.yml")
      html.element("a", ["href": pages.urls.edited("schema.json")], "JSON")
    }
  }

  private func steps(to html: inout HTML) {
    html.element(
      "div", ["class": "scroll", "role": "region", "aria-label": "Steps", "tabindex": "0"]
    ) { html in
      html.element("table", ["class": "list"]) { html in
        html.element("thead") { html in
          html.element("tr") { html in
            html.element("th", ["scope": "col", "class": "number"], "#")
            html.element("th", ["scope": "col"], "step")
            html.element("th", ["scope": "col", "class": "number"], "objects now")
            html.element("td", "")
          }
        }
        html.element("tbody") { html in
          for (number, step) in status.steps.enumerated() {
            html.element("tr") { html in row(number, step, to: &html) }
          }
        }
      }
    }
  }

  private func row(_ number: Int, _ step: MigrationStep, to html: inout HTML) {
    html.element("td", ["class": "number"], "\(number + 1)")
    html.element("td") { html in html.element("code", PlanWriter.line(step)) }
    html.element("td", ["class": "number"]) { html in
      if let count = counts[number] {
        html.text(count.grouped)
      } else {
        html.element("span", ["class": "null"], "Try shows it")
      }
    }
    html.element("td") { html in
      form("remove", [("number", "\(number)"), revision], to: &html) { html in
        html.element(
          "button", ["class": "quiet", "aria-label": "Remove step \(number + 1)"], "Remove")
      }
    }
  }

  private func actions(to html: inout HTML) {
    html.element("div", ["class": "actions"]) { html in
      if status.problem == nil {
        form("try", [revision], to: &html) { html in html.element("button", "Try") }
        if hasDraft {
          html.element("p", ["class": "notice"]) { html in
            html.text("The draft has changes of objects. Save or discard ")
            html.element("a", ["href": pages.urls.edited()], "the draft")
            html.text(" first.")
          }
        } else {
          form("save", [("to", "realm"), revision], to: &html) { html in
            html.element("button", "Save")
          }
        }
        form("save", [("to", "copy"), revision], to: &html) { html in
          html.element("label") { html in
            html.text("Name of a copy beside the realm")
            html.void(
              "input",
              [
                "type": "text", "name": "name", "required": "",
                "value": entered("save", "name") ?? SchemaPlanParts.copyName(pages.realm.name),
              ])
          }
          html.element("button", ["class": "quiet"], "Save a copy")
        }
      }
      form("clear", [revision], to: &html) { html in
        html.element("button", ["class": "quiet"], "Remove all steps")
      }
    }
  }

  private func entered(_ action: String, _ name: String) -> String? {
    refusal?.form["do"] == action ? refusal?.form[name] : nil
  }

  private static func copyName(_ name: String) -> String {
    (name.hasSuffix(".realm") ? String(name.dropLast(6)) : name) + "-migrated.realm"
  }
}
