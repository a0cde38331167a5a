import RealmInterchange
import RealmMigration
import RealmModel
import RealmStorage

/// Forms that add a step about a class or property to a plan. Their fields are the members of the step
/// (``StepFields``).
struct SchemaPlanForms {
  /// Rows for the properties of a new class. Further ones are added to the class.
  private static let rowCount = 6

  let parts: SchemaPlanParts
  /// The place whose forms are shown; nil for a new class.
  let place: SchemaPlanPage.Place?

  private var schema: ObjectSchema { parts.status.schema }
  /// A synced realm allows only additions.
  private var onlyAdds: Bool { parts.status.isSynced }

  // MARK: Forms of a place

  func addClass(to html: inout HTML) {
    step(.addClass, [], "Add the class", to: &html) { html, entered in
      text("name", "Name", entered, isRequired: true, to: &html)
      text("primary-key", "Primary key", entered, to: &html)
      checkbox("embedded", "embedded", entered, to: &html)
      let names = entered?.all("property") ?? []
      let types = entered?.all("propertyType") ?? []
      for row in 0..<max(SchemaPlanForms.rowCount, names.count) {
        html.element("div", ["class": "pair"]) { html in
          input(
            "property", "Property \(row + 1)", names.indices.contains(row) ? names[row] : "",
            to: &html)
          input(
            "propertyType", "Type", types.indices.contains(row) ? types[row] : "", list: "types",
            to: &html)
        }
      }
      typeHint(to: &html)
    }
  }

  func forms(ofClass position: Int, to html: inout HTML) {
    let owner = schema.classes[position]
    let name = owner.name.text
    step(.addProperty, [("class", name)], "Add a property", to: &html) { html, entered in
      text("name", "Name", entered, isRequired: true, to: &html)
      type(entered, to: &html)
      if !onlyAdds { text("value", "Value, an expression", entered, to: &html) }
      checkbox("indexed", "index", entered, to: &html)
      checkbox("fulltext", "full-text index", entered, to: &html)
      typeHint(to: &html)
    }
    guard !onlyAdds else { return }
    step(.renameClass, [("from", name)], "Rename the class", to: &html) { html, entered in
      text("to", "New name", entered, isRequired: true, to: &html)
    }
    if !owner.properties.isEmpty {
      step(.setValues, [("class", name)], "Set values", to: &html) { html, entered in
        html.element("label") { html in
          html.text("Property")
          html.element("select", ["name": "property"]) { html in
            for property in owner.properties {
              let isChosen = entered?["property"] == property.name.text
              html.element(
                "option", ["value": property.name.text, "selected": isChosen ? "" : nil],
                property.name.text)
            }
          }
        }
        text("expression", "Value, an expression", entered, isRequired: true, to: &html)
        text("where", "Where (empty: all objects)", entered, to: &html)
      }
    }
    step(.deleteObjects, [("class", name)], "Delete objects", to: &html) { html, entered in
      text("where", "Where", entered, isRequired: true, to: &html)
    }
    if owner.primaryKey != nil {
      step(.removePrimaryKey, [("class", name)], "Remove the primary key", to: &html)
    }
    switch owner.kind {
    case .topLevel: step(.setEmbedded, [("class", name)], "Make embedded", to: &html)
    case .embedded: step(.setTopLevel, [("class", name)], "Make top-level", to: &html)
    case .asymmetric: break
    }
    step(.removeClass, [("name", name)], "Remove the class", to: &html)
  }

  func forms(ofProperty number: Int, of position: Int, to html: inout HTML) {
    let owner = schema.classes[position]
    let property = owner.properties[number]
    let isKey = owner.primaryKey == number
    let name: [FormField] = [("class", owner.name.text), ("name", property.name.text)]
    indexForms(property, name, isKey: isKey, to: &html)
    guard !onlyAdds else { return }
    step(
      .renameProperty, [("class", owner.name.text), ("from", property.name.text)], "Rename",
      to: &html
    ) { html, entered in
      text("to", "New name", entered, isRequired: true, to: &html)
    }
    step(.changeType, name, "Change the type", to: &html) { html, entered in
      type(entered, to: &html)
      text("value", "Value, an expression (empty: converted)", entered, to: &html)
      typeHint(to: &html)
    }
    if property.isOptional {
      step(.setRequired, name, "Make required", to: &html) { html, entered in
        text("value", "Value for nulls", entered, to: &html)
      }
    } else {
      step(.setOptional, name, "Make optional", to: &html)
    }
    if isKey {
      step(
        .removePrimaryKey, [("class", owner.name.text)], "No longer the primary key", to: &html)
    } else {
      step(.setPrimaryKey, name, "Make the primary key", to: &html)
    }
    if property.collection == nil {
      step(
        .setValues, [("class", owner.name.text), ("property", property.name.text)], "Set values",
        to: &html
      ) { html, entered in
        text("expression", "Value, an expression", entered, isRequired: true, to: &html)
        text("where", "Where (empty: all objects)", entered, to: &html)
      }
    }
    if !isKey { step(.removeProperty, name, "Remove the property", to: &html) }
  }

  private func indexForms(
    _ property: Property, _ name: [FormField], isKey: Bool,
    to html: inout HTML
  ) {
    guard !isKey else { return }
    guard property.index == nil else {
      return step(.removeIndex, name, "Remove the index", to: &html)
    }
    step(.addIndex, name, "Add an index", to: &html)
    if property.type == .string, property.collection == nil {
      step(.addIndex, name + [("fulltext", "true")], "Add a full-text index", to: &html)
    }
  }

  // MARK: Parts of forms

  /// Adds a form for a step.
  ///
  /// - Parameters:
  ///   - fields: the members of the step that the place gives.
  ///   - title: what its button says.
  ///   - content: adds the fields to fill in; receives what was entered if the step was refused.
  private func step(
    _ name: StepName, _ fields: [FormField], _ title: String,
    to html: inout HTML, _ content: (inout HTML, FormFields?) -> Void = { _, _ in }
  ) {
    var all: [FormField] = [("step", name.rawValue)] + fields
    if let place {
      all.append(("at-class", "\(place.classPosition)"))
      if let property = place.property { all.append(("at-property", "\(property)")) }
    }
    let refused = parts.refusal?.form
    let isRefused = refused?["do"] == "add" && all.allSatisfy { refused?[$0.name] == $0.value }
    parts.form("add", all, at: place == nil ? "" : SchemaPlanTable.chosen, to: &html) { html in
      content(&html, isRefused ? refused : nil)
      html.element("button", ["class": "quiet"], title)
    }
  }

  private func text(
    _ name: String, _ label: String, _ entered: FormFields?, isRequired: Bool = false,
    list: String? = nil, to html: inout HTML
  ) {
    input(
      name, label, entered?[name] ?? "", isRequired: isRequired, list: list, to: &html)
  }

  private func type(_ entered: FormFields?, to html: inout HTML) {
    text("type", "Type", entered, isRequired: true, list: "types", to: &html)
  }

  private func input(
    _ name: String, _ label: String, _ value: String, isRequired: Bool = false,
    list: String? = nil, to html: inout HTML
  ) {
    html.element("label") { html in
      html.text(label)
      html.void(
        "input",
        [
          "type": "text", "name": name, "value": value, "list": list, "autocomplete": "off",
          "spellcheck": "false", "required": isRequired ? "" : nil,
        ])
    }
  }

  private func checkbox(
    _ name: String, _ label: String, _ entered: FormFields?, to html: inout HTML
  ) {
    html.element("label", ["class": "check"]) { html in
      html.void(
        "input",
        [
          "type": "checkbox", "name": name, "value": "true",
          "checked": entered?[name] != nil ? "" : nil,
        ])
      html.text(label)
    }
  }

  private func typeHint(to html: inout HTML) {
    html.element(
      "p", ["class": "type"],
      "Types: int, string?, date, data, objectId, uuid, mixed, int[], string<>, mixed{}; a class such as Dog? is a "
        + "link.")
  }
}
