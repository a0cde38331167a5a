import RealmModel
import RealmStorage

/// The answer to an edit that failed: the form again with what was entered and the error above it.
struct FailedEdit {
  private let pages: RealmPages
  private let error: any Error

  init(_ pages: RealmPages, _ error: any Error) { (self.pages, self.error) = (pages, error) }

  /// - Throws: the error of the edit if no form can be shown, because a script asks or because it is about no form.
  var response: HTTPResponse {
    get throws {
      guard let entered = pages.request.form, !pages.request.wantsData, !(error is HTTPError),
        !(error is ErrorPage.NotFound)
      else { throw error }
      let problem = pages.reports.problem(error)
      guard !problem.isInternal else { throw error }
      let page = try pages.realm.withView(.latest) { view in
        try self.page(try DraftForm(pages.request, view.schema), entered, view, problem)
      }
      guard let page else { throw error }
      return page
    }
  }

  /// The page with the form; nil if the edit came from a button.
  private func page(
    _ form: DraftForm, _ entered: FormFields, _ view: RealmView, _ problem: Problem
  ) throws -> HTTPResponse? {
    let status = error.draftStatus
    switch form.action {
    case .set, .insert, .entry, .rename:
      do {
        return try EditPage(
          pages, view, form.classPosition, try form.key(), at: entered["at"],
          form.action.rawValue, target: entered["to"]
        ).response(problem: problem, entered: entered, status: status)
      } catch is ErrorPage.NotFound {
        // The place of the value is gone.
        return nil
      } catch is DraftError {
        // The object is gone.
        return nil
      }
    case .create, .duplicate:
      let source = form.action == .duplicate ? try form.key() : nil
      return try NewObjectPage(pages, view, form.classPosition, copying: source)
        .response(problem: problem, entered: entered, status: status)
    case .setFound, .deleteFound:
      return try FoundPage(
        pages, view, form.classPosition, query: form.query,
        isDeletion: form.action == .deleteFound
      ).response(problem: problem, entered: entered, status: status)
    case .remove, .move, .make, .delete, .takeBack: return nil
    }
  }
}
