import RealmMigration
import RealmModel
import RealmStorage

/// The form for a new object, or for a duplicate of one that needs another primary key.
struct NewObjectPage {
  private let pages: RealmPages
  private let view: RealmView
  private let position: Int
  private let owner: ObjectClass
  private let forms: EditForms
  /// The object to duplicate; nil for a new one.
  private let source: ObjectKey?

  /// - Parameter source: the key of the object to duplicate; nil for a new one.
  /// - Throws: ``ErrorPage/NotFound`` if objects of the class cannot be added.
  init(_ pages: RealmPages, _ view: RealmView, _ position: Int, copying source: ObjectKey?) throws {
    (self.pages, self.view, self.position, self.source) = (pages, view, position, source)
    owner = view.schema.classes[position]
    guard try pages.draft != nil, let editing = pages.site.editing, owner.kind == .topLevel else {
      throw RealmPages.noSuchPage
    }
    let address = ClassAddress(position, in: view.schema)
    forms = EditForms(
      editing: editing, urls: pages.urls, address: address, target: pages.urls.objects(of: address))
  }

  private static let problemID = "edit-problem"

  /// The page, or the page again after an error.
  ///
  /// - Parameter entered: what the user entered.
  /// - Throws: the errors of reading.
  func response(
    problem: Problem? = nil, entered: FormFields? = nil, status: Int = 200
  ) throws -> HTTPResponse {
    let title = source == nil ? "New \(owner.name.text)" : "Duplicate \(owner.name.text)"
    let crumbs = [
      Page.Crumb(text: owner.name.text, target: forms.target),
      Page.Crumb(text: source == nil ? "New" : "Duplicate", target: nil),
    ]
    let shown = source == nil ? Array(owner.properties.indices) : [owner.primaryKey ?? 0]
    let editable = shown.map { ($0, ValueKind(owner.properties[$0], in: view.schema)) }
      .filter { $0.1.collection == nil && !$0.1.isEmbedded }
    var form = HTML()
    try forms.form(
      source == nil ? "create" : "duplicate", EditForms.Place(key: source),
      sendsFiles: editable.contains { $0.1.takesFiles }, ["class": "editor"], to: &form
    ) { html in
      let button = source == nil ? "Add" : "Duplicate"
      EditForms.addDefaultButton(button, to: &html)
      for (property, kind) in editable {
        try html.element("fieldset") { html in
          let name = kind.property.name.text
          html.element("legend") { html in
            html.element("span", ["class": "name"], name)
            html.element("span", ["class": "type"], kind.property.notation(in: owner, view.schema))
          }
          ValueFields(
            kind: kind, schema: view.schema, suffix: source == nil ? "\(property)" : "",
            label: name, value: try value(property, kind), entered: entered,
            problem: problem == nil ? nil : NewObjectPage.problemID,
            picker: { pages.urls.page(of: $0, "pick.json") }
          ).add(to: &html)
        }
      }
      html.element("p", ["class": "actions"]) { html in
        html.element("button", ["type": "submit"], button)
        html.element("a", ["href": forms.target, "class": "cancel"], "Cancel")
      }
    }
    let hasParts = source == nil && editable.count < shown.count
    return .html(
      pages.page(title, nil, crumbs: crumbs, view: view).html { html in
        html.element("h1", title)
        if let problem {
          html.element("div", ["id": NewObjectPage.problemID]) { ErrorPage.add(problem, to: &$0) }
        }
        html.add(form)
        if hasParts {
          html.element(
            "p", ["class": "type"],
            "Collections and embedded objects are edited on the page of the object.")
        }
      }, status: status)
  }

  /// What a field shows at first: the default of the property, and a new primary key of a type that is made.
  private func value(_ property: Int, _ kind: ValueKind) throws(RealmFileError) -> RealmValue? {
    guard property == owner.primaryKey else {
      return try BatchColumn(kind.property.defaultValues(count: 1)).value(at: 0)
    }
    switch kind.property.type {
    case .objectId: return .objectId(MigrationClock().makeObjectId())
    case .uuid: return .uuid(MigrationClock().makeUUID())
    default: return nil
    }
  }
}
