import RealmInterchange
import RealmModel
import RealmStorage

/// An object with all its values, the objects that link to it, or one of its values alone.
struct ObjectPage {
  /// Elements of a collection, bytes of a string and of a binary on a page of their own.
  static let elementsPerPage = 100
  static let stringByteCount = 100_000
  static let binaryByteCount = 4096
  /// Number of links from other objects on a page, and the most that are looked at of a property.
  private static let linksPerPage = 50
  private static let linkLimit = 100_000

  private let pages: RealmPages
  private let view: RealmView
  private let position: Int
  private let key: ObjectKey
  private let address: ClassAddress
  private let owner: ObjectClass

  /// - Throws: ``ErrorPage/NotFound`` if the object does not exist; the errors of reading.
  init(_ pages: RealmPages, _ view: RealmView, _ position: Int, _ key: ObjectKey) throws {
    (self.pages, self.view, self.position, self.key) = (pages, view, position, key)
    (address, owner) = (ClassAddress(position, in: view.schema), view.schema.classes[position])
    let fetcher = try ObjectFetcher(view.realm, ObjectPage.request(owner, .stop))
    guard try fetcher.contains(key, of: view.table(position)) else {
      throw ErrorPage.NotFound(what: "the class has no object with this key")
    }
  }

  private static func request(
    _ owner: ObjectClass, _ damage: ObjectRequest.Damage
  ) -> ObjectRequest {
    var request = ObjectRequest()
    request.damage = damage
    if owner.kind == .embedded { request.embedded = .asClass }
    return request
  }

  private func batch(_ damage: ObjectRequest.Damage) throws(RealmFileError) -> ObjectBatch {
    try ObjectFetcher(view.realm, ObjectPage.request(owner, damage))
      .fetch([key], of: view.table(position))
  }

  private var valueOwner: ValueWriter.Owner { ValueWriter.Owner(key: key, address: address) }

  // MARK: The page

  /// - Throws: the errors of reading.
  var response: HTTPResponse {
    get throws {
      var damage: Problem?
      let content: HTML
      do throws(RealmFileError) {
        content = try self.content(try batch(.stop))
      } catch {
        guard error.isDamage else { throw error }
        damage = pages.reports.problem(error)
        content = try self.content(try batch(.leaveOut))
      }
      let backlinks = pages.query["at"] == nil ? try self.backlinks() : HTML()
      let title = "\(owner.name.text) \(try name())"
      var crumbs = [
        Page.Crumb(text: owner.name.text, target: pages.urls.objects(of: address)),
        Page.Crumb(
          text: try name(),
          target: pages.query["at"] == nil ? nil : pages.urls.object(key, of: address)),
      ]
      if let path = pages.query["at"].flatMap({ ValuePath($0) }) {
        crumbs.append(Page.Crumb(text: place(of: path), target: nil))
      }
      return .html(
        pages.page(title, nil, crumbs: crumbs, view: view).html { html in
          html.element("h1") { html in
            html.text(title)
            html.element("span", ["class": "type"], "object key \(key.raw)")
          }
          if let damage {
            ErrorPage.add(damage, to: &html)
            html.element("p", ["class": "notice"], "Values that cannot be read are shown as null.")
          }
          html.add(content)
          html.add(backlinks)
          html.element("p", ["class": "pages"]) {
            $0.element("a", ["href": pages.urls.object(key, of: address).jsonTarget], "JSON")
          }
        })
    }
  }

  private func content(_ batch: ObjectBatch) throws(RealmFileError) -> HTML {
    var html = HTML()
    var writer = ValueWriter(pages.urls, view.schema)
    guard let text = pages.query["at"] else {
      try writer.properties(
        of: batch, 0, at: ValuePath([]), of: valueOwner, level: 0, to: &html)
      return html
    }
    guard let path = ValuePath(text) else { return html }
    let from = pages.query.number("from") ?? 0
    let found: Void? = try path.withValue(in: batch) { (value) throws(RealmFileError) in
      try writer.full(
        value, at: path, of: valueOwner, from: from, isAlone: true, to: &html)
    }
    if found == nil { html.element("p", ["class": "null"], "There is no such value.") }
    return html
  }

  /// The primary key, or the object key.
  private func name() throws(RealmFileError) -> String {
    guard let primaryKey = owner.primaryKey else { return "\(key.raw)" }
    var request = ObjectPage.request(owner, .leaveOut)
    request.properties = [position: [primaryKey]]
    let batch = try ObjectFetcher(view.realm, request).fetch([key], of: view.table(position))
    var writer = ValueWriter(pages.urls, view.schema)
    guard let column = batch.columns[primaryKey], case .scalar(let value) = ShownValue(column, 0)
    else { return "\(key.raw)" }
    return writer.text(of: value, limit: 80)
  }

  /// The names of the properties on the way to a value, and the numbers of elements.
  private func place(of path: ValuePath) -> String {
    guard let first = path.steps.first, first < owner.properties.count else { return path.text }
    return ([owner.properties[first].name.text] + path.steps.dropFirst().map { "\($0)" })
      .joined(separator: " › ")
  }

  // MARK: Links from other objects

  private func backlinks() throws(RealmFileError) -> HTML {
    var html = HTML()
    let table = view.table(position)
    guard !table.backlinkColumns.isEmpty else { return html }
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
        list(found, from: origin, number, to: &html)
      }
    }
    guard !html.bytes.isEmpty else { return html }
    var section = HTML()
    section.element("section", ["class": "backlinks", "id": "links"]) { section in
      section.element("h2", owner.kind == .embedded ? "Part of" : "Linked from")
      section.add(html)
    }
    return section
  }

  /// Adds the objects of `origin` with links to this one.
  ///
  /// - Parameter number: position of the property among those with links to the class.
  private func list(
    _ keys: [ObjectKey], from origin: Table, _ number: Int, to html: inout HTML
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
          html.element("a", ["href": pages.urls.object(key, of: address), "class": "link"], name)
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

  // MARK: Other forms

  /// The object in the form of Realm JSON.
  var json: HTTPResponse {
    get throws {
      var request = ObjectRequest()
      if owner.kind == .embedded { request.embedded = .asClass }
      let source = KeyedSource(view.realm, request, classPosition: position, keys: [key])
      return Download.response(.ndjson, source, of: view, contentType: "application/json")
    }
  }

  /// The bytes of a string or binary.
  ///
  /// - Throws: ``ErrorPage/NotFound`` for any other value.
  var value: HTTPResponse {
    get throws {
      guard let path = pages.query["at"].flatMap({ ValuePath($0) }) else {
        throw RealmPages.noSuchPage
      }
      let found = try path.withValue(in: try batch(.leaveOut)) { value -> HTTPResponse? in
        guard case .scalar(let scalar) = value else { return nil }
        switch scalar {
        case .string(let bytes):
          return HTTPResponse(.bytes(bytes.bytes), contentType: "text/plain; charset=utf-8")
        case .binary(let bytes):
          guard let picture = PictureType(bytes) else {
            var response = HTTPResponse(
              .bytes(bytes.bytes), contentType: "application/octet-stream")
            response.fields = [("Content-Disposition", "attachment; filename=\"value.bin\"")]
            return response
          }
          return HTTPResponse(.bytes(bytes.bytes), contentType: picture.contentType)
        default: return nil
        }
      }
      guard var response = found ?? nil else {
        throw ErrorPage.NotFound(what: "the object has no string or binary at this place")
      }
      // Whatever a realm contains, it is not a page of ours.
      response.fields.append(("Content-Security-Policy", "default-src 'none'; sandbox"))
      return response
    }
  }
}

extension String {
  /// The URL of the same page as JSON.
  var jsonTarget: String {
    let parts = split(separator: "?", maxSplits: 1)
    return "\(parts[0]).json" + (parts.count > 1 ? "?\(parts[1])" : "")
  }
}
