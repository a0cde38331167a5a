import RealmModel

/// What the table of a class has besides, if objects can be edited.
extension ClassPage {
  /// The keys of the objects that the draft adds.
  var addedKeys: [ObjectKey] { draft?.addedKeys(ofClassAt: position) ?? [] }

  private var forms: EditForms? {
    guard draft != nil, let editing = pages.site.editing else { return nil }
    return EditForms(
      editing: editing, urls: pages.urls, address: address, target: pages.request.target)
  }

  // MARK: Above the table

  /// How many objects the draft adds, changes and removes, behind their number.
  var draftCounts: String {
    guard let counts = draft?.counts(ofClassAt: position) else { return "" }
    let parts = [
      (counts.added, "added"), (counts.changed, "changed"), (counts.removed, "removed"),
    ].filter { $0.0 > 0 }.map { "\($0.0.grouped) \($0.1)" }
    return parts.isEmpty ? "" : "; draft: \(parts.joined(separator: ", "))"
  }

  /// Adds the links to pages that edit objects, and what the page does not know.
  func editing(_ chosen: Chosen, to html: inout HTML) {
    guard let draft else { return }
    let found = URLQuery(chosen.query.text.isEmpty ? [] : [("q", chosen.query.text)])
    html.element("p", ["class": "pages actions"]) { html in
      html.element("a", ["href": pages.urls.page(of: address, "new")], "New")
      html.element(
        "a", ["href": pages.urls.page(of: address, "found", query: found)], "Set for all found")
      html.element(
        "a",
        ["href": pages.urls.page(of: address, "found", query: found.with("do", "delete"))],
        "Delete all found")
    }
    let counts = draft.counts(ofClassAt: position)
    guard counts.added + counts.changed + counts.removed > 0,
      !chosen.query.text.isEmpty || chosen.query.sort != nil || !query.all("facet").isEmpty
    else { return }
    html.element(
      "p", ["class": "notice"],
      "The query, the order, facets and downloads are those of the realm without the draft. Objects that the draft adds come first."
    )
  }

  // MARK: The table

  /// Adds a form around the table, to delete the chosen rows.
  func chooser(to html: inout HTML, _ content: (inout HTML) -> Void) {
    guard let forms else { return content(&html) }
    forms.form("delete", EditForms.Place(), ["class": "chooser"], to: &html) { html in
      content(&html)
      html.element("p", ["class": "actions"]) {
        $0.element("button", ["type": "submit", "class": "small"], "Delete chosen rows")
      }
    }
  }

  /// Adds what chooses a row.
  func choice(_ row: TableRow, _ name: String, to html: inout HTML) {
    guard draft != nil else { return }
    if row.change?.kind != .removed {
      html.void(
        "input",
        [
          "type": "checkbox", "name": "key", "value": "\(row.key.raw)",
          "aria-label": "choose \(name)",
        ])
    }
    if let kind = row.change?.kind, kind != .changed {
      html.element("span", ["class": "hidden"], "\(kind.rawValue): ")
    }
  }

  /// The attributes of a cell: whether the draft changes it, what it was, and where it is edited.
  func attributes(
    of column: TableColumn, _ row: TableRow, _ stored: String?
  ) -> HTML.Attributes {
    let number = column.isNumber ? "number" : nil
    guard draft != nil else { return ["class": number] }
    var target: String?
    var isEditor = false
    if case .property(let property) = column.source, row.change?.kind != .removed {
      let kind = ValueKind(owner.properties[property], in: view.schema)
      let path = ValuePath([property])
      isEditor = kind.collection == nil && !kind.isEmbedded
      let query = URLQuery([("at", path.text)])
      target =
        isEditor
        ? pages.urls.editor(row.key, of: address, query)
        : pages.urls.object(row.key, of: address, query)
    }
    return [
      "class": stored == nil ? number : number == nil ? "changed" : "number changed",
      "title": stored.map { "stored: \($0)" }, "data-edit": isEditor ? target : nil,
      "data-open": isEditor ? nil : target,
    ]
  }

  /// Adds the stored value of a changed cell for people who do not see the mark.
  static func add(stored: String, to html: inout HTML) {
    html.element("span", ["class": "hidden"], " (changed, stored: \(stored))")
  }
}

extension DraftObject.Kind {
  /// The class of a row of a table; nil for a row with single changed cells.
  var rowClass: String? { self == .changed ? nil : rawValue }
}
