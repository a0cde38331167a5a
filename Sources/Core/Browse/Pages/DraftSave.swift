import RealmInterchange
import RealmJobs
import RealmModel
import RealmStorage

/// The request that saves a draft.
struct DraftSave {
  private let pages: RealmPages
  private let draft: Draft

  init(_ pages: RealmPages, _ draft: Draft) { (self.pages, self.draft) = (pages, draft) }

  /// What the request asks for.
  private struct Wanted {
    var isCopy = false
    /// The name of the copy.
    var name = ""
    /// What to do about conflicts.
    var choices: [DraftChoice] = []
  }

  /// The report of saving: with status 409 if there are conflicts, and 423 if another process has the realm open.
  ///
  /// - Throws: ``HTTPError`` for a request that is no form of ours; for programs, the errors of saving.
  var response: HTTPResponse {
    get throws {
      let wanted = try wanted()
      var outcome = ReviewPage.Outcome()
      do {
        let report = try save(wanted)
        outcome.report = report
        if report.isRefused { outcome.status = 409 }
        if !report.isRefused, !wanted.isCopy { pages.realm.renew() }
      } catch {
        guard !pages.wantsData else { throw error }
        (outcome.problem, outcome.status) = (pages.reports.problem(error), error.draftStatus)
      }
      guard pages.wantsData, let report = outcome.report else {
        return try ReviewPage(pages).response(outcome)
      }
      return .json(try pages.reports.json(report), status: outcome.status)
    }
  }

  private func save(_ wanted: Wanted) throws -> ApplyJob.Report {
    // The choices are about values of the newest version.
    if !wanted.choices.isEmpty { pages.realm.renew() }
    return try pages.realm.withView(.latest) { view in
      if !wanted.choices.isEmpty { try draft.resolve(wanted.choices, over: view) }
      return try pages.realm.withTarget { target in
        guard !wanted.isCopy else {
          return try draft.save(to: .copy(path: copyPath(wanted.name)), target, over: view)
        }
        let keeps = pages.site.editing?.keepsOriginal == true && !pages.realm.hasOriginal
        let report = try draft.save(to: .realm(keepsOriginal: keeps), target, over: view)
        if report.rewrite?.backup != nil { pages.realm.noteOriginal() }
        return report
      }
    }
  }

  /// The path of a copy beside the realm.
  private func copyPath(_ name: String) -> String {
    let folder = pages.realm.path.lastIndex(of: "/").map { pages.realm.path[...$0] } ?? ""
    return folder + name
  }

  /// Maximum number of bytes of the name of a copy, which all file systems take.
  private static let nameByteCount = 200

  private func checked(name: String) throws(HTTPError) -> String {
    let isName =
      !name.isEmpty && name.utf8.count <= DraftSave.nameByteCount && !name.hasPrefix(".")
      && !name.utf8.contains { $0 == UInt8(ascii: "/") || $0 < 0x20 || $0 == 0x7F }
    guard isName else {
      throw HTTPError(
        422, "the name of a copy is a file name, not a path, and does not begin with a point")
    }
    return name
  }

  private func wanted() throws -> Wanted {
    guard let form = pages.request.form else { return try wantedByProgram() }
    var wanted = Wanted()
    wanted.isCopy = form["to"] == "copy"
    if wanted.isCopy { wanted.name = try checked(name: form["name"] ?? "") }
    var number = 0
    while let take = form["take\(number)"], let className = form["class\(number)"],
      let identity = form["id\(number)"], let property = form["property\(number)"]
    {
      wanted.choices.append(
        DraftChoice(
          className: className, identity: identity, property: property,
          takesDraft: take == "draft"))
      number += 1
    }
    return wanted
  }

  /// What `{"to":"realm"}` or `{"to":"copy","name":"x.realm"}` asks for. With `choices`, an array of objects with `class`, `id`,
  /// `property` and `take`, conflicts are resolved first.
  private func wantedByProgram() throws -> Wanted {
    let text = String(decoding: pages.request.body, as: UTF8.self)
    let members = try ValueText.value(text, in: ObjectSchema(classes: [])).members
    var wanted = Wanted()
    switch members["to"]?.string {
    case "realm": break
    case "copy":
      wanted.isCopy = true
      wanted.name = try checked(name: members["name"]?.string ?? "")
    default: throw HTTPError(400, "expected {\"to\":\"realm\"} or {\"to\":\"copy\",\"name\":…}")
    }
    for choice in members["choices"]?.elements ?? [] {
      let members = choice.members
      guard let className = members["class"]?.string, let identity = members["id"]?.string,
        let property = members["property"]?.string, let take = members["take"]?.string,
        take == "draft" || take == "realm"
      else {
        throw HTTPError(400, "a choice has class, id, property, and take: draft or realm")
      }
      wanted.choices.append(
        DraftChoice(
          className: className, identity: identity, property: property,
          takesDraft: take == "draft"))
    }
    return wanted
  }
}

extension RealmValue {
  /// The values of a dictionary by their keys; empty for any other value.
  fileprivate var members: [String: RealmValue] {
    guard case .dictionary(let entries) = self else { return [:] }
    return Dictionary(
      entries.compactMap { entry in entry.key.string.map { ($0, entry.value) } },
      uniquingKeysWith: { first, _ in first })
  }
}

extension Error {
  /// The status of the answer to a change of a draft that failed.
  var draftStatus: Int {
    if let error = self as? DraftError, case .changed = error.kind { return 409 }
    if case .inUse = fileKind { return 423 }
    return 422
  }
}
