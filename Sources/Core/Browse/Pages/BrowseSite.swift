import RealmJobs
import RealmModel
package import RealmStorage

/// All pages: a function from a request to a response. ``AccessGuard`` decides who may ask.
package final class BrowseSite: Sendable {
  let realms: [BrowsedRealm]
  /// Folders that could not be searched.
  let problems: [RealmFileError]
  let reports: any BrowseReports

  package init(
    realms: [BrowsedRealm], problems: [RealmFileError] = [], reports: any BrowseReports
  ) {
    (self.realms, self.problems, self.reports) = (realms, problems, reports)
  }

  package func respond(to request: HTTPRequest) -> HTTPResponse {
    guard request.method == "GET" || request.method == "HEAD" else {
      var response = HTTPResponse.text("only GET and HEAD are answered\n", status: 405)
      response.fields = [("Allow", "GET, HEAD")]
      return response
    }
    do {
      return try page(request)
    } catch let error as ErrorPage.NotFound {
      return notFound(error.what, request)
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
    case let number?:
      // Only the usual spelling of a number, so that each page has one URL.
      guard let position = Int(number), "\(position)" == number, realms.indices.contains(position)
      else { break }
      return try RealmPages(self, position, request).response(Array(path.dropFirst()))
    case nil: break
    }
    throw ErrorPage.NotFound(what: "there is no page at this address")
  }

  private func notFound(_ what: String, _ request: HTTPRequest) -> HTTPResponse {
    let problem = Problem(
      message: what, excerpt: nil, hint: nil,
      json: "{\"error\":{\"code\":\"notFound\",\"message\":\"\(what)\"}}\n", isInternal: false)
    return ErrorPage(problem: problem, status: 404, page: Page(title: "Not found"))
      .response(asJSON: BrowseSite.isFile(request))
  }

  private func failure(_ error: any Error, _ request: HTTPRequest) -> HTTPResponse {
    let problem = reports.problem(error)
    var page = Page(title: "Error")
    if let number = request.path.first.flatMap({ Int($0) }), realms.indices.contains(number) {
      let urls = RealmURLs(number: number, version: request.version)
      page.crumbs = [Page.Crumb(text: realms[number].name, target: urls.page(""))]
      page.realm = Page.Links(urls: urls, section: nil)
    }
    return ErrorPage(problem: problem, status: problem.isInternal ? 500 : 422, page: page)
      .response(asJSON: BrowseSite.isFile(request))
  }

  /// Whether a request asks for data and not for a page.
  private static func isFile(_ request: HTTPRequest) -> Bool {
    [".json", ".ndjson", ".csv"].contains { request.path.last?.hasSuffix($0) ?? false }
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
