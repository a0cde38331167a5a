import RealmInterchange
import RealmJobs
import RealmModel
import RealmStorage

/// The pages of one realm.
struct RealmPages {
  let site: BrowseSite
  let number: Int
  let request: HTTPRequest

  init(_ site: BrowseSite, _ number: Int, _ request: HTTPRequest) {
    (self.site, self.number, self.request) = (site, number, request)
  }

  var realm: BrowsedRealm { site.realms[number] }
  var reports: any BrowseReports { site.reports }
  var query: URLQuery { request.query }
  var version: Snapshot.Version { request.version }
  var urls: RealmURLs { RealmURLs(number: number, version: version) }

  /// - Parameter path: the path behind the number of the realm.
  /// - Throws: ``ErrorPage/NotFound``; the errors of opening and reading the realm.
  func response(_ path: [String]) throws -> HTTPResponse {
    if path.count == 1 {
      switch path[0] {
      case "": return try RealmPage(self).response
      case "index.json":
        return .json(try reports.json(try realm.info(version, withDetail: true)))
      case "stats": return try StatsPage(self).response
      case "stats.json": return try StatsPage(self).json
      case "verify": return try VerifyPage(self).response
      case "verify.json": return try VerifyPage(self).json
      case "schema": return try SchemaPage(self).response
      case "schema.json": return try SchemaPage(self).json
      case "changes": return try ChangesPage(self).response
      case "changes.json": return try ChangesPage(self).json
      case "changes.ndjson": return ChangesPage(self).lines
      case "version.json": return try VersionPage(self).json
      case "newest": return VersionPage(self).renew
      case "draft": return try ReviewPage(self).response
      case "draft.json": return try ReviewPage(self).json
      case "draft.patch": return try ReviewPage(self).patch
      default: break
      }
    }
    if path[0] == "draft" { return try edited(Array(path.dropFirst())) }
    guard path.count >= 3, path[0] == "class" else { throw RealmPages.noSuchPage }
    return try realm.withView(version) { view in
      guard let position = ClassAddress.position(of: path[1], in: view.schema) else {
        throw ErrorPage.NotFound(what: "the realm has no class of this name")
      }
      return try response(Array(path.dropFirst(2)), ofClassAt: position, view)
    }
  }

  /// Changes something.
  ///
  /// - Parameter path: the path behind the number of the realm.
  /// - Throws: ``ErrorPage/NotFound``; the errors of the change.
  func post(_ path: [String]) throws -> HTTPResponse {
    guard path.first == "draft", path.count <= 2, let edits = try edits else {
      throw RealmPages.noSuchPage
    }
    let draft = edits.draft
    guard path.count == 2 else { return try DraftActions(self, draft).lines }
    switch path[1] {
    case "edit":
      do {
        return try DraftActions(self, draft).edit
      } catch {
        return try FailedEdit(self, error).response
      }
    case "schema": return try SchemaPlanPage(self).post
    case "undo": return try DraftActions(self, draft).undo
    case "redo": return try DraftActions(self, draft).redo
    case "discard": return try DraftActions(self, draft).discard
    case "save": return try DraftSave(self, edits).response
    default: throw RealmPages.noSuchPage
    }
  }

  /// A page about what is not saved yet.
  private func edited(_ path: [String]) throws -> HTTPResponse {
    switch path {
    case ["schema"]: return try SchemaPlanPage(self).response
    case ["schema.json"]: return try SchemaPlanPage(self).json
    case ["plan.yml"]: return try SchemaPlanPage(self).file
    case ["schema", "trial"]: return try PlanTrialPage(self).response
    case ["schema", "trial.json"]: return try PlanTrialPage(self).json
    default: throw RealmPages.noSuchPage
    }
  }

  /// What is edited of the realm; nil without editing, and for the commit before the newest one.
  var edits: RealmEdits? {
    get throws {
      guard let editing = site.editing, version == .latest else { return nil }
      return try realm.edits(editing)
    }
  }

  var draft: Draft? { get throws { try edits?.draft } }

  /// The draft over the version that a page shows; nil if the pages only show.
  ///
  /// - Throws: the errors of reading the realm.
  func drafted(_ view: RealmView) throws -> Draft.Status? { try draft?.status(over: view) }

  static let noSuchPage = ErrorPage.NotFound(what: "there is no page at this address")

  private func response(
    _ path: [String], ofClassAt position: Int, _ view: RealmView
  ) throws -> HTTPResponse {
    if path.count == 1 {
      switch path[0] {
      case "": return try ClassPage(self, view, position).response
      case "objects.json": return try Download(self, view, position, .json).response
      case "objects.ndjson": return try Download(self, view, position, .ndjson).response
      case "objects.csv": return try Download(self, view, position, .csv).response
      case "complete.json": return Completion(self, view, position).json
      case "pick.json": return try LinkPicker(self, view, position).json
      case "new":
        let source = query["copy"].flatMap { Int64($0) }.map { ObjectKey($0) }
        return try NewObjectPage(self, view, position, copying: source).response()
      case "found":
        return try FoundPage(
          self, view, position, query: query["q"] ?? "", isDeletion: query["do"] == "delete"
        ).response()
      default: break
      }
    }
    let isJSON = path.count == 1 && path[0].hasSuffix(".json")
    let number = isJSON ? String(path[0].dropLast(5)) : path[0]
    guard let raw = Int64(number), "\(raw)" == number, raw >= 0 else {
      throw RealmPages.noSuchPage
    }
    if path.count == 2, path[1] == "edit" {
      return try EditPage(
        self, view, position, ObjectKey(raw), at: query["at"], query["do"], target: query["to"]
      ).response
    }
    let page = try ObjectPage(self, view, position, ObjectKey(raw))
    switch path.count {
    case 1: return isJSON ? try page.json : try page.response
    case 2 where path[1] == "value": return try page.value
    default: throw RealmPages.noSuchPage
    }
  }

  // MARK: Parts of pages

  /// What is not saved yet. A realm that cannot be read has no draft to show, and its pages say why.
  private func status(_ view: RealmView?) -> Draft.Status? {
    if let view { return try? drafted(view) }
    return try? realm.withView(version) { try drafted($0) }
  }

  /// A page of this realm.
  ///
  /// - Parameter view: the version that is shown; nil for a page about the file.
  func page(
    _ title: String, _ section: Page.Section?, crumbs: [Page.Crumb] = [], view: RealmView? = nil,
    refresh: Int? = nil
  ) -> Page {
    var page = Page(
      title: title.isEmpty ? realm.name : "\(title) – \(realm.name)", editing: site.editing)
    let isRealmPage = crumbs.isEmpty && section == .classes
    page.crumbs =
      [Page.Crumb(text: realm.name, target: isRealmPage ? nil : urls.page(""))] + crumbs
    page.realm = Page.Links(
      urls: urls, section: section,
      version: version == .latest ? view?.version : nil,
      notice: view.flatMap { VersionPage(self).notice(about: $0) },
      draft: status(view), target: request.target)
    page.refresh = refresh
    return page
  }
}
