import RealmModel
import RealmStorage

/// The objects that link to the object.
extension ObjectPage {
  func backlinks() throws(RealmFileError) -> HTML {
    let links = try draftLinks()
    var html = try storedLinks(links?.lost ?? [])
    if let links, !links.gained.isEmpty { list(links.gained, to: &html) }
    guard !html.bytes.isEmpty else { return html }
    var section = HTML()
    section.element("section", ["class": "backlinks", "id": "links"]) { section in
      section.element("h2", owner.kind == .embedded ? "Part of" : "Linked from")
      section.add(html)
    }
    return section
  }

  /// How the draft changes the links to the object; nil without a draft.
  private func draftLinks() throws(RealmFileError) -> DraftLinks? {
    guard let draft, !draft.isEmpty, owner.kind == .topLevel else { return nil }
    if let change { return DraftLinks(to: change.address, in: draft) }
    return DraftLinks(to: try StoredObjects(view).address(key, position), in: draft)
  }

  /// Adds the objects with links to this one that only the draft has.
  private func list(_ links: [DraftLinks.Link], to html: inout HTML) {
    html.element("section") { html in
      html.element("h3") { html in
        html.text("Draft")
        html.element(
          "span", ["class": "type"], ValueWriter.count(links.count, "link") + " not saved yet")
      }
      html.element("ul", ["class": "linked"]) { html in
        for link in links.prefix(ObjectPage.linksPerPage) {
          let origin = view.schema.classes[link.object.classPosition]
          html.element("li", ["class": "changed"]) { html in
            html.element(
              "a",
              [
                "href": pages.urls.object(
                  link.object.key, of: ClassAddress(link.object.classPosition, in: view.schema)),
                "class": "link",
              ], name(in: link.object.batch, link.object.key, origin))
            html.element(
              "span", ["class": "type"],
              "\(origin.name.text).\(origin.properties[link.property].name.text)")
          }
        }
      }
      if links.count > ObjectPage.linksPerPage {
        html.element(
          "p", ["class": "type"], "and \((links.count - ObjectPage.linksPerPage).grouped) more")
      }
    }
  }

  /// The stored links to the object.
  ///
  /// - Parameter lost: those that the draft ends.
  private func storedLinks(_ lost: [DraftLinks.Link]) throws(RealmFileError) -> HTML {
    var html = HTML()
    let table = view.table(position)
    guard change?.kind != .added, !table.backlinkColumns.isEmpty else { return html }
    let reader = try PropertyReader(view.realm)
    let mark = reader.mark()
    defer { reader.release(to: mark) }
    let rows = try reader.rows([key], of: table)
    for (number, column) in table.backlinkColumns.enumerated() {
      guard let origin = view.realm.schema.table(column.origin), origin.isClass,
        let property = origin.columns.first(where: { $0.key == column.originColumn })
      else { continue }
      let count = try reader.backlinkCounts(column, rows).first ?? 0
      guard count > 0 else { continue }
      let found = try reader.backlinks(column, rows, limit: ObjectPage.linkLimit)?.keys
      html.element("section") { html in
        html.element("h3") { html in
          html.text("\(origin.className.text).\(property.name.text)")
          html.element("span", ["class": "type"], ValueWriter.count(count, "link"))
        }
        guard let found else {
          html.element("p", ["class": "null"], "More links than a page can list.")
          return
        }
        let ended = Set(
          lost.filter { $0.object.classPosition == origin.position }
            .filter { origin.columns[$0.property].key == column.originColumn }.map(\.object.key))
        list(found, from: origin, number, ended, to: &html)
      }
    }
    return html
  }

  /// Adds the objects of `origin` with links to this one.
  ///
  /// - Parameters:
  ///   - number: position of the property among those with links to the class.
  ///   - ended: the objects that have no such link any more in the draft.
  private func list(
    _ keys: [ObjectKey], from origin: Table, _ number: Int, _ ended: Set<ObjectKey>,
    to html: inout HTML
  ) {
    let isWanted = pages.query.number("links") == number
    let wanted = isWanted ? pages.query.number("from") ?? 0 : 0
    let from = wanted < keys.count ? wanted : 0
    let address = ClassAddress(origin.position, in: view.schema)
    let shown = Array(keys.dropFirst(from).prefix(ObjectPage.linksPerPage))
    var damage: Problem?
    let names = names(of: shown, origin, &damage)
    if let damage { ErrorPage.add(damage, to: &html) }
    html.element("ul", ["class": "linked"]) { html in
      for (key, name) in zip(shown, names) {
        html.element("li") { html in
          let isEnded = ended.contains(key)
          html.element(
            "a",
            [
              "href": pages.urls.object(key, of: address),
              "class": isEnded ? "link removed" : "link",
              "title": isEnded ? "does not link here any more in the draft" : nil,
            ], name)
        }
      }
    }
    ClassPage.navigation(from, keys.count, ObjectPage.linksPerPage, to: &html) { from in
      pages.urls.object(
        self.key, of: self.address,
        pages.query.with("links", "\(number)").with("from", from == 0 ? nil : "\(from)")) + "#links"
    }
  }

  /// The primary keys of objects, or their object keys.
  ///
  /// - Parameter damage: the error, if the primary keys cannot be read.
  private func names(
    of keys: [ObjectKey], _ origin: Table, _ damage: inout Problem?
  ) -> [String] {
    var names = keys.map { "\(origin.className.text) \($0.raw)" }
    guard let primaryKey = origin.primaryKey else { return names }
    var request = ObjectRequest()
    request.properties = [origin.position: [primaryKey]]
    var writer = ValueWriter(pages.urls, view.schema)
    do {
      let batch = try ObjectFetcher(view.realm, request).fetch(keys, of: origin)
      guard let column = batch.columns[primaryKey], batch.count == keys.count else { return names }
      for row in 0..<batch.count {
        if case .scalar(let value) = ShownValue(column, row) {
          names[row] = writer.text(of: value, limit: 80)
        }
      }
    } catch {
      damage = pages.reports.problem(error)
    }
    return names
  }
}
