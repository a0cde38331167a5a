import RealmStorage

/// What pages with a result of ``BackgroundTask`` have in common: they show how far the work is until it is done.
enum TaskPage {
  /// How long a page waits for the result, in milliseconds.
  private static let waitingTime = 300

  /// The page with the result, or one with the progress, which loads itself again.
  ///
  /// - Parameter crumbs: the path to the page, if it is not the page of the section itself.
  /// - Throws: the error of the work.
  static func response<Report: Sendable>(
    _ pages: RealmPages, _ section: Page.Section, crumbs: [Page.Crumb] = [], _ task: BackgroundTask,
    as type: Report.Type, running text: String, _ finished: (Report, inout HTML) -> Void
  ) throws -> HTTPResponse {
    let title = crumbs.last?.text ?? section.title
    let crumbs = crumbs.isEmpty ? [Page.Crumb(text: title, target: nil)] : crumbs
    switch task.state(waiting: waitingTime) {
    case .failed(let error): throw error
    case .finished(let report as Report):
      return .html(
        pages.page(title, section, crumbs: crumbs).html { html in
          html.element("h1", title)
          finished(report, &html)
        })
    case .finished: throw RealmPages.noSuchPage
    case .running(let done, let total):
      return .html(
        pages.page(title, section, crumbs: crumbs, refresh: 1).html { html in
          html.element("h1", title)
          html.element("p", ["role": "status"], text)
          html.element(
            "progress",
            [
              "max": total > 0 ? "\(total)" : nil, "value": total > 0 ? "\(done)" : nil,
              "aria-label": text,
            ], "")
          if total > 0 {
            html.element("p", ["class": "type"], "\(done.grouped) of \(total.grouped)")
          }
        })
    }
  }

  /// The result, after as long as it takes, or until the client goes away.
  ///
  /// - Throws: the error of the work; `brokenPipe`.
  static func report<Report: Sendable>(_ task: BackgroundTask, as type: Report.Type) throws
    -> Report
  {
    while true {
      switch task.state(waiting: waitingTime) {
      case .failed(let error): throw error
      case .finished(let report as Report): return report
      case .finished: throw RealmPages.noSuchPage
      case .running: try Cancellation.current?.check()
      }
    }
  }
}
