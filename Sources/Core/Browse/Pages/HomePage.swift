import RealmJobs
import RealmStorage

/// The list of the realms.
struct HomePage {
  private let site: BrowseSite
  private let version: Snapshot.Version

  init(_ site: BrowseSite, _ request: HTTPRequest) {
    (self.site, version) = (site, request.version)
  }

  var response: HTTPResponse {
    .html(
      Page(title: "Realms", editing: site.editing).html { html in
        html.element("h1", "Realms")
        html.element(
          "div", ["class": "scroll", "role": "region", "aria-label": "Realms", "tabindex": "0"]
        ) { html in
          html.element("table", ["class": "list"]) { html in
            html.element("thead") { html in
              html.element("tr") { html in
                for (name, isNumber) in [
                  ("realm", false), ("objects", true), ("classes", true), ("size", true),
                  ("format", true), ("version", true), ("", false),
                ] {
                  if name.isEmpty {
                    html.element("td", "")
                  } else {
                    html.element("th", ["scope": "col", "class": isNumber ? "number" : nil], name)
                  }
                }
              }
            }
            html.element("tbody") { html in
              for number in site.realms.indices {
                html.element("tr") { html in row(number, to: &html) }
              }
            }
          }
        }
        for problem in site.problems { ErrorPage.add(site.reports.problem(problem), to: &html) }
      })
  }

  private func row(_ number: Int, to html: inout HTML) {
    let realm = site.realms[number]
    html.element("td") { html in
      html.element("a", ["href": RealmURLs(number: number, version: version).page("")], realm.path)
    }
    let info: InfoJob.Report
    do {
      info = try realm.info(version, withDetail: false)
    } catch {
      html.element("td", ["colspan": "6", "class": "bad"], site.reports.problem(error).message)
      return
    }
    let objects = info.classes.reduce(0) { $0 &+ $1.objectCount }
    for text in [
      objects.grouped, info.classes.count.grouped, Text.size(info.fileByteCount),
      "\(info.fileFormat)", "\(info.version)",
    ] {
      html.element("td", ["class": "number"], text)
    }
    let marks = [
      info.isEncrypted ? "encrypted" : nil, info.sync == nil ? nil : "synced",
      info.use == .inUse ? "in use" : nil,
    ]
    html.element("td", ["class": "type"], marks.compactMap(\.self).joined(separator: ", "))
  }

  /// The facts about each realm, as `info --json` prints them.
  var json: HTTPResponse {
    get throws {
      let realms = try site.realms.map { realm -> String in
        let info: InfoJob.Report
        do {
          info = try realm.info(version, withDetail: false)
        } catch {
          return site.reports.problem(error).json
        }
        return try site.reports.json(info)
      }
      return .json("[" + realms.joined(separator: ",") + "]\n")
    }
  }
}
