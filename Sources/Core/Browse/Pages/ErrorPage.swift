import RealmStorage

/// Pages that say what is wrong instead of showing what was asked for.
struct ErrorPage {
  /// A page or a class that does not exist.
  struct NotFound: Error {
    let what: String
  }

  let problem: Problem
  var status = 422
  var page: Page

  /// The page, or the error in JSON for a request of a file.
  func response(asJSON: Bool) -> HTTPResponse {
    guard !asJSON else { return .json(problem.json, status: status) }
    return .html(
      page.html { html in
        html.element("h1", status == 404 ? "Not found" : "This cannot be shown")
        ErrorPage.add(problem, to: &html)
      }, status: status)
  }

  /// Adds a box with the problem, its place, and what to do.
  static func add(_ problem: Problem, to html: inout HTML) {
    html.element("div", ["class": "problem", "role": "alert"]) { html in
      html.element("p", problem.message)
      if let excerpt = problem.excerpt {
        html.element("pre", ["class": "excerpt", "tabindex": "0"], excerpt)
      }
      if let hint = problem.hint { html.element("p", ["class": "hint"], hint) }
    }
  }
}
