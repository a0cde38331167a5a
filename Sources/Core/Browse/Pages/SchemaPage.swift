import RealmInterchange
import RealmJobs
import RealmMigration
import RealmModel
import RealmPictures
import RealmStorage

/// The classes of a realm, and the model classes of an SDK or another library to copy.
struct SchemaPage {
  /// The formats to choose from; the first one is the picture.
  private static let formats: [SchemaTextFormat] = [
    .svg, .text, .swift, .kotlin, .javascript, .typescript, .csharp, .dart, .swiftdata, .grdb,
    .room, .drift, .sqlalchemy, .sql, .json, .mermaid,
  ]

  private let pages: RealmPages

  init(_ pages: RealmPages) { self.pages = pages }

  private static func title(_ format: SchemaTextFormat) -> String {
    switch format {
    case .svg: "Diagram"
    case .text: "Text"
    case .json: "JSON"
    case .swift: "Swift"
    case .kotlin: "Kotlin"
    case .javascript: "JavaScript"
    case .typescript: "TypeScript"
    case .csharp: "C#"
    case .dart: "Dart"
    case .mermaid: "Mermaid"
    case .swiftdata: "SwiftData"
    case .grdb: "GRDB"
    case .room: "Room"
    case .drift: "Drift"
    case .sqlalchemy: "SQLAlchemy"
    case .sql: "SQL"
    case .coreJSON: "realm-core JSON"
    }
  }

  private func text(_ format: SchemaTextFormat, _ view: RealmView) throws -> String {
    var tables = TableFacts(schemaVersion: try view.readable.schemaVersion())
    tables.options.reader = format.reader(nil) ?? .plain
    tables.hasUniqueKeys = !view.readable.snapshot.isLegacy
    let bytes = try format.text(view.readable.schema, tables: tables) {
      view.readable.origins(ofLinksTo: $0)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// - Throws: the errors of opening the realm.
  var response: HTTPResponse {
    get throws {
      let wanted = pages.query["as"].flatMap { SchemaTextFormat(rawValue: $0) } ?? .svg
      return try pages.realm.withView(pages.version) { view in
        let crumbs = [Page.Crumb(text: "Schema", target: nil)]
        let text = wanted == .svg ? "" : try text(wanted, view)
        let plan = try pages.edits?.plan.status(over: view)
        return .html(
          pages.page("Schema", .schema, crumbs: crumbs, view: view).html { html in
            html.element("h1", "Schema")
            if let plan { changes(plan, to: &html) }
            html.element("nav", ["class": "tabs", "aria-label": "Formats"]) { html in
              for format in SchemaPage.formats {
                html.element(
                  "a",
                  [
                    "href": pages.urls.page(
                      "schema",
                      URLQuery(format == .svg ? [] : [("as", format.rawValue)])),
                    "aria-current": format == wanted ? "page" : nil,
                  ], SchemaPage.title(format))
              }
            }
            guard wanted == .svg else {
              html.element(
                "pre", ["class": "code", "tabindex": "0", "data-copy": ""], text)
              return
            }
            html.element(
              "div",
              [
                "class": "picture-frame", "role": "region", "aria-label": "Class diagram",
                "tabindex": "0",
              ]
            ) { html in
              let picture = ClassDiagram(view.readable.schema).svg(for: .page)
              html.add(trusted: TrustedMarkup(Array(picture.utf8)))
            }
          })
      }
    }
  }

  /// The steps of the plan, and the way to it.
  private func changes(_ plan: SchemaPlan.Status, to html: inout HTML) {
    let target = pages.urls.edited("schema")
    guard !plan.steps.isEmpty else {
      html.element("p", ["class": "pages"]) { html in
        html.element("a", ["href": target], "change the schema")
      }
      return
    }
    html.element("div", ["class": "notice"]) { html in
      let count = ValueWriter.count(plan.steps.count, "step")
      html.text("A plan for schema version \(plan.version) with \(count) is not saved. ")
      html.element("a", ["href": target], "Show the plan")
      html.element("ol", ["class": "steps"]) { html in
        for step in plan.steps.prefix(SchemaPage.stepLimit) {
          html.element("li", "\(step.action.name.rawValue) \(step.action.subject)")
        }
      }
      if plan.steps.count > SchemaPage.stepLimit {
        html.text("and \((plan.steps.count - SchemaPage.stepLimit).grouped) more")
      }
    }
  }

  /// The most steps of a plan that are listed.
  private static let stepLimit = 10

  /// - Throws: the errors of opening the realm.
  var json: HTTPResponse {
    get throws { try pages.realm.withView(pages.version) { .json(try text(.json, $0)) } }
  }
}
