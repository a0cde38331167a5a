import RealmInterchange
import RealmMigration
import RealmModel
import RealmStorage

/// The classes and properties after the steps of a plan, with forms for a further step about one of them.
struct SchemaPlanTable {
  /// The most properties that are shown for classes that are not chosen.
  private static let propertyLimit = 2000

  /// The end of a URL that leads to the forms.
  static let chosen = "#chosen"

  let parts: SchemaPlanParts
  let place: SchemaPlanPage.Place?

  /// Whether there is the chosen class or property.
  var showsPlace: Bool {
    guard let place, schema.appClasses.contains(place.classPosition) else { return false }
    let properties = schema.classes[place.classPosition].properties
    return place.property.map { properties.indices.contains($0) } ?? true
  }

  private var schema: ObjectSchema { parts.status.schema }

  func add(to html: inout HTML) {
    html.element("h2", parts.status.steps.isEmpty ? "Classes" : "Classes after the steps")
    html.element("datalist", ["id": "types"]) { html in
      for type in PropertyType.allCases where ![.link, .typedLink].contains(type) {
        html.element("option", ["value": PropertyNotation.name(of: type)], "")
      }
    }
    if !schema.appClasses.isEmpty { table(to: &html) }
    html.element("h2", "Add a class")
    SchemaPlanForms(parts: parts, place: nil).addClass(to: &html)
  }

  private func table(to html: inout HTML) {
    var origins = ClassOrigins(parts.view.schema)
    if parts.status.problem == nil {
      for step in parts.status.steps { origins.apply(step.action) }
    }
    let showsAll =
      schema.appClasses.reduce(0) { $0 + schema.classes[$1].properties.count }
      <= SchemaPlanTable.propertyLimit
    html.element(
      "div", ["class": "scroll", "role": "region", "aria-label": "Classes", "tabindex": "0"]
    ) { html in
      html.element("table", ["class": "list"]) { html in
        html.element("thead") { html in
          html.element("tr") { html in
            html.element("th", ["scope": "col"], "class or property")
            html.element("th", ["scope": "col"], "type")
            html.element("th", ["scope": "col", "class": "number"], "objects now")
            html.element("td", "")
          }
        }
        html.element("tbody") { html in
          for position in schema.appClasses {
            let isChosen = place?.classPosition == position
            row(position, origins, to: &html)
            if isChosen, place?.property == nil { forms(to: &html) }
            guard showsAll || isChosen else { continue }
            for property in schema.classes[position].properties.indices {
              row(property, of: position, to: &html)
              if isChosen, place?.property == property { forms(to: &html) }
            }
          }
        }
      }
    }
  }

  private func row(_ position: Int, _ origins: ClassOrigins, to html: inout HTML) {
    let owner = schema.classes[position]
    html.element("tr", ["class": "owner"]) { html in
      html.element("th", ["scope": "row"], owner.name.text)
      html.element(
        "td", ["class": "type"], owner.kind == .topLevel ? "class" : "\(owner.kind) class")
      html.element("td", ["class": "number"]) { html in
        if let origin = origins.position(of: owner.name.text) {
          html.text(parts.view.table(origin).objectCount.grouped)
        } else {
          html.element("span", ["class": "type"], "new")
        }
      }
      link(SchemaPlanPage.Place(classPosition: position), owner.name.text, to: &html)
    }
  }

  private func row(_ number: Int, of position: Int, to html: inout HTML) {
    let owner = schema.classes[position]
    let property = owner.properties[number]
    let isKey = owner.primaryKey == number
    let notation = PropertyNotation(property, isPrimaryKey: isKey, schema)
    let marks = [
      isKey ? "primary key" : nil, notation.isIndexed ? "indexed" : nil,
      notation.isFulltextIndexed ? "full-text index" : nil,
    ].compactMap(\.self)
    html.element("tr", ["class": "property"]) { html in
      html.element("th", ["scope": "row"], property.name.text)
      html.element("td") { html in
        html.element("code", notation.short ?? notation.long)
        for mark in marks { html.element("span", ["class": "type"], " \(mark)") }
      }
      html.element("td", "")
      link(
        SchemaPlanPage.Place(classPosition: position, property: number),
        "\(owner.name.text).\(property.name.text)", to: &html)
    }
  }

  private func link(_ target: SchemaPlanPage.Place, _ name: String, to html: inout HTML) {
    html.element("td") { html in
      let query = URLQuery(
        [("class", "\(target.classPosition)")]
          + (target.property.map { [("property", "\($0)")] } ?? []))
      html.element(
        "a",
        [
          "href": parts.pages.urls.edited("schema", query: query) + SchemaPlanTable.chosen,
          "aria-label": "Change \(name)", "aria-current": place == target ? "true" : nil,
        ], "change")
    }
  }

  private func forms(to html: inout HTML) {
    guard let place else { return }
    html.element("tr", ["class": "forms", "id": "chosen"]) { html in
      html.element("td", ["colspan": "4"]) { html in
        if let refusal = parts.refusal { ErrorPage.add(refusal.problem, to: &html) }
        let forms = SchemaPlanForms(parts: parts, place: place)
        if let property = place.property {
          forms.forms(ofProperty: property, of: place.classPosition, to: &html)
        } else {
          forms.forms(ofClass: place.classPosition, to: &html)
        }
      }
    }
  }
}
