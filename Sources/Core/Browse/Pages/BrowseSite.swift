import RealmInterchange
import RealmJobs
import RealmModel
package import RealmStorage

/// All pages: a function from a request to a response. ``AccessGuard`` decides who may ask.
package final class BrowseSite: Sendable {
  let realms: [BrowsedRealm]
  /// Folders that could not be searched.
  let problems: [RealmFileError]
  /// How realms are changed; nil if they are only shown.
  let editing: Editing?
  let reports: any BrowseReports

  package init(
    realms: [BrowsedRealm], problems: [RealmFileError] = [], editing: Editing? = nil,
    reports: any BrowseReports
  ) {
    (self.realms, self.problems, self.editing) = (realms, problems, editing)
    self.reports = reports
  }

  package func respond(to request: HTTPRequest) -> HTTPResponse {
    do {
      switch request.method {
      case "GET", "HEAD": return try page(request)
      case "POST" where editing != nil: return try post(request)
      default:
        return editing == nil ? .notAllowed("GET", "HEAD") : .notAllowed("GET", "HEAD", "POST")
      }
    } catch let error as ErrorPage.NotFound {
      return refusal(404, "notFound", error.what, request)
    } catch let error as HTTPError {
      return refusal(error.status, "request", error.message, request)
    } catch {
      return failure(error, request)
    }
  }

  private func page(_ request: HTTPRequest) throws -> HTTPResponse {
    let path = request.path
    switch path.first {
    case "" where path.count == 1: return HomePage(self, request).response
    case "index.json" where path.count == 1: return try HomePage(self, request).json
    case "assets" where path.count == 2:
      guard let asset = Asset(rawValue: path[1]) else { break }
      return asset.response
    default: return try pages(request).response(Array(path.dropFirst()))
    }
    throw RealmPages.noSuchPage
  }

  /// Changes something. Only this is answered to POST, and nothing else changes anything.
  private func post(_ request: HTTPRequest) throws -> HTTPResponse {
    guard
      request.body.isEmpty || request.form != nil
        || BrowseSite.dataTypes.contains(request.mediaType)
    else {
      throw HTTPError(415, "the body is neither a form nor lines of JSON")
    }
    return try pages(request).post(Array(request.path.dropFirst()))
  }

  /// The media types of what scripts post.
  private static let dataTypes: Set<String> = ["application/x-ndjson", "application/json"]

  /// The pages of the realm that the path begins with.
  private func pages(_ request: HTTPRequest) throws -> RealmPages {
    // Only the usual spelling of a number, so that each page has one URL.
    guard let number = request.path.first, let position = Int(number), "\(position)" == number,
      realms.indices.contains(position)
    else { throw RealmPages.noSuchPage }
    return RealmPages(self, position, request)
  }

  /// - Parameter message: one line.
  private func refusal(
    _ status: Int, _ code: String, _ message: String, _ request: HTTPRequest
  ) -> HTTPResponse {
    let problem = Problem(refusal: message, code)
    let title = status == 404 ? "Not found" : "Refused"
    return ErrorPage(problem: problem, status: status, page: Page(title: title, editing: editing))
      .response(asJSON: BrowseSite.isFile(request))
  }

  private func failure(_ error: any Error, _ request: HTTPRequest) -> HTTPResponse {
    let problem = reports.problem(error)
    var page = Page(title: "Error", editing: editing)
    if let number = request.path.first.flatMap({ Int($0) }), realms.indices.contains(number) {
      let urls = RealmURLs(number: number, version: request.version)
      page.crumbs = [Page.Crumb(text: realms[number].name, target: urls.page(""))]
      page.realm = Page.Links(urls: urls, section: nil)
    }
    return ErrorPage(
      problem: problem, status: problem.isInternal ? 500 : error.draftStatus, page: page
    )
    .response(asJSON: BrowseSite.isFile(request))
  }

  /// Whether a request asks for data and not for a page.
  private static func isFile(_ request: HTTPRequest) -> Bool {
    if request.method == "POST", request.wantsData { return true }
    return [".json", ".ndjson", ".csv"].contains { request.path.last?.hasSuffix($0) ?? false }
  }
}

extension Problem {
  /// A problem of the request.
  ///
  /// - Parameter message: one line.
  init(refusal message: String, _ code: String = "request") {
    var json = RealmJSONValueText()
    json.append("{\"error\":{\"code\":\"\(code)\",\"message\":")
    json.append(Name(message))
    json.append("}}\n")
    self.init(
      message: message, excerpt: nil, hint: nil,
      json: String(decoding: json.take(), as: UTF8.self), isInternal: false)
  }
}

extension HTTPRequest {
  /// The version that pages show.
  var version: Snapshot.Version { query["version"] == "previous" ? .previous : .latest }
}

extension BrowsedRealm {
  /// The last part of the path.
  var name: String { path.split(separator: "/").last.map(String.init) ?? path }
}
