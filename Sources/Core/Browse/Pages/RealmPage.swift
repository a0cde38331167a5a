import RealmJobs
import RealmModel
import RealmStorage

/// A realm: facts about the file, and its classes.
struct RealmPage {
  private let pages: RealmPages

  init(_ pages: RealmPages) { self.pages = pages }

  /// - Throws: the errors of opening the realm.
  var response: HTTPResponse {
    get throws {
      let info = try pages.realm.info(pages.version, withDetail: false)
      return try pages.realm.withView(pages.version) { view in
        .html(
          pages.page("", .classes, view: view).html { html in
            html.element("h1", pages.realm.name)
            html.element("p", ["class": "path"], pages.realm.path)
            classes(view, to: &html)
            html.element("h2", "File")
            html.element("dl", ["class": "facts"]) { html in
              for fact in pages.reports.facts(info) {
                html.element("dt", fact.name)
                html.element("dd", fact.value)
              }
            }
            html.element("p", ["class": "pages"]) { html in
              if pages.version == .latest {
                let previous = RealmURLs(number: pages.number, version: .previous)
                html.element("a", ["href": previous.page("")], "the commit before this one")
              }
              html.element("a", ["href": pages.urls.page("index.json")], "JSON")
            }
          })
      }
    }
  }

  private func classes(_ view: RealmView, to html: inout HTML) {
    guard !view.schema.appClasses.isEmpty else {
      html.element("p", ["class": "null"], "The realm has no classes.")
      return
    }
    html.element(
      "div", ["class": "scroll", "role": "region", "aria-label": "Classes", "tabindex": "0"]
    ) { html in
      html.element("table", ["class": "list"]) { html in
        html.element("thead") { html in
          html.element("tr") { html in
            html.element("th", ["scope": "col"], "class")
            html.element("th", ["scope": "col", "class": "number"], "objects")
            html.element("th", ["scope": "col"], "links to")
            html.element("th", ["scope": "col"], "linked from")
          }
        }
        html.element("tbody") { html in
          for position in view.schema.appClasses {
            html.element("tr") { html in row(position, view, to: &html) }
          }
        }
      }
    }
  }

  private func row(_ position: Int, _ view: RealmView, to html: inout HTML) {
    let owner = view.schema.classes[position]
    html.element("th", ["scope": "row"]) { html in
      html.element(
        "a", ["href": pages.urls.objects(of: ClassAddress(position, in: view.schema))],
        owner.name.text)
      switch owner.kind {
      case .topLevel: break
      case .embedded: html.element("span", ["class": "type"], "embedded")
      case .asymmetric: html.element("span", ["class": "type"], "asymmetric")
      }
    }
    html.element("td", ["class": "number"], view.table(position).objectCount.grouped)
    let targets = owner.properties.compactMap { property in
      property.target.map { (property.name.text, $0) }
    }
    html.element("td", ["class": "links"]) { html in
      for (name, target) in targets.prefix(RealmPage.linkLimit) {
        html.element("span") { html in
          html.element("span", ["class": "type"], "\(name) ")
          html.element(
            "a", ["href": pages.urls.objects(of: ClassAddress(target, in: view.schema))],
            view.schema.classes[target].name.text)
        }
      }
      RealmPage.rest(targets.count, to: &html)
    }
    html.element("td", ["class": "links"]) { html in
      let origins = view.realm.schema.origins(ofLinksTo: position)
      for origin in origins.prefix(RealmPage.linkLimit) { html.element("span", origin) }
      RealmPage.rest(origins.count, to: &html)
    }
  }

  /// Maximum number of links that are listed for a class.
  private static let linkLimit = 8

  private static func rest(_ count: Int, to html: inout HTML) {
    if count > linkLimit { html.element("span", "and \(count - linkLimit) more") }
  }
}
