import RealmInterchange
import RealmModel
import RealmQuery
import RealmStorage

/// Finds objects to link to by a text.
struct LinkPicker {
  /// Maximum number of objects.
  private static let limit = 20

  /// An object to link to.
  struct Candidate {
    let key: ObjectKey
    /// The identity as editors show it.
    let text: String
    let identity: RealmValue
    /// The identity and the first string.
    let label: String
  }

  private let pages: RealmPages
  private let view: RealmView
  private let position: Int
  private let owner: ObjectClass

  init(_ pages: RealmPages, _ view: RealmView, _ position: Int) {
    (self.pages, self.view, self.position) = (pages, view, position)
    owner = view.schema.classes[position]
  }

  /// The objects in the realm with the draft that a text finds: by the primary key, and by words of strings.
  ///
  /// - Throws: the errors of reading.
  func candidates(_ text: String) throws -> [Candidate] {
    guard owner.kind == .topLevel, let state = try pages.drafted(view)?.state else { return [] }
    let edit = try DraftEdit(state, view)
    var candidates: [Candidate] = []
    for key in state.addedKeys(ofClassAt: position) where candidates.count < LinkPicker.limit {
      let candidate = try self.candidate(key, edit)
      if text.isEmpty || candidate.label.lowercased().contains(text.lowercased()) {
        candidates.append(candidate)
      }
    }
    for key in try stored(text)
    where state.object(key, ofClassAt: position)?.kind != .removed
      && candidates.count < LinkPicker.limit
    {
      candidates.append(try candidate(key, edit))
    }
    return candidates
  }

  private func candidate(_ key: ObjectKey, _ edit: DraftEdit) throws -> Candidate {
    let (address, batch) = try edit.object(key, ofClassAt: position)
    let identity = EditorText(view.schema).text(of: address.identity)
    var label = identity
    for (position, property) in owner.properties.enumerated()
    where property.type == .string && property.collection == nil && position != owner.primaryKey {
      guard case .scalar(.string(let bytes))? = batch.columns[position].map({ ShownValue($0, 0) })
      else { continue }
      label += " " + (bytes.count > 80 ? ValueWriter.start(of: bytes, 80) : bytes.text)
      break
    }
    return Candidate(key: key, text: identity, identity: address.identity, label: label)
  }

  /// The keys of stored objects that a text finds.
  private func stored(_ text: String) throws -> [ObjectKey] {
    let query =
      text.isEmpty ? "TRUEPREDICATE LIMIT(\(LinkPicker.limit))" : conditions(text)
    var keys: [ObjectKey] = []
    if owner.primaryKey == nil, let raw = Int64(text), raw >= 0,
      try StoredObjects(view).contains(ObjectKey(raw), position)
    {
      keys.append(ObjectKey(raw))
    }
    guard let query else { return keys }
    let chosen = try ClassQuery(
      query, sort: nil, isDescending: false, ofClassAt: position, in: view.schema)
    return keys + (try chosen.matchingKeys(view, jobs: pages.realm.jobs))
  }

  /// A query for objects by a text; nil if no object can have it.
  private func conditions(_ text: String) -> String? {
    var parts: [String] = []
    for (position, property) in owner.properties.enumerated() where property.collection == nil {
      guard
        let name = QueryText.name(ofProperty: position, ofClass: owner.name.text, in: view.schema)
      else { continue }
      switch property.type {
      case .string:
        guard let constant = QueryConstant.text(RealmValue.string(text)) else { continue }
        parts.append("\(name) CONTAINS[c] \(constant)")
      case .int where position == owner.primaryKey:
        if let number = Int64(text) { parts.append("\(name) == \(number)") }
      case .objectId where position == owner.primaryKey:
        if Hexadecimal.bytes(Array(text.utf8))?.count == 12 {
          parts.append("\(name) == oid(\(text))")
        }
      case .uuid where position == owner.primaryKey:
        let digits = text.utf8.filter { $0 != UInt8(ascii: "-") }
        if text.utf8.count == 36, Hexadecimal.bytes(digits)?.count == 16 {
          parts.append("\(name) == uuid(\(text))")
        }
      default: continue
      }
    }
    guard !parts.isEmpty else { return nil }
    return parts.joined(separator: " OR ") + " LIMIT(\(LinkPicker.limit))"
  }

  /// The objects that the text of the URL finds, for the script.
  ///
  /// - Throws: the errors of reading.
  var json: HTTPResponse {
    get throws {
      guard try pages.draft != nil else { throw RealmPages.noSuchPage }
      var json = RealmJSONValueText()
      json.append("{\"objects\":[")
      for (i, candidate) in try candidates(pages.query["text"] ?? "").enumerated() {
        json.append(i > 0 ? ",{\"key\":\(candidate.key.raw)" : "{\"key\":\(candidate.key.raw)")
        json.append(",\"identity\":")
        json.append(plain: candidate.identity, inMixed: false)
        json.append(",\"text\":")
        json.append(Name(candidate.text))
        json.append(",\"label\":")
        json.append(Name(candidate.label))
        json.append("}")
      }
      json.append("]}\n")
      return .json(String(decoding: json.take(), as: UTF8.self))
    }
  }
}
