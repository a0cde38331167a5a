import RealmJobs
import RealmModel
import RealmQuery
import RealmStorage

/// The table of a class: the objects that a query finds, in pages.
struct ClassPage {
  /// Number of objects of a page.
  static let pageSize = 50

  let pages: RealmPages
  let view: RealmView
  let position: Int
  let address: ClassAddress
  let owner: ObjectClass
  /// The query of the URL, with as many columns as a table can have.
  let query: URLQuery
  /// The draft that is laid over the objects; nil if they are only shown.
  let draft: DraftState?

  /// - Throws: the errors of a kept draft, and of reading.
  init(_ pages: RealmPages, _ view: RealmView, _ position: Int) throws {
    (self.pages, self.view, self.position) = (pages, view, position)
    (address, owner) = (ClassAddress(position, in: view.schema), view.schema.classes[position])
    draft = try owner.kind == .topLevel ? pages.drafted(view)?.state : nil
    let columns = pages.query.all("c")
    query =
      columns.count > TableColumn.limit
      ? pages.query.with("c", Array(columns.prefix(TableColumn.limit))) : pages.query
  }

  var jobs: Int { pages.realm.jobs }

  /// The query of the URL, or the last one that had no error.
  struct Chosen {
    let query: ClassQuery
    let columns: [TableColumn]
    /// The error in the text of the URL, if there is one.
    let problem: Problem?
  }

  /// - Throws: the errors of reading.
  var response: HTTPResponse {
    get throws {
      let chosen = try chosen()
      var damage: Problem?
      let matching = try chosen.query.matching(view, jobs: jobs)
      // The objects that the draft adds come first.
      let added = addedKeys
      let count = added.count + matching.count
      let from = start(of: count)
      let end = from + ClassPage.pageSize
      let keys = try chosen.query.page(
        max(0, from - added.count)..<max(0, end - added.count), of: matching, view, jobs: jobs)
      let rows = try rows(
        added[min(from, added.count)..<min(end, added.count)], keys, chosen.columns, &damage)
      let facets = try facets(matching, chosen.query)
      let crumb = Page.Crumb(text: owner.name.text, target: nil)
      let page = pages.page(owner.name.text, nil, crumbs: [crumb], view: view)
      return .html(
        page.html { html in
          html.element("h1") { html in
            html.text(owner.name.text)
            html.element("span", ["class": "type"], ClassPage.name(of: owner.kind))
          }
          form(chosen, to: &html)
          if let damage {
            ErrorPage.add(damage, to: &html)
            html.element("p", ["class": "notice"], "Values that cannot be read are shown as null.")
          }
          if chosen.columns.count == TableColumn.limit {
            html.element(
              "p", ["class": "notice"],
              "A page shows up to \(TableColumn.limit) columns; downloads have all of them.")
          }
          html.element("div", ["class": "toolbar"]) { html in
            self.count(matching.count, chosen, to: &html)
            columnMenu(chosen.columns, to: &html)
            navigation(from, count, to: &html)
            downloads(to: &html)
          }
          editing(chosen, to: &html)
          html.element("div", ["class": "split"]) { html in
            html.element("div", ["class": "results"]) { html in
              chooser(to: &html) { html in table(rows, chosen, to: &html) }
              navigation(from, count, to: &html)
            }
            facetList(facets, matching.count, to: &html)
          }
        }, status: chosen.problem == nil ? 200 : 422)
    }
  }

  private static func name(of kind: ObjectClass.Kind) -> String {
    switch kind {
    case .topLevel: "class"
    case .embedded: "embedded class"
    case .asymmetric: "asymmetric class"
    }
  }

  // MARK: The query

  private func chosen() throws -> Chosen {
    let columns: [TableColumn]
    do {
      columns = try TableColumn.chosen(query.all("c"), ofClassAt: position, in: view.schema)
      return Chosen(
        query: try parse(query["q"] ?? "", query["sort"]), columns: columns, problem: nil)
    } catch let error as QueryTextError {
      // The last result stays below the error. What was right before may be wrong in another class.
      let last = try ifCorrect { try parse(query["last"] ?? "", nil) }
      let columns = try ifCorrect {
        try TableColumn.chosen(query.all("c"), ofClassAt: position, in: view.schema)
      }
      return Chosen(
        query: try last ?? parse("", nil),
        columns: try columns ?? TableColumn.chosen([], ofClassAt: position, in: view.schema),
        problem: pages.reports.problem(error))
    }
  }

  /// The result of `body`; nil if the text that it reads has an error.
  private func ifCorrect<Result>(_ body: () throws -> Result) throws -> Result? {
    do { return try body() } catch is QueryTextError { return nil }
  }

  private func parse(_ text: String, _ sort: String?) throws -> ClassQuery {
    try ClassQuery(
      text, sort: sort, isDescending: query["desc"] != nil, ofClassAt: position, in: view.schema)
  }

  /// The number of the first object of the page.
  private func start(of count: Int) -> Int {
    let wanted = query.number("from") ?? 0
    return wanted < count ? wanted : max(0, (count - 1) / ClassPage.pageSize * ClassPage.pageSize)
  }

  private func form(_ chosen: Chosen, to html: inout HTML) {
    html.element(
      "form",
      [
        "class": "query", "action": pages.urls.objects(of: address), "method": "get",
        "role": "search",
      ]
    ) { html in
      hidden(query.without("q", "from", "last", "version"), to: &html)
      if pages.version == .previous {
        html.void("input", ["type": "hidden", "name": "version", "value": "previous"])
      }
      if !chosen.query.text.isEmpty {
        html.void("input", ["type": "hidden", "name": "last", "value": chosen.query.text])
      }
      html.void(
        "input",
        [
          "type": "text", "name": "q", "id": "query", "value": query["q"] ?? "",
          "aria-label": "Query", "placeholder": "Query, such as \(example)", "autocomplete": "off",
          "autocapitalize": "none", "spellcheck": "false",
          "data-complete": "complete.json",
          "aria-invalid": chosen.problem == nil ? nil : "true",
        ])
      html.element("button", ["type": "submit"], "Find")
    }
    if let problem = chosen.problem { ErrorPage.add(problem, to: &html) }
  }

  /// A query that this class can have.
  private var example: String {
    for property in owner.properties where property.collection == nil {
      switch property.type {
      case .int, .double, .float: return "\(property.name.text) > 30"
      case .string: return "\(property.name.text) CONTAINS \"a\""
      default: continue
      }
    }
    return "TRUEPREDICATE LIMIT(10)"
  }

  private func hidden(_ query: URLQuery, to html: inout HTML) {
    for item in query.items {
      html.void("input", ["type": "hidden", "name": item.name, "value": item.value])
    }
  }

  // MARK: Above the table

  private func count(_ found: Int, _ chosen: Chosen, to html: inout HTML) {
    let all = view.table(position).objectCount
    let text =
      chosen.query.text.isEmpty
      ? ValueWriter.count(all, "object") : "\(found.grouped) of \(ValueWriter.count(all, "object"))"
    html.element("p", ["class": "count"], text + draftCounts)
    if !chosen.query.text.isEmpty {
      html.element(
        "a", ["href": pages.urls.objects(of: address, query.without("q", "from", "last"))], "all")
    }
  }

  private func columnMenu(_ columns: [TableColumn], to html: inout HTML) {
    html.element("details", ["class": "menu"]) { html in
      html.element("summary", "Columns")
      html.element("form", ["action": pages.urls.objects(of: address), "method": "get"]) { html in
        hidden(query.without("c", "from"), to: &html)
        let names = columns.map(\.name)
        html.element("div", ["class": "choices"]) { html in
          for property in owner.properties.prefix(ClassPage.choiceLimit) {
            html.element("label") { html in
              html.void(
                "input",
                [
                  "type": "checkbox", "name": "c", "value": property.name.text,
                  "checked": names.contains { $0.utf8.elementsEqual(property.name.text.utf8) }
                    ? "" : nil,
                ])
              html.text(property.name.text)
            }
          }
        }
        let paths = columns.compactMap { if case .path = $0.source { $0.name } else { nil } }
        html.element("label", ["class": "wide"]) { html in
          html.text("Paths")
          html.void(
            "input",
            [
              "type": "text", "name": "c", "value": paths.joined(separator: ","),
              "placeholder": "dog.name,dogs.@count",
            ])
        }
        html.element("button", ["type": "submit"], "Show")
      }
    }
  }

  /// Maximum number of properties to choose from.
  static let choiceLimit = 500

  private func downloads(to html: inout HTML) {
    html.element("p", ["class": "downloads"]) { html in
      html.element("span", "All as ")
      for format in ["json", "ndjson", "csv"] {
        html.element(
          "a",
          [
            "href": pages.urls.download(
              of: address, format, pages.query.without("from", "facet", "last"))
          ],
          format.uppercased())
      }
    }
  }

  // MARK: Other pages

  private func navigation(_ from: Int, _ count: Int, to html: inout HTML) {
    ClassPage.navigation(from, count, ClassPage.pageSize, to: &html) { from in
      pages.urls.objects(of: address, query.with("from", from == 0 ? nil : "\(from)"))
    }
  }

  /// Adds links to the other pages of `count` things, of which the page shows some from number `from` on.
  static func navigation(
    _ from: Int, _ count: Int, _ size: Int, to html: inout HTML, _ url: (Int) -> String
  ) {
    guard count > size else { return }
    let last = (count - 1) / size * size
    html.element("div", ["class": "pages"]) { html in
      html.element(
        "span", "\((from + 1).grouped)–\(min(from + size, count).grouped) of \(count.grouped)")
      if from > 0 {
        html.element("a", ["href": url(0)], "first")
        html.element("a", ["href": url(max(0, from - size)), "rel": "prev"], "previous")
      }
      if from + size < count {
        html.element("a", ["href": url(from + size), "rel": "next"], "next")
        html.element("a", ["href": url(last), "class": "last"], "last")
      }
    }
  }
}
