import RealmModel

/// The forms and links with which the objects of a class are edited. A form has the fields that every edit has.
struct EditForms {
  let editing: Editing
  let urls: RealmURLs
  let address: ClassAddress
  /// The page to go back to after an edit.
  let target: String

  /// The same forms, which go back to another page.
  func with(target: String) -> EditForms {
    EditForms(editing: editing, urls: urls, address: address, target: target)
  }

  /// What an edit changes.
  struct Place {
    var key: ObjectKey?
    var path: ValuePath?
    /// The digest of the property's value on the page.
    var digest: String?
  }

  /// Adds a form for an edit.
  ///
  /// - Parameters:
  ///   - action: the value of the field `do`.
  ///   - content: adds the other fields, and the buttons.
  func form<Failure: Error>(
    _ action: String, _ place: Place = Place(), sendsFiles: Bool = false,
    _ attributes: HTML.Attributes = [:], to html: inout HTML,
    _ content: (inout HTML) throws(Failure) -> Void
  ) throws(Failure) {
    try html.form(
      action: urls.draft("edit"), editing, sendsFiles: sendsFiles, attributes
    ) { html throws(Failure) in
      EditForms.hidden("do", action, to: &html)
      EditForms.hidden("to", target, to: &html)
      EditForms.hidden("class", address.part, to: &html)
      if let key = place.key { EditForms.hidden("key", "\(key.raw)", to: &html) }
      if let path = place.path { EditForms.hidden("at", path.text, to: &html) }
      if let digest = place.digest { EditForms.hidden("was", digest, to: &html) }
      try content(&html)
    }
  }

  /// Adds a form that is only a button.
  ///
  /// - Parameters:
  ///   - label: what the button does, for people who do not see where it is.
  ///   - fields: further fields.
  func button(
    _ text: String, label: String? = nil, _ action: String, _ place: Place,
    _ fields: [(name: String, value: String)] = [], to html: inout HTML
  ) {
    form(action, place, ["class": "inline"], to: &html) { html in
      for field in fields { EditForms.hidden(field.name, field.value, to: &html) }
      html.element(
        "button",
        ["type": "submit", "class": "small", "aria-label": label, "title": label], text)
    }
  }

  /// Adds the button that the Enter key presses. A form whose first button is another one needs it.
  static func addDefaultButton(_ text: String, to html: inout HTML) {
    html.element(
      "button", ["type": "submit", "class": "hidden", "tabindex": "-1", "aria-hidden": "true"],
      text)
  }

  static func hidden(_ name: String, _ value: String, to html: inout HTML) {
    html.void("input", ["type": "hidden", "name": name, "value": value])
  }

  /// The URL of the editor for a value.
  func editor(
    _ action: String, _ key: ObjectKey, _ path: ValuePath, withTarget: Bool = true
  ) -> String {
    var query = URLQuery([("at", path.text)])
    if action != "set" { query = query.with("do", action) }
    if withTarget, target != urls.object(key, of: address) { query = query.with("to", target) }
    return urls.editor(key, of: address, query)
  }
}

extension RealmURLs {
  /// The editor for a value of an object.
  func editor(_ key: ObjectKey, of objectClass: ClassAddress, _ query: URLQuery) -> String {
    page(of: objectClass, "\(key.raw)", "edit", query: query)
  }
}
