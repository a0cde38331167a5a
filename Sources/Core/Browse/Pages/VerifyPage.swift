import RealmJobs
import RealmModel
import RealmStorage
import RealmVerify

/// What `verify` finds in a realm.
struct VerifyPage {
  /// Maximum number of findings of each severity that are listed.
  private static let findingLimit = 200

  private let pages: RealmPages

  init(_ pages: RealmPages) { self.pages = pages }

  private var task: BackgroundTask {
    if pages.query["again"] != nil { pages.realm.forgetTask("verify", pages.version) }
    return pages.realm.task("verify", pages.version) { context in
      try context.keys.open(context.path) { key in
        try VerifyJob(
          VerifyJob.Request(
            path: context.path, key: key, version: context.version,
            maxFindings: VerifyPage.findingLimit, jobs: context.jobs,
            cacheByteCount: context.cacheByteCount)
        ).run(progress: context.progress)
      }
    }
  }

  var json: HTTPResponse {
    get throws { .json(try pages.reports.json(try TaskPage.report(task, as: VerifyReport.self))) }
  }

  var response: HTTPResponse {
    get throws {
      let task = task
      guard pages.query["again"] == nil else { return .redirect(to: pages.urls.page("verify")) }
      // A realm that cannot be opened has findings, too, which say why, but none with links.
      let schema = try? pages.realm.withView(pages.version) { $0.schema }
      return try TaskPage.response(
        pages, .verify, task, as: VerifyReport.self, running: "Checking every rule of the format…"
      ) { report, html in
        verdict(report, to: &html)
        findings(report, schema, to: &html)
        damage(report, to: &html)
        html.element("p", ["class": "pages"]) { html in
          html.element(
            "a", ["href": pages.urls.page("verify", URLQuery([("again", "1")]))], "check again")
          html.element("a", ["href": pages.urls.page("verify.json")], "JSON")
        }
      }
    }
  }

  private func verdict(_ report: VerifyReport, to html: inout HTML) {
    let counts = Rule.Severity.allCases.reversed().compactMap { severity in
      let count = report.count(severity)
      return count > 0 ? ValueWriter.count(count, severity.rawValue) : nil
    }
    let hasErrors = report.count(.error) > 0
    html.element("p", ["class": hasErrors ? "verdict bad" : "verdict good"]) { html in
      html.text(
        hasErrors
          ? counts.joined(separator: ", ") : (["No errors"] + counts).joined(separator: ", "))
    }
    html.element(
      "p", ["class": "count"],
      "\(ValueWriter.count(report.objectCount, "object")), \(ValueWriter.count(report.nodeCount, "node")), "
        + "\(Text.size(report.byteCount)) checked"
        + (report.version.map { ", version \($0)" } ?? ""))
    if hasErrors {
      html.element(
        "p", ["class": "hint"],
        "Recover what is left into a new realm: realm-cli salvage REALM -o NEW")
    }
  }

  private func findings(_ report: VerifyReport, _ schema: ObjectSchema?, to html: inout HTML) {
    guard !report.findings.isEmpty else { return }
    html.element("ul", ["class": "findings"]) { html in
      for finding in report.findings {
        html.element("li", ["class": finding.severity.rawValue]) { html in
          html.element("span", ["class": "severity"], finding.severity.rawValue)
          html.element("code", finding.rule.rawValue)
          place(finding, schema, to: &html)
          html.element("p", finding.message)
        }
      }
    }
    for total in report.totals {
      let listed = report.findings.count {
        $0.rule == total.rule && $0.severity == total.severity
      }
      if listed < total.count {
        html.element(
          "p", ["class": "type"],
          "\((total.count - listed).grouped) more of rule \(total.rule.rawValue)")
      }
    }
  }

  private func place(_ finding: Finding, _ schema: ObjectSchema?, to html: inout HTML) {
    html.element("span", ["class": "type"]) { html in
      html.text("byte \(finding.offset.grouped)")
      guard let name = finding.className else { return }
      let address = schema.flatMap { ClassAddress(name, in: $0) }
      html.text(", ")
      let text = name + (finding.property.map { ".\($0)" } ?? "")
      if let address {
        html.element("a", ["href": pages.urls.objects(of: address)], text)
      } else {
        html.text(text)
      }
      guard let key = finding.objectKey else { return }
      html.text(", ")
      if let address, key >= 0 {
        html.element("a", ["href": pages.urls.object(ObjectKey(key), of: address)], "object \(key)")
      } else {
        html.text("object \(key)")
      }
    }
  }

  private func damage(_ report: VerifyReport, to html: inout HTML) {
    guard !report.damage.isEmpty else { return }
    html.element("h2", "Unreadable objects")
    html.element("ul") { html in
      for damage in report.damage {
        let text =
          if let count = damage.unreadableObjects, let all = damage.objectCount {
            "\(count.grouped) of \(ValueWriter.count(all, "object"))"
          } else {
            "all objects"
          }
        html.element("li", "\(damage.name): \(text)")
      }
    }
  }
}
