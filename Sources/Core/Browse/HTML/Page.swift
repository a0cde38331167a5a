/// What all pages have in common: the head, the bar on top, and the links to the other pages of a realm.
struct Page {
  /// A link in the path that leads to the page.
  struct Crumb {
    let text: String
    /// Nil for the page itself.
    let target: String?
  }

  /// A page of a realm that the bar links to.
  enum Section: String, CaseIterable {
    case classes, stats, verify, schema, changes

    var title: String { rawValue.prefix(1).uppercased() + rawValue.dropFirst() }
  }

  let title: String
  /// What is edited; nil if the page only shows.
  let editing: Editing?
  var crumbs: [Crumb] = []
  /// The links of a page about a realm.
  var realm: Links?
  /// Seconds after which the browser loads the page again; nil for a page that does not change.
  var refresh: Int?

  /// Where the pages of a realm are.
  struct Links {
    let urls: RealmURLs
    /// The section of the page; nil for a page outside of them.
    let section: Section?
    /// The version that is shown, for the script that asks whether there is a newer one.
    var version: Int?
    /// What the page says about newer and older versions.
    var notice: HTML?
    /// What is not saved yet; nil if the pages only show.
    var draft: Draft.Status?
    /// The URL of the page, to go back to after an undo.
    var target = ""
  }

  /// The whole page with `content` as its main part.
  func html(_ content: (inout HTML) -> Void) -> [UInt8] {
    var html = HTML()
    html.add(trusted: TrustedMarkup(Array("<!DOCTYPE html>\n".utf8)))
    html.element("html", ["lang": "en"]) { html in
      html.element("head") { head(&$0) }
      html.element(
        "body",
        [
          "data-version": realm?.version.map { "\($0)" },
          "data-check": realm.map { $0.urls.page("version.json") },
          "data-newest": realm.map { $0.urls.page("newest") },
          "data-draft": realm?.draft.map { "\($0.state.revision)" },
        ]
      ) { html in
        html.element("a", ["class": "skip", "href": "#main"], "Skip to the content")
        html.element("header", ["class": "top"]) { top(&$0) }
        draft(&html)
        html.element("main", ["id": "main"]) { html in
          if let notice = realm?.notice { html.add(notice) }
          content(&html)
        }
      }
    }
    return html.bytes
  }

  private func head(_ html: inout HTML) {
    html.void("meta", ["charset": "utf-8"])
    html.void("meta", ["name": "viewport", "content": "width=device-width, initial-scale=1"])
    html.void("meta", ["name": "color-scheme", "content": "light dark"])
    if let editing { html.void("meta", ["name": "realm-token", "content": editing.formToken]) }
    if let refresh { html.void("meta", ["http-equiv": "refresh", "content": "\(refresh)"]) }
    html.element("title", "\(title) – realm-cli")
    html.void("link", ["rel": "icon", "href": Asset.icon.path])
    html.void("link", ["rel": "stylesheet", "href": Asset.style.path])
    html.element("script", ["src": Asset.script.path, "defer": ""], "")
    if editing != nil {
      html.void("link", ["rel": "stylesheet", "href": Asset.editStyle.path])
      html.element("script", ["src": Asset.editScript.path, "type": "module"], "")
    }
  }

  /// Adds the bar about what is not saved yet.
  private func draft(_ html: inout HTML) {
    guard let editing, let realm, let status = realm.draft,
      !status.state.isEmpty || status.canUndo || status.canRedo
    else { return }
    html.element("section", ["class": "draft-bar", "aria-label": "Draft"]) { html in
      html.element("span", "Draft: \(ValueWriter.count(status.state.count, "change"))")
      html.element("a", ["href": realm.urls.draft()], "Review")
      for (name, title, isPossible) in [
        ("undo", "Undo", status.canUndo), ("redo", "Redo", status.canRedo),
      ] {
        html.form(action: realm.urls.draft(name), editing) { html in
          EditForms.hidden("to", realm.target, to: &html)
          html.element(
            "button",
            ["type": "submit", "class": "small", "disabled": isPossible ? nil : ""], title)
        }
      }
    }
  }

  private func top(_ html: inout HTML) {
    html.element("nav", ["class": "crumbs", "aria-label": "Path"]) { html in
      html.element("a", ["href": "/", "class": "home"], "Realms")
      for crumb in crumbs {
        html.element("span", ["class": "slash", "aria-hidden": "true"], "/")
        if let target = crumb.target {
          html.element("a", ["href": target], crumb.text)
        } else {
          html.element("span", ["aria-current": "page"], crumb.text)
        }
      }
    }
    guard let realm else { return }
    html.element("nav", ["class": "sections", "aria-label": "Pages of the realm"]) { html in
      for section in Section.allCases {
        html.element(
          "a",
          [
            "href": realm.urls.page(section == .classes ? "" : section.rawValue),
            "aria-current": section == realm.section ? "page" : nil,
          ], section.title)
      }
    }
  }
}
