import RealmJobs
import RealmModel
import RealmPictures
import RealmStorage

/// What takes up space in a realm.
struct StatsPage {
  private let pages: RealmPages

  init(_ pages: RealmPages) { self.pages = pages }

  private var task: BackgroundTask {
    pages.realm.task("stats", pages.version) { context in
      try context.keys.open(context.path) { key in
        var request = StatsJob.Request(path: context.path)
        (request.key, request.version) = (key, context.version)
        (request.jobs, request.cacheByteCount) = (context.jobs, context.cacheByteCount)
        return try StatsJob(request).run(progress: context.progress)
      }
    }
  }

  var json: HTTPResponse {
    get throws { .json(try pages.reports.json(try TaskPage.report(task, as: StatsReport.self))) }
  }

  var response: HTTPResponse {
    get throws {
      try TaskPage.response(
        pages, .stats, task, as: StatsReport.self, running: "Counting what takes up space…"
      ) { report, html in
        html.element(
          "p", ["class": "count"],
          "\(Text.size(report.fileByteCount)); \(Text.size(report.compactedByteCount)) after compact"
        )
        concerns(report, to: &html)
        // The file can be gone since its bytes were counted: then the page has no links.
        var schema: ObjectSchema?
        do {
          schema = try pages.realm.withView(pages.version) { $0.schema }
        } catch {
          ErrorPage.add(pages.reports.problem(error), to: &html)
        }
        treemap(report, schema, to: &html)
        html.element("h2", "Uses")
        bars(
          report.parts.map { ($0.use.words, nil, $0.byteCount) },
          of: report.fileByteCount, "use", to: &html)
        html.element("h2", "Classes")
        bars(
          report.classes.sorted { $0.byteCount > $1.byteCount }.map { size in
            let name = size.objectClass.name.text
            return (
              "\(name), \(ValueWriter.count(size.objectCount, "object"))", nil, size.byteCount
            )
          }, of: report.fileByteCount, "class", to: &html)
        html.element("h2", "Properties")
        properties(report, to: &html)
        largest("Largest objects", report.largestObjects, "bytes", schema, to: &html)
        largest("Largest values", report.largestValues, "bytes", schema, to: &html)
        largest("Largest collections", report.largestCollections, "elements", schema, to: &html)
        html.element("p", ["class": "pages"]) {
          $0.element("a", ["href": pages.urls.page("stats.json")], "JSON")
        }
      }
    }
  }

  private func treemap(_ report: StatsReport, _ schema: ObjectSchema?, to html: inout HTML) {
    // The concerns are text on the page, and the folder of the realm is no part of its name.
    var report = report
    report.path = pages.realm.name
    report.concerns = []
    let picture = StatsTreemap(report, by: .property) { size in
      schema.flatMap { ClassAddress(size.objectClass.name.text, in: $0) }
        .map { pages.urls.objects(of: $0) }
    }.svg(for: .page)
    html.element(
      "div", ["class": "picture-frame", "role": "region", "aria-label": "Treemap", "tabindex": "0"]
    ) { $0.add(trusted: TrustedMarkup(Array(picture.utf8))) }
  }

  private func concerns(_ report: StatsReport, to html: inout HTML) {
    guard !report.concerns.isEmpty else { return }
    html.element("ul", ["class": "findings"]) { html in
      for concern in report.concerns {
        html.element("li", ["class": concern.level == .warning ? "warning" : "note"]) { html in
          html.element(
            "span", ["class": "severity"], concern.level == .warning ? "warning" : "note")
          html.text(" " + concern.sentence)
        }
      }
    }
  }

  /// Adds a table of sizes with bars.
  private func bars(
    _ rows: [(name: String, url: String?, byteCount: Int)], of total: Int, _ title: String,
    to html: inout HTML
  ) {
    html.element("table", ["class": "list bars"]) { html in
      html.element("thead") { html in
        html.element("tr") { html in
          html.element("th", ["scope": "col"], title)
          html.element("th", ["scope": "col", "class": "number"], "size")
          html.element("th", ["scope": "col"], "share of the file")
        }
      }
      html.element("tbody") { html in
        for row in rows {
          html.element("tr") { html in
            html.element("th", ["scope": "row"], row.name)
            html.element("td", ["class": "number"], Text.size(row.byteCount))
            html.element("td") { html in
              html.element(
                "meter",
                [
                  "min": "0", "max": "\(max(1, total))", "value": "\(row.byteCount)",
                  "aria-label": "share of \(row.name)",
                ], "")
              html.element("span", ["class": "type"], StatsPage.percent(row.byteCount, of: total))
            }
          }
        }
      }
    }
  }

  private static func percent(_ part: Int, of total: Int) -> String {
    let tenths = Int((Double(part) * 1000 / Double(max(1, total))).rounded())
    return part > 0 && tenths == 0 ? "< 0.1 %" : "\(tenths / 10).\(tenths % 10) %"
  }

  private func properties(_ report: StatsReport, to html: inout HTML) {
    let all = report.classes.flatMap { size in
      size.properties.map { (size.objectClass.name.text, $0) }
    }.sorted { $0.1.byteCount > $1.1.byteCount }
    html.element(
      "div", ["class": "scroll", "role": "region", "aria-label": "Properties", "tabindex": "0"]
    ) { html in
      html.element("table", ["class": "list"]) { html in
        html.element("thead") { html in
          html.element("tr") { html in
            html.element("th", ["scope": "col"], "property")
            html.element("th", ["scope": "col"], "type")
            for name in ["size", "nulls", "distinct"] {
              html.element("th", ["scope": "col", "class": "number"], name)
            }
          }
        }
        html.element("tbody") { html in
          for (owner, size) in all.prefix(StatsPage.propertyLimit) {
            html.element("tr") { html in
              html.element("th", ["scope": "row"], "\(owner).\(size.property.name.text)")
              html.element("td", ["class": "type"], size.type)
              html.element("td", ["class": "number"], Text.size(size.byteCount))
              html.element("td", ["class": "number"], size.count.map { $0.nulls.grouped } ?? "")
              let distinct = size.count?.distinct.map {
                (size.count?.isDistinctExact == true ? "" : "about ") + $0.grouped
              }
              html.element("td", ["class": "number"], distinct ?? "")
            }
          }
        }
      }
    }
  }

  private static let propertyLimit = 200

  private func largest(
    _ title: String, _ entries: [StatsReport.Large], _ unit: String, _ schema: ObjectSchema?,
    to html: inout HTML
  ) {
    guard !entries.isEmpty else { return }
    html.element("h2", title)
    html.element("ul", ["class": "linked"]) { html in
      for entry in entries {
        html.element("li") { html in
          let name = entry.className + (entry.property.map { ".\($0)" } ?? "")
          if let address = schema.flatMap({ ClassAddress(entry.className, in: $0) }) {
            html.element(
              "a",
              [
                "href": pages.urls.object(ObjectKey(entry.objectKey), of: address), "class": "link",
              ],
              "\(name) \(entry.objectKey)")
          } else {
            html.text("\(name) \(entry.objectKey)")
          }
          let size =
            unit == "bytes" ? Text.size(entry.size) : "\(entry.size.grouped) elements"
          html.element("span", ["class": "type"], size)
        }
      }
    }
  }
}
