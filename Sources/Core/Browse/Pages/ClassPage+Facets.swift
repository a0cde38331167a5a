import RealmModel
import RealmQuery

/// The facets beside the table.
extension ClassPage {
  func facets(_ matching: FoundObjects, _ chosen: ClassQuery) throws -> [Facet] {
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

  func facetList(_ facets: [Facet], _ count: Int, to html: inout HTML) {
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
