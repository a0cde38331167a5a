import RealmModel
import RealmStorage

/// The editor of one value of an object.
///
/// | field of the URL | is |
/// | --- | --- |
/// | `at` | the place of the value; with `insert` that of the element before which a new one comes |
/// | `do` | `set`, `insert`, `entry` or `rename` |
/// | `part` | `1` for the form alone |
/// | `to` | the page to go back to |
/// | `pick` | a text to search for targets of a link |
struct EditPage {
  private let pages: RealmPages
  private let view: RealmView
  private let position: Int
  private let key: ObjectKey
  private let path: ValuePath
  private let action: DraftForm.Action
  private let forms: EditForms
  private let owner: ObjectClass
  private let edit: DraftEdit

  /// - Parameters:
  ///   - path: the place of the value as text.
  ///   - target: the page to go back to; nil for that of the object.
  /// - Throws: ``ErrorPage/NotFound`` if nothing can be edited, or not at this place; the errors of reading.
  init(
    _ pages: RealmPages, _ view: RealmView, _ position: Int, _ key: ObjectKey, at text: String?,
    _ action: String?, target: String?
  ) throws {
    (self.pages, self.view, self.position, self.key) = (pages, view, position, key)
    owner = view.schema.classes[position]
    guard let status = try pages.drafted(view), let editing = pages.site.editing,
      owner.kind == .topLevel
    else { throw RealmPages.noSuchPage }
    guard let path = text.flatMap({ ValuePath($0) }),
      let action = DraftForm.Action(rawValue: action ?? "set"), action.hasEditor
    else { throw EditPage.noPlace }
    (self.path, self.action) = (path, action)
    let address = ClassAddress(position, in: view.schema)
    forms = EditForms(
      editing: editing, urls: pages.urls, address: address,
      target: pages.own(target) ?? pages.urls.object(key, of: address))
    edit = try DraftEdit(status.state, view)
  }

  private static let noPlace = ErrorPage.NotFound(what: "there is no value to edit at this place")

  // MARK: The page

  /// - Throws: ``ErrorPage/NotFound`` if there is no value at the place; the errors of reading.
  var response: HTTPResponse {
    get throws { try response(nil) }
  }

  /// The page again, after an error.
  ///
  /// - Parameter entered: what the user entered.
  func response(
    problem: Problem?, entered: FormFields?, status: Int = 200
  ) throws -> HTTPResponse {
    try response(problem.map { Failure(problem: $0, status: status) }, entered)
  }

  private struct Failure {
    let problem: Problem
    let status: Int
  }

  /// The identifier of the element with the error.
  private static let problemID = "edit-problem"

  private func response(_ failure: Failure?, _ entered: FormFields? = nil) throws -> HTTPResponse {
    let (address, batch) = try edit.object(key, ofClassAt: position)
    guard let first = path.steps.first, owner.properties.indices.contains(first),
      let kind = try editedKind(), !kind.isEmbedded || action == .rename || action == .entry
    else { throw EditPage.noPlace }
    let property = owner.properties[first]
    let digest = try edit.digest(edit.stored.value(first, of: batch), of: property)
    let place = EditForms.Place(key: key, path: path, digest: digest)
    let title = try self.title(kind)
    var form = HTML()
    if let failure {
      form.element("div", ["id": EditPage.problemID]) { ErrorPage.add(failure.problem, to: &$0) }
    }
    try forms.form(
      action.rawValue, place, sendsFiles: kind.takesFiles, ["class": "editor"], to: &form
    ) { html in
      let name = action == .set || action == .rename ? "Set" : "Add"
      EditForms.addDefaultButton(name, to: &html)
      try fields(kind, failure == nil ? nil : EditPage.problemID, entered, to: &html)
      html.element("p", ["class": "actions"]) { html in
        html.element("button", ["type": "submit"], name)
        html.element("a", ["href": forms.target, "class": "cancel"], "Cancel")
      }
    }
    let status = failure?.status ?? 200
    if pages.query["part"] != nil {
      var part = HTML()
      part.element("section", ["class": "part", "aria-label": title]) { html in
        html.element("h2", title)
        html.add(form)
      }
      return .html(part.bytes, status: status)
    }
    let name = edit.text(address.identity)
    let crumbs = [
      Page.Crumb(text: owner.name.text, target: pages.urls.objects(of: forms.address)),
      Page.Crumb(text: name, target: pages.urls.object(key, of: forms.address)),
      Page.Crumb(text: "Edit", target: nil),
    ]
    let candidates = try candidates(kind)
    return .html(
      pages.page(title, nil, crumbs: crumbs, view: view).html { html in
        html.element("h1", title)
        if let candidates { search(candidates.text, to: &html) }
        html.add(form)
      }, status: status)
  }

  /// What is edited: the value at the path, or a new element of the collection there.
  private func editedKind() throws -> ValueKind? {
    switch action {
    case .insert:
      let parent = ValuePath(path.steps.dropLast())
      guard !parent.steps.isEmpty,
        let place = try edit.place(parent, of: key, ofClassAt: position),
        place.value.elements != nil
      else { return nil }
      return ValueKind(place.property, isElement: true, in: view.schema)
    case .entry:
      guard let place = try edit.place(path, of: key, ofClassAt: position),
        case .dictionary = place.value
      else { return nil }
      return ValueKind(place.property, isElement: true, in: view.schema)
    default:
      guard let place = try edit.place(path, of: key, ofClassAt: position) else { return nil }
      let kind = ValueKind(place.property, isElement: place.isElement, in: view.schema)
      return kind.collection == nil ? kind : nil
    }
  }

  private func title(_ kind: ValueKind) throws -> String {
    let name = kind.property.name.text
    switch action {
    case .insert: return "New element of \(name)"
    case .entry: return "New entry of \(name)"
    case .rename: return "Rename a key of \(name)"
    default: return kind.isElement ? "Edit an element of \(name)" : "Edit \(name)"
    }
  }

  private func fields(
    _ kind: ValueKind, _ problem: String?, _ entered: FormFields?, to html: inout HTML
  ) throws {
    let place = try edit.place(path, of: key, ofClassAt: position)
    if action == .rename || action == .entry {
      var name = ""
      if action == .rename, case .dictionary(let key)? = place?.parent { name = key.string ?? "" }
      name = entered?["name"] ?? name
      html.element("label", ["for": "name"], "Key")
      let attributes: HTML.Attributes = [
        "name": "name", "id": "name", "autocomplete": "off", "spellcheck": "false",
        "aria-invalid": problem == nil ? nil : "true", "aria-describedby": problem,
      ]
      if ValueFields.needsLines(name) {
        html.element("textarea", attributes.with(["rows": "2"])) { $0.verbatim("\n" + name) }
      } else {
        html.void("input", attributes.with(["type": "text", "value": name]))
      }
    }
    guard action != .rename else { return }
    if kind.isEmbedded { return EditForms.hidden("null", "1", to: &html) }
    if let candidates = try candidates(kind), !candidates.found.isEmpty {
      return choices(candidates.found, to: &html)
    }
    ValueFields(
      kind: kind, schema: view.schema, label: "Value",
      value: action == .set ? place?.value : nil, entered: entered, problem: problem,
      picker: { pages.urls.page(of: $0, "pick.json") }
    ).add(to: &html)
  }

  // MARK: Picking the target of a link

  /// The objects that a search found; nil if no link is edited.
  private func candidates(
    _ kind: ValueKind
  ) throws -> (text: String, found: [LinkPicker.Candidate])? {
    guard kind.property.type == .link, !kind.isEmbedded, action != .rename,
      let target = kind.property.target
    else { return nil }
    guard let text = pages.request.query.items.first(where: { $0.name == "pick" })?.value else {
      return ("", [])
    }
    return (text, try LinkPicker(pages, view, target).candidates(text))
  }

  /// A search for the target of a link, for browsers without scripts.
  private func search(_ text: String, to html: inout HTML) {
    html.element("form", ["method": "get", "role": "search", "class": "pick"]) { html in
      for item in pages.query.without("pick", "part").items {
        EditForms.hidden(item.name, item.value, to: &html)
      }
      html.element("label", ["for": "pick"], "Search for an object")
      html.void(
        "input",
        ["type": "text", "name": "pick", "id": "pick", "value": text, "autocomplete": "off"])
      html.element("button", ["type": "submit", "class": "small"], "Search")
    }
  }

  private func choices(_ found: [LinkPicker.Candidate], to html: inout HTML) {
    html.element("fieldset") { html in
      html.element("legend", "The target of the link")
      for (i, candidate) in found.enumerated() {
        html.element("label") { html in
          html.void(
            "input",
            [
              "type": "radio", "name": "value", "value": candidate.text,
              "checked": i == 0 ? "" : nil,
            ])
          html.text(candidate.label)
        }
      }
    }
  }
}

extension DraftForm.Action {
  /// Whether the edit needs something that the user enters.
  var hasEditor: Bool {
    switch self {
    case .set, .insert, .entry, .rename: true
    default: false
    }
  }
}

extension ValueKind {
  /// Whether a value can come from a file.
  var takesFiles: Bool { property.type == .binary || property.type == .mixed }
}

extension RealmPages {
  /// The page of this realm to go back to; nil for any other address.
  func own(_ target: String?) -> String? {
    target.flatMap { $0.hasPrefix("/\(number)/") && !$0.contains { $0.isNewline } ? $0 : nil }
  }
}
