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
  static let linksPerPage = 50
  static let linkLimit = 100_000

  let pages: RealmPages
  let view: RealmView
  let position: Int
  let key: ObjectKey
  let address: ClassAddress
  let owner: ObjectClass
  /// The draft that is laid over the realm; nil if objects are only shown.
  let draft: DraftState?
  /// What the draft does to the object.
  let change: DraftObject?

  /// - Throws: ``ErrorPage/NotFound`` if the object does not exist; the errors of a kept draft, and of reading.
  init(_ pages: RealmPages, _ view: RealmView, _ position: Int, _ key: ObjectKey) throws {
    (self.pages, self.view, self.position, self.key) = (pages, view, position, key)
    (address, owner) = (ClassAddress(position, in: view.schema), view.schema.classes[position])
    draft = try pages.drafted(view)?.state
    change = draft?.object(key, ofClassAt: position)
    guard change?.batch == nil else { return }
    let fetcher = try ObjectFetcher(view.realm, ObjectPage.request(owner, .stop))
    guard try fetcher.contains(key, of: view.table(position)) else {
      throw ErrorPage.NotFound(what: "the class has no object with this key")
    }
  }

  static func request(
    _ owner: ObjectClass, _ damage: ObjectRequest.Damage
  ) -> ObjectRequest {
    var request = ObjectRequest()
    request.damage = damage
    if owner.kind == .embedded { request.embedded = .asClass }
    return request
  }

  /// The object as it is in the draft, in row 0.
  private func batch(_ damage: ObjectRequest.Damage) throws(RealmFileError) -> ObjectBatch {
    if let batch = change?.batch { return batch }
    return try ObjectFetcher(view.realm, ObjectPage.request(owner, damage))
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
        content = try self.content(try batch(.stop), isEditable: true)
      } catch {
        guard error.isDamage else { throw error }
        damage = pages.reports.problem(error)
        content = try self.content(try batch(.leaveOut), isEditable: false)
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
          header(to: &html)
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

  private func content(
    _ batch: ObjectBatch, isEditable: Bool
  ) throws(RealmFileError) -> HTML {
    var html = HTML()
    let targets = try draft.map { (draft) throws(RealmFileError) in try LinkTargets(draft, view) }
    let controls = isEditable ? try self.controls(batch) : nil
    var writer = ValueWriter(pages.urls, view.schema, targets, controls)
    guard let text = pages.query["at"] else {
      try writer.properties(
        of: batch, 0, at: ValuePath([]), of: valueOwner, level: 0, to: &html)
      return html
    }
    guard let path = ValuePath(text) else { return html }
    let from = pages.query.number("from") ?? 0
    let kind = ValueKind(at: path, ofClassAt: position, in: view.schema)
    let found: Void? = try path.withValue(in: batch) { (value) throws(RealmFileError) in
      guard let kind else { return }
      try writer.full(
        value, kind, at: path, of: valueOwner, from: from, isAlone: true, to: &html)
      controls?.add(to: value, kind, at: path, &html)
    }
    if found == nil { html.element("p", ["class": "null"], "There is no such value.") }
    return html
  }

  /// The primary key, or the object key.
  private func name() throws(RealmFileError) -> String {
    guard let primaryKey = owner.primaryKey else { return "\(key.raw)" }
    if let batch = change?.batch { return name(in: batch, key, owner) }
    var request = ObjectPage.request(owner, .leaveOut)
    request.properties = [position: [primaryKey]]
    let batch = try ObjectFetcher(view.realm, request).fetch([key], of: view.table(position))
    return name(in: batch, key, owner)
  }

  /// The primary key of the object in row 0, or its object key.
  func name(in batch: ObjectBatch?, _ key: ObjectKey, _ owner: ObjectClass) -> String {
    var writer = ValueWriter(pages.urls, view.schema)
    guard let primaryKey = owner.primaryKey, let column = batch?.columns[primaryKey],
      case .scalar(let value) = ShownValue(column, 0)
    else { return "\(key.raw)" }
    return writer.text(of: value, limit: 80)
  }

  /// The names of the properties on the way to a value, and the numbers of elements.
  private func place(of path: ValuePath) -> String {
    guard let first = path.steps.first, first < owner.properties.count else { return path.text }
    return ([owner.properties[first].name.text] + path.steps.dropFirst().map { "\($0)" })
      .joined(separator: " › ")
  }

  // MARK: Other forms

  /// The object in the form of Realm JSON.
  var json: HTTPResponse {
    get throws {
      guard change?.kind != .added else {
        throw ErrorPage.NotFound(what: "the draft adds this object; the realm does not have it yet")
      }
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
