import RealmModel
import RealmStorage

/// What the page of an object has besides, if it can be edited.
extension ObjectPage {
  /// Number of characters of a stored value that is shown beside the one of the draft.
  private static let storedLimit = 200

  private var forms: EditForms? {
    guard draft != nil, let editing = pages.site.editing else { return nil }
    return EditForms(
      editing: editing, urls: pages.urls, address: address, target: pages.request.target)
  }

  /// What edits the values of the object; nil if they are only shown.
  func controls(_ batch: ObjectBatch) throws(RealmFileError) -> ValueControls? {
    guard let draft, let forms, owner.kind == .topLevel, change?.kind != .removed else {
      return nil
    }
    let edit = try DraftEdit(draft, view)
    let shown = pages.query["at"].flatMap { ValuePath($0)?.steps.first }
    var digests: [Int: String] = [:]
    for (position, property) in owner.properties.enumerated()
    where shown.map({ $0 == position }) ?? true {
      guard let column = batch.columns[position] else { continue }
      if case .collection(let collection) = ShownValue(column, 0),
        collection.count ?? .max > ValueParts.elementLimit
      {
        continue
      }
      digests[position] = try edit.digest(edit.stored.value(position, of: batch), of: property)
    }
    var stored: [Int: String] = [:]
    if let change, change.kind == .changed {
      for (position, value) in change.old {
        let text = edit.text(value, of: owner.properties[position], isElement: false)
        stored[position] = ObjectPage.shortened(text)
      }
    }
    return ValueControls(
      forms: forms, key: key, fixed: change?.kind == .added ? nil : owner.primaryKey,
      digests: digests, stored: stored)
  }

  private static func shortened(_ text: String) -> String {
    text.count > storedLimit ? "\(text.prefix(storedLimit))…" : text
  }

  /// Adds what the draft does to the object, and what can be done with it as a whole.
  func header(to html: inout HTML) {
    guard let forms, pages.query["at"] == nil else { return }
    guard owner.kind == .topLevel else {
      html.element(
        "p", ["class": "notice"],
        owner.kind == .embedded
          ? "Embedded objects are edited on the page of the object that they are part of. This page shows the realm without the draft."
          : "Objects of asymmetric classes cannot be edited.")
      return
    }
    let place = EditForms.Place(key: key)
    if let change {
      html.element("p", ["class": "notice \(change.kind.rawValue)"]) { html in
        switch change.kind {
        case .added: html.text("The draft adds this object.")
        case .removed: html.text("The draft removes this object. ")
        case .changed:
          let count = change.new.count
          html.text("The draft changes \(count) propert\(count == 1 ? "y" : "ies"). ")
        }
      }
    }
    html.element("div", ["class": "pages actions"]) { html in
      if let change, change.kind != .added {
        forms.button("Take back", label: "take back the change", "takeBack", place, to: &html)
      }
      guard change?.kind != .removed else { return }
      if owner.primaryKey.map({ owner.properties[$0].type.canBeMade }) ?? true {
        forms.button("Duplicate", "duplicate", place, to: &html)
      } else {
        html.element(
          "a",
          [
            "href": pages.urls.page(
              of: address, "new", query: URLQuery([("copy", "\(key.raw)")]))
          ], "Duplicate")
      }
      // The page of an object that only the draft has is gone with it.
      let after =
        change?.kind == .added ? forms.with(target: pages.urls.objects(of: address)) : forms
      after.button("Delete", "delete", place, to: &html)
    }
  }
}

extension PropertyType {
  /// Whether new values of the type are made and not chosen: they are different from all others.
  var canBeMade: Bool { self == .objectId || self == .uuid }
}
