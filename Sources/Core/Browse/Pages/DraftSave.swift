import RealmInterchange
import RealmJobs
import RealmModel
import RealmStorage

/// The request that saves a draft.
struct DraftSave {
  private let pages: RealmPages
  private let edits: RealmEdits

  init(_ pages: RealmPages, _ edits: RealmEdits) { (self.pages, self.edits) = (pages, edits) }

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
      if !wanted.choices.isEmpty { try edits.draft.resolve(wanted.choices, over: view) }
      return try pages.realm.withTarget { target in
        guard !wanted.isCopy else {
          let path = try CopyName.path(wanted.name, beside: pages.realm.path)
          return try edits.draft.save(to: .copy(path: path), target, over: view)
        }
        return try edits.saving(
          { try edits.draft.save(to: $0, target, over: view) }, original: { $0.rewrite?.backup })
      }
    }
  }

  private func wanted() throws -> Wanted {
    guard let form = pages.request.form else { return try wantedByProgram() }
    var wanted = Wanted()
    wanted.isCopy = form["to"] == "copy"
    if wanted.isCopy { wanted.name = form["name"] ?? "" }
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
      wanted.name = members["name"]?.string ?? ""
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
    if let error = self as? DraftError {
      switch error.kind {
      case .changed, .otherCount: return 409
      default: break
      }
    }
    if case .inUse = fileKind { return 423 }
    return 422
  }
}
