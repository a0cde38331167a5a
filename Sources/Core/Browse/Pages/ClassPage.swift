import RealmJobs
import RealmModel
import RealmQuery
import RealmStorage

/// The table of a class: the objects that a query finds, in pages.
struct ClassPage {
  /// Number of objects of a page.
  static let pageSize = 50

  private let pages: RealmPages
  private let view: RealmView
  private let position: Int
  private let address: ClassAddress
  private let owner: ObjectClass
  /// The query of the URL, with as many columns as a table can have.
  private let query: URLQuery

  init(_ pages: RealmPages, _ view: RealmView, _ position: Int) {
    (self.pages, self.view, self.position) = (pages, view, position)
    (address, owner) = (ClassAddress(position, in: view.schema), view.schema.classes[position])
    let columns = pages.query.all("c")
    query =
      columns.count > TableColumn.limit
      ? pages.query.with("c", Array(columns.prefix(TableColumn.limit))) : pages.query
  }

  private var jobs: Int { pages.realm.jobs }

  /// The query of the URL, or the last one that had no error.
  private struct Chosen {
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
      let from = start(of: matching.count)
      let keys = try chosen.query.page(
        from..<(from + ClassPage.pageSize), of: matching, view, jobs: jobs)
      let rows = try rows(keys, chosen.columns, &damage)
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
            count(matching.count, chosen, to: &html)
            columnMenu(chosen.columns, to: &html)
            navigation(from, matching.count, to: &html)
            downloads(to: &html)
          }
          html.element("div", ["class": "split"]) { html in
            html.element("div", ["class": "results"]) { html in
              table(rows, chosen, to: &html)
              navigation(from, matching.count, to: &html)
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
    html.element("p", ["class": "count"], text)
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
  private static let choiceLimit = 500

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

  // MARK: The table

  private struct Rows {
    var html = HTML()
    var count = 0
  }

  /// - Parameter damage: the first error, if values cannot be read.
  private func rows(
    _ keys: [ObjectKey], _ columns: [TableColumn], _ damage: inout Problem?
  ) throws -> Rows {
    do throws(RealmFileError) {
      return try rows(keys, columns, .stop)
    } catch {
      guard error.isDamage else { throw error }
      damage = pages.reports.problem(error)
      return try rows(keys, columns, .leaveOut)
    }
  }

  private func rows(
    _ keys: [ObjectKey], _ columns: [TableColumn], _ damage: ObjectRequest.Damage
  ) throws(RealmFileError) -> Rows {
    var rows = Rows()
    var writer = ValueWriter(pages.urls, view.schema)
    let all = identity.map { [$0] + columns } ?? columns
    try RowReader(view, classPosition: position, all).forEach(keys, damage: damage) {
      (key, values) throws(RealmFileError) in
      rows.count += 1
      try rows.html.element("tr") { (html) throws(RealmFileError) in
        var name = "\(key.raw)"
        if identity != nil, case .scalar(let value) = values[0] {
          name = writer.text(of: value, limit: 80)
        }
        html.element("th", ["scope": "row", "class": identity?.isNumber == true ? "number" : nil]) {
          html in
          html.element(
            "a", ["href": pages.urls.object(key, of: address)], name.isEmpty ? "“”" : name)
        }
        for (column, value) in zip(all, values).dropFirst(identity == nil ? 0 : 1)
        where !isIdentity(column) {
          try html.element("td", ["class": column.isNumber ? "number" : nil]) {
            (html) throws(RealmFileError) in
            try writer.cell(value, to: &html)
          }
        }
      }
    }
    return rows
  }

  /// The column of the primary key; nil if the class has none.
  private var identity: TableColumn? {
    owner.primaryKey.map { TableColumn(property: $0, of: owner, view.schema) }
  }

  /// Whether a column is that of the primary key, which comes first in any case.
  private func isIdentity(_ column: TableColumn) -> Bool {
    if case .property(let position) = column.source { position == owner.primaryKey } else { false }
  }

  private func table(_ rows: Rows, _ chosen: Chosen, to html: inout HTML) {
    html.element(
      "div", ["class": "scroll", "role": "region", "aria-label": "Objects", "tabindex": "0"]
    ) { html in
      html.element("table", ["class": "objects", "data-rows": ""]) { html in
        html.element("thead") { html in
          html.element("tr") { html in
            if let identity {
              head(identity, chosen.query, to: &html)
            } else {
              html.element("th", ["scope": "col"]) { html in
                html.text("key")
                html.element("span", ["class": "type"], "object key")
              }
            }
            for column in chosen.columns where !isIdentity(column) {
              head(column, chosen.query, to: &html)
            }
          }
        }
        html.element("tbody") { $0.add(rows.html) }
      }
    }
    if rows.count == 0 { html.element("p", ["class": "null"], "No objects.") }
  }

  private func head(_ column: TableColumn, _ chosen: ClassQuery, to html: inout HTML) {
    let isSorted = column.sortPath != nil && column.sortPath == chosen.sort
    let order = isSorted ? (chosen.isDescending ? "descending" : "ascending") : nil
    html.element(
      "th", ["scope": "col", "class": column.isNumber ? "number" : nil, "aria-sort": order]
    ) { html in
      if let path = column.sortPath {
        // Ascending, then descending, then the order of the keys again.
        let sorted =
          isSorted && chosen.isDescending
          ? query.without("sort", "desc")
          : query.with("sort", path).with("desc", isSorted ? "1" : nil)
        html.element(
          "a", ["href": pages.urls.objects(of: address, sorted.without("from")), "class": "sort"],
          column.name)
      } else {
        html.text(column.name)
      }
      html.element("span", ["class": "type"], column.type)
    }
  }

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

  // MARK: Facets

  private func facets(_ matching: FoundObjects, _ chosen: ClassQuery) throws -> [Facet] {
    let properties = query.all("facet").prefix(ClassPage.facetLimit).compactMap { name in
      owner.position(ofPropertyNamed: name)
    }.filter { Facet.isPossible(owner.properties[$0], in: view.schema) }
    guard !properties.isEmpty else { return [] }
    let keys =
      query["exact"] == nil
      ? try matching.sample(in: view.realm) : try chosen.matchingKeys(view, jobs: jobs)
    return try properties.compactMap { try Facet($0, ofClassAt: position, keys, view) }
  }

  /// Maximum number of facets of a page.
  private static let facetLimit = 8

  private func facetList(_ facets: [Facet], _ count: Int, to html: inout HTML) {
    let possible = owner.properties.filter { Facet.isPossible($0, in: view.schema) }
      .prefix(ClassPage.choiceLimit)
    guard !possible.isEmpty else { return }
    html.element("aside", ["class": "facets", "aria-label": "Facets"]) { html in
      html.element("h2", "Facets")
      for property in possible {
        let name = property.name.text
        if let facet = facets.first(where: { $0.property.utf8.elementsEqual(name.utf8) }) {
          html.element("details", ["open": ""]) { html in
            html.element("summary", name)
            values(of: facet, count, to: &html)
          }
        } else {
          html.element("a", ["class": "facet", "href": facetURL(adding: name)], name)
        }
      }
    }
  }

  private func facetURL(adding name: String) -> String {
    pages.urls.objects(of: address, query.with("facet", query.all("facet") + [name]))
  }

  private func values(of facet: Facet, _ count: Int, to html: inout HTML) {
    html.element("ol") { html in
      for value in facet.values {
        html.element("li") { html in
          let narrowed = value.condition.flatMap {
            QueryText.narrowed(query["q"] ?? "", by: $0)
          }
          let label = value.isNull ? "null" : value.text.isEmpty ? "empty" : value.text
          let kind = value.isNull || value.text.isEmpty ? "null" : nil
          if let narrowed {
            html.element(
              "a",
              [
                "href": pages.urls.objects(
                  of: address, query.with("q", narrowed).without("from", "last")),
                "class": kind,
              ], label)
          } else {
            html.element("span", ["class": kind], label)
          }
          html.element("span", ["class": "number"], value.count.grouped)
        }
      }
    }
    if facet.distinct > facet.values.count {
      html.element(
        "p", ["class": "type"], "and \((facet.distinct - facet.values.count).grouped) more values")
    }
    html.element("p", ["class": "type"]) { html in
      if facet.counted < count {
        html.text(
          "counted in a sample: \(facet.counted.grouped) of \(count.grouped) objects, in runs at even distances; "
        )
        html.element(
          "a", ["href": pages.urls.objects(of: address, query.with("exact", "1"))], "count all")
        html.text(" ")
      }
      let others = query.all("facet").filter { !$0.utf8.elementsEqual(facet.property.utf8) }
      html.element(
        "a",
        [
          "href": pages.urls.objects(of: address, query.with("facet", others)),
          "aria-label": "close the facet \(facet.property)",
        ], "close")
    }
  }
}
