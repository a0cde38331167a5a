import RealmModel
import RealmStorage

/// The form that sets a property of all objects that a query finds, or deletes them.
struct FoundPage {
  private let pages: RealmPages
  private let view: RealmView
  private let position: Int
  private let owner: ObjectClass
  private let forms: EditForms
  private let query: String
  private let isDeletion: Bool

  /// - Throws: ``ErrorPage/NotFound`` if objects of the class cannot be edited.
  init(
    _ pages: RealmPages, _ view: RealmView, _ position: Int, query: String, isDeletion: Bool
  ) throws {
    (self.pages, self.view, self.position) = (pages, view, position)
    (self.query, self.isDeletion) = (query, isDeletion)
    owner = view.schema.classes[position]
    guard try pages.draft != nil, let editing = pages.site.editing, owner.kind == .topLevel else {
      throw RealmPages.noSuchPage
    }
    let address = ClassAddress(position, in: view.schema)
    let shown = URLQuery(query.isEmpty ? [] : [("q", query)])
    forms = EditForms(
      editing: editing, urls: pages.urls, address: address,
      target: pages.urls.objects(of: address, shown))
  }

  private static let problemID = "edit-problem"

  /// The page, or the page again after an error.
  ///
  /// - Parameter entered: what the user entered.
  /// - Throws: an error in the query; the errors of reading.
  func response(
    problem: Problem? = nil, entered: FormFields? = nil, status: Int = 200
  ) throws -> HTTPResponse {
    guard let draft = try pages.draft else { throw RealmPages.noSuchPage }
    let laid = try pages.laidOver(view, draft)
    let found = try ClassQuery(
      query, sort: nil, isDescending: false, ofClassAt: position, in: laid.schema
    ).matching(laid, jobs: pages.realm.jobs).count
    let objects = ValueWriter.count(found, "object")
    let title = isDeletion ? "Delete \(objects)" : "Set for \(objects)"
    let crumbs = [
      Page.Crumb(text: owner.name.text, target: forms.target),
      Page.Crumb(text: isDeletion ? "Delete all found" : "Set for all found", target: nil),
    ]
    return .html(
      pages.page(title, nil, crumbs: crumbs, view: view).html { html in
        html.element("h1", title)
        html.element("p") { html in
          html.text(query.isEmpty ? "All objects of \(owner.name.text)." : "All that this finds: ")
          if !query.isEmpty { html.element("code", query) }
        }
        html.element(
          "p", ["class": "type"],
          "The query finds objects of the realm with the draft. If it finds another number when you confirm, nothing changes."
        )
        if let problem {
          html.element("div", ["id": FoundPage.problemID]) { ErrorPage.add(problem, to: &$0) }
        }
        forms.form(
          isDeletion ? "deleteFound" : "setFound", EditForms.Place(), ["class": "editor"], to: &html
        ) { html in
          EditForms.hidden("q", query, to: &html)
          EditForms.hidden("expected", "\(found)", to: &html)
          if !isDeletion { assignment(problem, entered, to: &html) }
          html.element("p", ["class": "actions"]) { html in
            html.element("button", ["type": "submit"], title)
            html.element("a", ["href": forms.target, "class": "cancel"], "Cancel")
          }
        }
      }, status: status)
  }

  private func assignment(_ problem: Problem?, _ entered: FormFields?, to html: inout HTML) {
    html.element("label", ["for": "set"], "Property = expression")
    html.void(
      "input",
      [
        "type": "text", "name": "set", "id": "set", "value": entered?["set"] ?? "",
        "required": "", "placeholder": examples.first, "autocomplete": "off",
        "spellcheck": "false", "aria-invalid": problem == nil ? nil : "true",
        "aria-describedby": problem == nil ? nil : FoundPage.problemID,
      ])
    html.element("p", ["class": "type"]) { html in
      html.text("For example ")
      for (i, example) in examples.enumerated() {
        if i > 0 { html.text(", ") }
        html.element("code", example)
      }
      html.text(".")
    }
  }

  /// Assignments that this class can have.
  private var examples: [String] {
    var examples: [String] = []
    for (position, property) in owner.properties.enumerated()
    where property.collection == nil && position != owner.primaryKey {
      let name = property.name.text
      switch property.type {
      case .int, .double, .float: examples.append("\(name) = \(name) + 1")
      case .string: examples.append("\(name) = \"new\"")
      case .bool: examples.append("\(name) = true")
      default: if property.isOptional { examples.append("\(name) = null") }
      }
    }
    return examples.isEmpty ? ["property = value"] : Array(examples.prefix(3))
  }
}
