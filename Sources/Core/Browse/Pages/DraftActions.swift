import RealmInterchange
import RealmJobs
import RealmModel
import RealmStorage

/// The requests that edit a draft. Each is one edit, which can be undone.
///
/// Forms send fields, whose names are those of ``DraftForm``; programs send lines of a patch.
struct DraftActions {
  private let pages: RealmPages
  private let draft: Draft

  init(_ pages: RealmPages, _ draft: Draft) { (self.pages, self.draft) = (pages, draft) }

  /// Adds lines of a patch.
  ///
  /// - Throws: the errors of the lines.
  var lines: HTTPResponse {
    get throws {
      guard pages.request.mediaType == "application/x-ndjson" else {
        throw HTTPError(415, "expected lines of a patch as application/x-ndjson")
      }
      return try answer { try draft.add(lines: pages.request.body, over: $0) }
    }
  }

  var undo: HTTPResponse { get throws { try answer { try draft.undo(over: $0) } } }
  var redo: HTTPResponse { get throws { try answer { try draft.redo(over: $0) } } }
  var discard: HTTPResponse { get throws { try answer { try draft.discard(over: $0) } } }

  /// Makes the edit of a form.
  ///
  /// - Throws: the errors of the edit.
  var edit: HTTPResponse {
    get throws {
      try answerWithPage { view in
        let form = try DraftForm(pages.request, view.schema)
        guard form.action != .setFound, form.action != .deleteFound else {
          try editFound(form, view)
          return nil
        }
        var target: String?
        try draft.edit(over: view) { edit in target = try make(form, &edit, view) }
        return target
      }
    }
  }

  // MARK: Edits

  /// - Returns: the page to go to, if it is not the one that the form names.
  private func make(
    _ form: DraftForm, _ edit: inout DraftEdit, _ view: RealmView
  ) throws -> String? {
    let position = form.classPosition
    switch form.action {
    case .create:
      let (identity, values) = try form.newObject(EditorText(view.schema))
      return url(of: try edit.add(identity, values, toClassAt: position), position, view)
    case .duplicate:
      let identity = try form.newIdentity(EditorText(view.schema))
      let key = try edit.duplicate(try form.key(), ofClassAt: position, as: identity)
      return url(of: key, position, view)
    case .delete:
      for key in form.keys { try edit.remove(key, ofClassAt: position) }
    case .takeBack:
      try edit.takeBack(try form.key(), ofClassAt: position, property: form.property)
    case .set, .insert, .entry, .rename, .remove, .move, .make:
      try change(form, &edit, view)
    case .deleteFound, .setFound: break
    }
    return nil
  }

  private func change(
    _ form: DraftForm, _ edit: inout DraftEdit, _ view: RealmView
  ) throws {
    let (key, path) = (try form.key(), try form.path())
    /// The value for the place at the path, or for an element of the collection there.
    func value() throws -> RealmValue {
      var place = try edit.place(path, of: key, ofClassAt: form.classPosition)
      if form.action == .insert, !path.steps.isEmpty {
        place = try edit.place(
          ValuePath(path.steps.dropLast()), of: key, ofClassAt: form.classPosition)
      }
      guard let place else { throw DraftForm.noPlace }
      let isElement = form.action == .set ? place.isElement : true
      return try EditorText(view.schema).value(
        form.entered(), of: place.property, isElement: isElement)
    }
    let change: ValueChange
    switch form.action {
    case .insert: change = .insert(try value())
    case .entry: change = .addEntry(key: form.name, try value())
    case .rename: change = .rename(form.name)
    case .remove: change = .remove
    case .move: change = .move(try form.position())
    case .make: change = try made(path, key, edit, form.classPosition)
    default: change = .set(try value())
    }
    try edit.change(
      path, of: key, ofClassAt: form.classPosition, change, expecting: form.expectedDigest)
  }

  /// A new embedded object for a place, or for a list before the element at the path.
  private func made(
    _ path: ValuePath, _ key: ObjectKey, _ edit: DraftEdit, _ position: Int
  ) throws -> ValueChange {
    let place = try edit.place(path, of: key, ofClassAt: position)
    let list = try edit.place(ValuePath(path.steps.dropLast()), of: key, ofClassAt: position)
    guard let property = place?.property ?? list?.property,
      let target = edit.view.schema.target(of: property), target.kind == .embedded
    else { throw DraftForm.noPlace }
    var values: [RealmValue] = []
    for property in target.properties {
      values.append(try BatchColumn(property.defaultValues(count: 1)).value(at: 0))
    }
    let object = RealmValue.object(values)
    return list?.isCollection == true && list?.property.collection == .list
      ? .insert(object) : .set(object)
  }

  // MARK: All that a query finds

  /// Edits all objects that a query finds in the realm with the draft.
  private func editFound(_ form: DraftForm, _ view: RealmView) throws {
    var request = EditRequest(className: view.schema.classes[form.classPosition].name.text)
    (request.query, request.expected) = (form.query, form.expectedCount)
    request.jobs = pages.realm.jobs
    let laid = try pages.laidOver(view, draft)
    if form.action == .setFound {
      _ = try draft.update([form.assignment], request, in: laid, over: view)
    } else {
      _ = try draft.delete(request, in: laid, over: view)
    }
  }

  // MARK: Answers

  /// Makes an edit, and answers with the number of changes, or with the page that the form asks for.
  private func answer<Result>(_ edit: (RealmView) throws -> Result) throws -> HTTPResponse {
    try answerWithPage { view in
      _ = try edit(view)
      return nil
    }
  }

  /// The same for an edit that can name the page itself.
  private func answerWithPage(_ edit: (RealmView) throws -> String?) throws -> HTTPResponse {
    try pages.realm.withView(.latest) { view in
      let target = try edit(view)
      let state = try draft.status(over: view).state
      return pages.changed(state, target ?? pages.request.form?["to"])
    }
  }

  private func url(of key: ObjectKey, _ position: Int, _ view: RealmView) -> String {
    pages.urls.object(key, of: ClassAddress(position, in: view.schema))
  }
}

extension RealmPages {
  /// The realm with the draft laid over it, for queries.
  ///
  /// - Throws: ``HTTPError`` if others changed what the draft changes; the errors of reading the realm.
  func laidOver(_ view: RealmView, _ draft: Draft) throws -> RealmView {
    guard let laid = try realm.withTarget({ try draft.laidOver(view, $0) }) else {
      throw HTTPError(409, "others changed what the draft changes: review the draft first")
    }
    return laid
  }

  /// The answer to a change of the draft: numbers for a script, or the way to a page for a form.
  ///
  /// - Parameter target: the page; only one of this realm is taken.
  func changed(_ state: DraftState, _ target: String?) -> HTTPResponse {
    let isOwn = target.map { $0.hasPrefix("/\(number)/") && !$0.contains { $0.isNewline } } ?? false
    let page = isOwn ? target ?? "" : urls.page("draft")
    guard wantsData else { return .redirect(to: page) }
    var json = RealmJSONValueText()
    json.append("{\"changes\":\(state.count),\"revision\":\(state.revision),\"to\":")
    json.append(Name(page))
    json.append("}\n")
    return .json(String(decoding: json.take(), as: UTF8.self))
  }

  var wantsData: Bool { request.wantsData }
}

extension HTTPRequest {
  /// Whether a script or a program asks for a change, and not a form.
  var wantsData: Bool {
    form == nil || fields["accept"]?.contains("application/json") == true
  }
}
