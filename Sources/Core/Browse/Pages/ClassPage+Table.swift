import RealmModel
import RealmQuery
import RealmStorage

/// The table itself.
extension ClassPage {
  struct Rows {
    var html = HTML()
    var count = 0
  }

  /// - Parameters:
  ///   - added: keys of objects that the draft adds.
  ///   - damage: the first error, if values cannot be read.
  func rows(
    _ added: ArraySlice<ObjectKey>, _ keys: [ObjectKey], _ columns: [TableColumn],
    _ damage: inout Problem?
  ) throws -> Rows {
    do throws(RealmFileError) {
      return try rows(added, keys, columns, .stop)
    } catch {
      guard error.isDamage else { throw error }
      damage = pages.reports.problem(error)
      return try rows(added, keys, columns, .leaveOut)
    }
  }

  private func rows(
    _ added: ArraySlice<ObjectKey>, _ keys: [ObjectKey], _ columns: [TableColumn],
    _ damage: ObjectRequest.Damage
  ) throws(RealmFileError) -> Rows {
    var rows = Rows()
    let targets = try draft.map { (draft) throws(RealmFileError) in try LinkTargets(draft, view) }
    var writer = ValueWriter(pages.urls, view.schema, targets)
    let all = identity.map { [$0] + columns } ?? columns
    let reader = RowReader(view, classPosition: position, all, draft)
    try reader.forEach(added: added, keys, damage: damage) { (row) throws(RealmFileError) in
      rows.count += 1
      try rows.html.element("tr", ["class": row.change?.kind.rowClass]) {
        (html) throws(RealmFileError) in
        var name = "\(row.key.raw)"
        if identity != nil, case .scalar(let value) = row.values[0] {
          name = writer.text(of: value, limit: 80)
        }
        html.element("th", ["scope": "row", "class": identity?.isNumber == true ? "number" : nil]) {
          html in
          choice(row, name, to: &html)
          html.element(
            "a", ["href": pages.urls.object(row.key, of: address)], name.isEmpty ? "“”" : name)
        }
        for (i, column) in all.enumerated().dropFirst(identity == nil ? 0 : 1)
        where !isIdentity(column) {
          let stored = try row.stored[i].map { (value) throws(RealmFileError) in
            try writer.line(value)
          }
          try html.element("td", attributes(of: column, row, stored)) {
            (html) throws(RealmFileError) in
            if let value = row.values[i] { try writer.cell(value, to: &html) }
            if let stored { ClassPage.add(stored: stored, to: &html) }
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

  func table(_ rows: Rows, _ chosen: Chosen, to html: inout HTML) {
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
}
