import RealmCompare
import RealmInterchange
import RealmJobs
import RealmModel
import RealmQuery
import RealmStorage
import RealmSync
import Synchronization

/// What the last commit changed, and what is not uploaded.
struct ChangesPage {
  /// Maximum number of changed objects of a class that are listed.
  private static let objectLimit = 100

  private let pages: RealmPages

  init(_ pages: RealmPages) { self.pages = pages }

  // MARK: The last commit

  /// The changes of the last commit, ready to be shown.
  private struct Report: Sendable {
    struct Object: Sendable {
      let kind: ObjectChange.Kind
      let identity: String
      /// The query that finds the object; nil if there is none, or no object any more.
      let query: String?
      let details: [String]
    }

    struct Class: Sendable {
      let counts: ClassDifference
      let objects: [Object]
    }

    /// The report of ``DiffJob``.
    var difference: RealmDiff.Report?
    var schemaChanges: [String] = []
    var classes: [Class] = []
  }

  private var task: BackgroundTask {
    pages.realm.task("changes", .latest) { context in
      var request = DiffJob.Request(.previous(context.path))
      request.memoryByteCount = context.cacheByteCount
      request.diff.jobs = context.jobs
      request.diff.changeLimit = ChangesPage.objectLimit
      request.diff.includesObjects = false
      let collected = Mutex(Report())
      let objects = Mutex([Report.Object]())
      let found = try DiffJob(request).run(keys: (context.keys, context.keys)) { _, _ in
        collected.withLock { $0 = Report() }
        objects.withLock { $0 = [] }
      } canStartOver: {
        true
      } progress: {
        context.progress($0, $1)
      } _: { (diff, event) throws(RealmFileError) in
        switch event {
        case .change(let change):
          let object = ChangesPage.object(change, diff)
          objects.withLock { $0.append(object) }
        case .endOfClass(let counts):
          let all = objects.withLock { objects in
            defer { objects = [] }
            return objects
          }
          collected.withLock { $0.classes.append(Report.Class(counts: counts, objects: all)) }
        }
      }
      var report = collected.withLock { $0 }
      report.difference = found
      report.schemaChanges = found.schemaChanges.map { change in
        change.className.text + (change.property.map { ".\($0.text)" } ?? "")
          + ": \(change.kind.name)"
      }
      return report
    }
  }

  private static func object(_ change: ObjectChange, _ diff: RealmDiff) -> Report.Object {
    var values = RealmJSONValueText()
    values.append(plain: change.identity, inMixed: false)
    let identity = String(decoding: values.take(), as: UTF8.self)
    var details: [String] = []
    let text = DetailText(diff.objectSchemas.old, diff.objectSchemas.new, diff.classNames)
    for value in change.values where change.kind == .changed {
      details += diff.details(of: value, in: change).map { text.line($0) }
    }
    return Report.Object(
      kind: change.kind, identity: identity, query: query(for: change, diff), details: details)
  }

  /// The query that finds the object in the newest version.
  private static func query(for change: ObjectChange, _ diff: RealmDiff) -> String? {
    let schema = diff.objectSchemas.new
    guard change.kind != .removed, let owner = schema.objectClass(named: change.className.text),
      let primaryKey = owner.primaryKey,
      let name = QueryText.name(ofProperty: primaryKey, ofClass: owner.name.text, in: schema)
    else { return nil }
    return QueryConstant.text(change.identity).map { "\(name) == \($0)" }
  }

  // MARK: The page

  /// - Throws: the errors of opening the realm.
  var response: HTTPResponse {
    get throws {
      let info = try pages.realm.info(.latest, withDetail: true)
      do {
        let schema = try pages.realm.withView(.latest) { $0.schema }
        return try TaskPage.response(
          pages, .changes, task, as: Report.self, running: "Comparing the last two commits…"
        ) { report, html in
          unsynced(info, to: &html)
          html.element("h2", "Last commit")
          lastCommit(report, schema, to: &html)
        }
      } catch {
        // A realm without an intact version before the newest one can still have changes to upload.
        let problem = pages.reports.problem(error)
        let crumbs = [Page.Crumb(text: "Changes", target: nil)]
        return .html(
          pages.page("Changes", .changes, crumbs: crumbs).html { html in
            html.element("h1", "Changes")
            unsynced(info, to: &html)
            html.element("h2", "Last commit")
            ErrorPage.add(problem, to: &html)
          })
      }
    }
  }

  private func unsynced(_ info: InfoJob.Report, to html: inout HTML) {
    html.element("h2", "Not uploaded")
    guard let detail = info.detail else {
      html.element(
        "p", ["class": "null"], "The realm is not synced, so nothing waits for an upload.")
      return
    }
    let lines = pages.reports.lines(detail.unsynced)
    guard !lines.isEmpty else {
      html.element("p", ["class": "verdict good"], "Everything is uploaded.")
      return
    }
    html.element("ul", ["class": "findings"]) { html in
      for line in lines { html.element("li", ["class": "warning"], line) }
    }
  }

  private func lastCommit(_ report: Report, _ schema: ObjectSchema, to html: inout HTML) {
    let changed = report.classes.filter { !$0.counts.isEqual }
    if changed.isEmpty, report.schemaChanges.isEmpty {
      html.element("p", ["class": "null"], "It changed no objects.")
    }
    if !report.schemaChanges.isEmpty {
      html.element("ul", ["class": "findings"]) { html in
        for change in report.schemaChanges { html.element("li", change) }
      }
    }
    for part in changed {
      html.element("section") { html in
        let counts = part.counts
        html.element("h3") { html in
          html.text(counts.className.text)
          html.element(
            "span", ["class": "type"],
            "\(counts.added.grouped) added, \(counts.removed.grouped) removed, "
              + "\(counts.changed.grouped) changed, \(counts.equal.grouped) equal")
        }
        let address = ClassAddress(counts.className.text, in: schema)
        html.element("ul", ["class": "changes"]) { html in
          for object in part.objects { add(object, address, to: &html) }
        }
        let left = counts.added + counts.removed + counts.changed - part.objects.count
        if left > 0 { html.element("p", ["class": "type"], "and \(left.grouped) more") }
      }
    }
    html.element("p", ["class": "pages"]) {
      $0.element("a", ["href": pages.urls.page("changes.json")], "JSON")
      $0.element("a", ["href": pages.urls.page("changes.ndjson")], "NDJSON")
    }
  }

  private func add(_ object: Report.Object, _ address: ClassAddress?, to html: inout HTML) {
    html.element("li", ["class": object.kind.rawValue]) { html in
      html.element("span", ["class": "severity"], object.kind.rawValue)
      if let query = object.query, let address {
        html.element(
          "a",
          ["href": pages.urls.objects(of: address, URLQuery([("q", query)])), "class": "link"],
          object.identity)
      } else {
        html.text(object.identity)
      }
      guard !object.details.isEmpty else { return }
      html.element("ul") { html in
        for detail in object.details { html.element("li", detail) }
      }
    }
  }

  // MARK: Other forms

  /// The counts of the changes, as `diff --previous --json` prints them.
  ///
  /// - Throws: the errors of reading the two versions.
  var json: HTTPResponse {
    get throws {
      let report = try TaskPage.report(task, as: Report.self)
      guard let difference = report.difference else { throw RealmPages.noSuchPage }
      return .json(try pages.reports.json(difference, of: pages.realm.path))
    }
  }

  /// The changes as `diff --previous --format ndjson` writes them.
  var lines: HTTPResponse {
    let context = pages.realm.context(.latest)
    return HTTPResponse(
      .stream { sink in
        var request = DiffJob.Request(.previous(context.path))
        request.memoryByteCount = context.cacheByteCount
        request.diff.jobs = 1
        let lines = LineOutput(sink)
        _ = try DiffJob(request).run(keys: (context.keys, context.keys)) { diff, _ in
          try lines.begin(diff)
        } _: { (diff, event) throws(RealmFileError) in
          try lines.write(event, diff)
        }
        try lines.finish()
      }, contentType: "application/x-ndjson")
  }

  /// Writes changes to a client. Used by one thread at a time.
  private final class LineOutput {
    private let sink: any OutputSink
    private var lines: ChangeLines?

    init(_ sink: any OutputSink) { self.sink = sink }

    func begin(_ diff: RealmDiff) throws(RealmFileError) {
      lines = try ChangeLines(to: sink, of: diff)
    }

    func write(_ event: RealmDiff.Event, _ diff: RealmDiff) throws(RealmFileError) {
      try lines?.write(event, of: diff)
    }

    func finish() throws(RealmFileError) { try lines?.finish() }
  }
}
