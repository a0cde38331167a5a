import RealmCompare
import RealmInterchange
import RealmJobs
import RealmModel
import RealmStorage
import RealmSync

/// The draft as what it changes, to be reviewed and saved.
struct ReviewPage {
  /// Maximum number of objects of a page.
  private static let pageSize = 200

  private let pages: RealmPages

  init(_ pages: RealmPages) { self.pages = pages }

  /// What saving found, if the page is about that.
  struct Outcome {
    /// The result of saving; nil before it.
    var report: ApplyJob.Report?
    /// Why the draft could not be saved.
    var problem: Problem?
    var status = 200
  }

  /// - Throws: ``ErrorPage/NotFound`` if nothing can be edited; the errors of reading.
  var response: HTTPResponse {
    get throws { try response(Outcome()) }
  }

  func response(_ outcome: Outcome) throws -> HTTPResponse {
    guard let editing = pages.site.editing else { throw RealmPages.noSuchPage }
    return try pages.realm.withView(.latest) { view in
      guard let status = try pages.drafted(view) else { throw RealmPages.noSuchPage }
      let isSynced =
        try !view.snapshot.isLegacy && HistoryKind(of: view.snapshot.top) == .syncClient
      let crumbs = [Page.Crumb(text: "Draft", target: nil)]
      let page = pages.page("Draft", nil, crumbs: crumbs, view: view)
      return .html(
        page.html { html in
          html.element("h1", "Draft")
          if let problem = outcome.problem { ErrorPage.add(problem, to: &html) }
          notices(status, outcome, to: &html)
          if let report = outcome.report, report.isRefused {
            conflicts(report.conflicts, editing, to: &html)
          }
          if status.state.isEmpty {
            html.element("p", ["class": "null"], "Nothing is changed.")
          } else {
            save(editing, isSynced: isSynced, to: &html)
          }
          steps(status, editing, to: &html)
          changes(status.state, editing, view, to: &html)
        }, status: outcome.status)
    }
  }

  private func notices(_ status: Draft.Status, _ outcome: Outcome, to html: inout HTML) {
    if let report = outcome.report, !report.isRefused {
      html.element("div", ["class": "verdict good", "role": "status"]) { html in
        html.element("pre", ["class": "report"], pages.reports.text(report))
      }
    }
    if status.isRestored {
      html.element(
        "p", ["class": "notice", "role": "status"],
        "This draft was not saved when realm-cli ended. Go on with it, or discard it.")
    }
    if let path = status.unfit {
      html.element(
        "p", ["class": "notice", "role": "status"],
        "An earlier draft does not fit the classes of this realm any more. It was kept as \(path).")
    }
  }

  // MARK: Saving

  private func save(_ editing: Editing, isSynced: Bool, to html: inout HTML) {
    html.element("section", ["class": "save"]) { html in
      html.element("h2", "Save")
      let action = pages.urls.page("draft") + "/save"
      html.form(action: action, editing, ["class": "save-realm"]) { html in
        html.void("input", ["type": "hidden", "name": "to", "value": "realm"])
        html.element("button", ["type": "submit", "class": "primary"], "Save in the realm")
        html.element(
          "span", ["class": "type"],
          editing.keepsOriginal
            ? "The first save keeps the original beside it, as .before-browse.realm."
            : "No original is kept.")
      }
      html.form(action: action, editing, ["class": "save-copy"]) { html in
        html.void("input", ["type": "hidden", "name": "to", "value": "copy"])
        html.element("label") { html in
          html.text("Save as a copy beside it, named")
          html.void(
            "input",
            [
              "type": "text", "name": "name", "value": copyName, "required": "",
              "spellcheck": "false", "autocomplete": "off",
            ])
        }
        html.element("button", ["type": "submit"], "Save the copy")
      }
      if isSynced {
        html.element(
          "p", ["class": "notice"],
          "This realm is synced: when an app opens it, its client uploads what you save.")
      }
    }
  }

  /// A name for a copy, which no file has.
  private var copyName: String {
    let name = pages.realm.name
    let stem = name.hasSuffix(".realm") ? String(name.dropLast(6)) : name
    return "\(stem)-edited.realm"
  }

  /// The values that both the draft and somebody else changed, each with the choice of one.
  private func conflicts(
    _ conflicts: [PatchConflict], _ editing: Editing, to html: inout HTML
  ) {
    html.element("section", ["class": "conflicts"]) { html in
      html.element("h2", "Conflicts")
      html.element(
        "p",
        "Nothing was saved: the realm was changed meanwhile. Choose a value for each, and save again."
      )
      html.form(action: pages.urls.page("draft") + "/save", editing) { html in
        html.void("input", ["type": "hidden", "name": "to", "value": "realm"])
        html.element("ol", ["class": "conflict-list"]) { html in
          for (number, conflict) in conflicts.enumerated() {
            html.element("li") { html in
              self.conflict(conflict, number, to: &html)
            }
          }
        }
        html.element("button", ["type": "submit", "class": "primary"], "Save with these values")
      }
    }
  }

  private func conflict(_ conflict: PatchConflict, _ number: Int, to html: inout HTML) {
    for (name, value) in [
      ("class", conflict.className), ("id", conflict.identity), ("property", conflict.property),
    ] {
      html.void("input", ["type": "hidden", "name": "\(name)\(number)", "value": value])
    }
    html.element("fieldset") { html in
      html.element("legend") { html in
        html.text("\(conflict.className) \(conflict.identity), \(conflict.property)")
        html.element("span", ["class": "type"], ReviewPage.sentence(conflict.reason))
      }
      html.element("p", ["class": "type"], "before: \(ReviewPage.cut(conflict.old))")
      for (choice, title, value) in [
        ("draft", "the draft", conflict.new), ("realm", "the realm", conflict.realm),
      ] {
        html.element("label") { html in
          html.void(
            "input",
            [
              "type": "radio", "name": "take\(number)", "value": choice,
              "checked": choice == "realm" ? "" : nil,
            ])
          html.text("\(title): \(ReviewPage.cut(value))")
        }
      }
    }
  }

  private static func sentence(_ reason: PatchConflict.Reason) -> String {
    switch reason {
    case .changed: "the realm has another value"
    case .exists: "the realm has an object with this identity"
    case .removed: "the draft removes the object, and the realm has another value"
    case .missing: "the realm does not have the object any more"
    case .missingTarget: "the realm does not have the object that the value links to"
    }
  }

  private static func cut(_ text: String?) -> String {
    guard let text else { return "no object" }
    return text.count > 500 ? text.prefix(500) + "…" : text
  }

  private func steps(_ status: Draft.Status, _ editing: Editing, to html: inout HTML) {
    html.element("div", ["class": "toolbar steps"]) { html in
      for (name, title, isPossible) in [
        ("undo", "Undo", status.canUndo), ("redo", "Redo", status.canRedo),
        ("discard", "Discard all", !status.state.isEmpty),
      ] where isPossible {
        html.form(action: pages.urls.page("draft") + "/\(name)", editing) { html in
          html.element("button", ["type": "submit"], title)
        }
      }
      html.element("a", ["href": pages.urls.page("draft.patch")], "Patch")
      html.element("a", ["href": pages.urls.page("draft.json")], "JSON")
    }
  }

  // MARK: Changes

  private func changes(
    _ state: DraftState, _ editing: Editing, _ view: RealmView, to html: inout HTML
  ) {
    let all = state.sorted
    let wanted = pages.query.number("from") ?? 0
    let from = wanted < all.count ? wanted : 0
    var position: Int?
    let text = DetailText(view.schema, view.schema, view.schema.classes.map(\.name))
    for object in all.dropFirst(from).prefix(ReviewPage.pageSize) {
      if position != object.classPosition {
        position = object.classPosition
        let counts = state.counts(ofClassAt: object.classPosition)
        html.element("h2") { html in
          html.text(view.schema.classes[object.classPosition].name.text)
          html.element(
            "span", ["class": "type"],
            "\(counts.added.grouped) added, \(counts.removed.grouped) removed, "
              + "\(counts.changed.grouped) changed")
        }
      }
      add(object, text, editing, view, to: &html)
    }
    ClassPage.navigation(from, all.count, ReviewPage.pageSize, to: &html) { from in
      pages.urls.page("draft", URLQuery(from == 0 ? [] : [("from", "\(from)")]))
    }
  }

  private func add(
    _ object: DraftObject, _ text: DetailText, _ editing: Editing, _ view: RealmView,
    to html: inout HTML
  ) {
    let owner = view.schema.classes[object.classPosition]
    let address = ClassAddress(object.classPosition, in: view.schema)
    var identity = RealmJSONValueText()
    identity.append(plain: object.identity, inMixed: false)
    let name = String(decoding: identity.take(), as: UTF8.self)
    html.element("section", ["class": "change \(object.kind.rawValue)"]) { html in
      html.element("h3") { html in
        html.element("span", ["class": "severity"], object.kind.rawValue)
        html.element(
          "a", ["href": pages.urls.object(object.key, of: address), "class": "link"], name)
      }
      takeBack(object, nil, "take back \(owner.name.text) \(name)", address, editing, to: &html)
      html.element("ul", ["class": "details"]) { html in
        for (position, value) in object.new.sorted(by: { $0.key < $1.key }) {
          let property = owner.properties[position]
          let before = object.old[position]
          // Of a new object, what it has.
          guard before != nil || !ReviewPage.isNothing(value) else { continue }
          let details = ValueDetail.all(from: before, to: value, of: property, in: view.schema)
          html.element("li") { html in
            for detail in details { html.element("p", text.line(detail)) }
            guard object.kind == .changed else { return }
            takeBack(
              object, position, "take back \(property.name.text) of \(owner.name.text) \(name)",
              address, editing, to: &html)
          }
        }
      }
    }
  }

  private static func isNothing(_ value: RealmValue) -> Bool {
    value == .null || value == .list([]) || value == .dictionary([])
  }

  private func takeBack(
    _ object: DraftObject, _ property: Int?, _ label: String, _ address: ClassAddress,
    _ editing: Editing, to html: inout HTML
  ) {
    html.form(action: pages.urls.page("draft") + "/edit", editing, ["class": "inline"]) { html in
      for (name, value) in [
        ("do", "takeBack"), ("class", address.part), ("key", "\(object.key.raw)"),
        ("to", pages.urls.page("draft")),
      ] {
        html.void("input", ["type": "hidden", "name": name, "value": value])
      }
      if let property {
        html.void("input", ["type": "hidden", "name": "property", "value": "\(property)"])
      }
      html.element("button", ["type": "submit", "aria-label": label], "take back")
    }
  }

  // MARK: Other forms

  /// The draft as numbers: the changes of each class, and what can be undone.
  var json: HTTPResponse {
    get throws {
      try pages.realm.withView(.latest) { view in
        guard let status = try pages.drafted(view) else { throw RealmPages.noSuchPage }
        var json = RealmJSONValueText()
        json.append("{\"changes\":\(status.state.count),\"revision\":\(status.state.revision)")
        json.append(",\"canUndo\":\(status.canUndo),\"canRedo\":\(status.canRedo)")
        json.append(",\"classes\":[")
        let positions = Set(status.state.sorted.map(\.classPosition)).sorted()
        for (i, position) in positions.enumerated() {
          let counts = status.state.counts(ofClassAt: position)
          json.append(i > 0 ? ",{\"name\":" : "{\"name\":")
          json.append(view.schema.classes[position].name)
          json.append(",\"added\":\(counts.added),\"removed\":\(counts.removed)")
          json.append(",\"changed\":\(counts.changed)}")
        }
        json.append("]}\n")
        return .json(String(decoding: json.take(), as: UTF8.self))
      }
    }
  }

  /// The draft as a patch.
  var patch: HTTPResponse {
    get throws {
      try pages.realm.withView(.latest) { view in
        guard let draft = try pages.draft else { throw RealmPages.noSuchPage }
        var response = HTTPResponse(
          .bytes(try draft.patch(over: view)), contentType: "application/x-ndjson")
        response.fields = [("Content-Disposition", "attachment; filename=\"draft.patch\"")]
        return response
      }
    }
  }
}
