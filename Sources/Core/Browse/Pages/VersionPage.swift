import RealmStorage

/// Whether there is a newer version of a realm than the one that pages show, and the way to it.
struct VersionPage {
  private let pages: RealmPages

  init(_ pages: RealmPages) { self.pages = pages }

  /// The number of the shown version and of the newest one, and that of the draft, for the script.
  var json: HTTPResponse {
    get throws {
      let (shown, draft) = try pages.realm.withView(.latest) {
        ($0.version, try pages.drafted($0)?.state.revision)
      }
      let revision = draft.map { ",\"draft\":\($0)" } ?? ""
      return .json(
        "{\"newest\":\(try pages.realm.newestVersion()),\"shown\":\(shown)\(revision)}\n")
    }
  }

  /// Shows the newest version from now on, and goes back to the page that the link was on.
  var renew: HTTPResponse {
    pages.realm.renew()
    let target = pages.query["to"] ?? ""
    // Only pages of this realm: a link to another site would leave the server.
    let isOwn = target.hasPrefix("/\(pages.number)/") && !target.contains { $0.isNewline }
    return .redirect(to: isOwn ? target : pages.urls.page(""))
  }

  /// What a page says about its version; nil if it is the newest one.
  func notice(about view: RealmView) -> HTML? {
    var html = HTML()
    if pages.version == .previous {
      html.element("p", ["class": "notice"]) { html in
        html.text("You see version \(view.version), the commit before the newest one. ")
        html.element(
          "a", ["href": RealmURLs(number: pages.number, version: .latest).page("")],
          "Show the newest")
      }
      return html
    }
    // If the file cannot be read any more, the page shows what was read, and the next one says why.
    guard let newest = try? pages.realm.newestVersion(), newest != view.version else { return nil }
    html.element("p", ["class": "notice", "role": "status"]) { html in
      html.text("Version \(newest) was written meanwhile. You see version \(view.version). ")
      let target = pages.request.target
      html.element(
        "a", ["href": pages.urls.page("newest", URLQuery([("to", target)]))], "Show the newest")
    }
    return html
  }
}
