import RealmModel

/// The links and buttons with which the values of an object are edited, on its page.
struct ValueControls {
  let forms: EditForms
  let key: ObjectKey
  /// The primary key of a stored object, which cannot change.
  let fixed: Int?
  /// The digests of the values of properties. A property without one is too large to be edited.
  let digests: [Int: String]
  /// The stored values of changed properties, as short texts.
  let stored: [Int: String]

  private func place(_ path: ValuePath) -> EditForms.Place {
    EditForms.Place(key: key, path: path, digest: path.steps.first.flatMap { digests[$0] })
  }

  private func isEditable(_ path: ValuePath) -> Bool {
    guard let first = path.steps.first else { return false }
    return digests[first] != nil && first != fixed
  }

  private func stored(_ path: ValuePath) -> String? {
    path.steps.count == 1 ? path.steps.first.flatMap { stored[$0] } : nil
  }

  /// The attributes of the element with the value at a path: whether it is changed, and what it was.
  func attributes(of path: ValuePath) -> HTML.Attributes {
    guard let stored = stored(path) else { return [:] }
    return ["class": "changed", "title": "stored: \(stored)"]
  }

  // MARK: Values

  /// Adds what edits a property, behind its value.
  func add(
    to value: ShownValue, _ kind: ValueKind, at path: ValuePath, _ html: inout HTML
  ) {
    guard isEditable(path) else { return }
    let name = kind.property.name.text
    html.element("div", ["class": "controls"]) { html in
      if let stored = stored(path) {
        html.element("span", ["class": "hidden"], "changed, stored: \(stored)")
      }
      edit(value, kind, named: name, at: path, &html)
      if stored(path) != nil, let property = path.steps.first {
        forms.button(
          "take back", label: "take back the change of \(name)", "takeBack",
          EditForms.Place(key: key), [("property", "\(property)")], to: &html)
      }
    }
  }

  /// Adds what changes a value as a whole, and what adds elements to it.
  private func edit(
    _ value: ShownValue, _ kind: ValueKind, named name: String, at path: ValuePath,
    _ html: inout HTML
  ) {
    switch (kind.collection, value) {
    case (.dictionary?, _): add("new entry", "entry", name, path, &html)
    case (.list?, .collection(let collection)) where kind.isEmbedded:
      if let count = collection.count {
        forms.button(
          "new object", label: "new object in \(name)", "make", place(path.appending(count)),
          to: &html)
      }
    case (_?, .collection(let collection)):
      if let count = collection.count {
        add("new element", "insert", name, path.appending(count), &html)
      }
    case (nil, .object) where kind.allowsNull:
      forms.button(
        "remove", label: "remove the object in \(name)", "set", place(path), [("null", "1")],
        to: &html)
    case (nil, _) where kind.isEmbedded:
      if case .scalar(.null) = value {
        forms.button("new object", label: "new object in \(name)", "make", place(path), to: &html)
      }
    case (nil, .collection(let collection)):
      add("edit", "set", name, path, &html)
      if collection.isDictionary {
        add("new entry", "entry", name, path, &html)
      } else if let count = collection.count {
        add("new element", "insert", name, path.appending(count), &html)
      }
    case (nil, _): add("edit", "set", name, path, &html)
    case (_?, _): break
    }
  }

  private func add(
    _ text: String, _ action: String, _ name: String, _ path: ValuePath, _ html: inout HTML
  ) {
    html.element(
      "a",
      [
        "href": forms.editor(action, key, path), "class": "edit",
        "aria-label": action == "set" ? "edit \(name)" : "\(text) of \(name)",
      ], text)
  }

  // MARK: Elements

  /// Adds what edits an element of a collection, behind its value.
  ///
  /// - Parameters:
  ///   - kind: the kind of the element.
  ///   - parent: the kind of collection.
  ///   - path: the way to the element.
  func add(
    toElement number: Int, _ value: ShownValue, _ kind: ValueKind,
    of collection: ShownCollection, _ parent: CollectionKind, at path: ValuePath,
    _ html: inout HTML
  ) {
    guard isEditable(path), let count = collection.count else { return }
    let place = place(path)
    let name = "element \(number) of \(kind.property.name.text)"
    html.element("div", ["class": "controls"]) { html in
      edit(value, kind, named: name, at: path, &html)
      switch parent {
      case .list:
        if number > 0 {
          forms.button(
            "↑", label: "move \(name) up", "move", place, [("position", "\(number - 1)")],
            to: &html)
        }
        if number < count - 1 {
          forms.button(
            "↓", label: "move \(name) down", "move", place, [("position", "\(number + 1)")],
            to: &html)
        }
        if kind.isEmbedded {
          forms.button("insert", label: "new object before \(name)", "make", place, to: &html)
        } else {
          html.element(
            "a",
            [
              "href": forms.editor("insert", key, path), "class": "edit",
              "aria-label": "insert before \(name)",
            ], "insert")
        }
      case .set: break
      case .dictionary:
        html.element(
          "a",
          [
            "href": forms.editor("rename", key, path), "class": "edit",
            "aria-label": "rename the key of \(name)",
          ], "rename")
      }
      forms.button("×", label: "remove \(name)", "remove", place, to: &html)
    }
  }
}
