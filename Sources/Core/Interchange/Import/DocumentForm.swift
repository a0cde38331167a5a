import RealmModel
import RealmStorage

/// Recognizes objects in the form of MongoDB documents, which have the primary key or the object key in
/// `_id`.
struct DocumentForm {
  /// The name of the member with the key in an object of another form.
  private let keyMember: [UInt8]
  /// The name of the member for a property named `_id`; nil if the class has none.
  private let otherMember: [UInt8]?
  private let hasObjectKeys: Bool

  /// Returns nil if `_id` is the primary key in every form.
  init?(_ objectClass: ObjectClass) {
    let other = objectClass.position(ofPropertyNamed: EJSONStyle.identityName)
    guard other == nil || other != objectClass.primaryKey else { return nil }
    otherMember = other.map {
      RealmJSONSchema.memberText(EJSONStyle.name(of: $0, in: objectClass))
    }
    if let primaryKey = objectClass.primaryKey {
      keyMember = RealmJSONSchema.memberText(objectClass.properties[primaryKey].name)
    } else if let member = RealmJSONSchema.keyMember(of: objectClass) {
      keyMember = Array(member.utf8)
    } else {
      return nil
    }
    hasObjectKeys = objectClass.primaryKey == nil
  }

  /// Whether the object has its key in `_id` and not in its usual member.
  func hasKey(_ record: JSONRecord) -> Bool {
    guard let identity = record.member(0, "_id") else { return false }
    guard !hasObjectKeys || record.isInt(identity) else { return false }
    return !record.names(0).contains { record.isText($0, keyMember) }
  }

  /// Whether the object shows that `_id` is not the property of that name.
  func renamesOther(_ record: JSONRecord) -> Bool {
    guard let otherMember else { return true }
    return record.names(0).contains { record.isText($0, otherMember) }
  }
}

extension SourceInput {
  /// The classes with objects in the form of MongoDB documents.
  ///
  /// - Parameter readsAll: whether all objects must be in this form. If false, the first object of a class
  ///   decides, and a later one in another form is an error, as a member is unknown in one of the forms.
  func documentClasses(
    _ schema: ObjectSchema, readsAll: Bool
  ) throws(ImportError) -> Set<Int> {
    guard header == nil else { return [] }
    let parser = JSONParser()
    var parts = Array(repeating: [JSONLayout.Part](), count: layout.runs.count)
    for part in layout.parts { if let run = part.run { parts[run].append(part) } }
    var classes = Set<Int>()
    for run in layout.runs.indices {
      guard let form = DocumentForm(schema.classes[runClasses[run]]),
        try isDocuments(parts[run], form, parser, readsAll: readsAll)
      else { continue }
      classes.insert(runClasses[run])
    }
    return classes
  }

  private func isDocuments(
    _ parts: [JSONLayout.Part], _ form: DocumentForm, _ parser: JSONParser, readsAll: Bool
  ) throws(ImportError) -> Bool {
    var (hasObjects, renamesOther) = (false, false)
    for part in parts {
      var reader = try RecordReader(self, part, parser, nil)
      while let record = try reader.next() {
        guard form.hasKey(record) else { return false }
        hasObjects = true
        renamesOther = renamesOther || form.renamesOther(record)
        guard readsAll else { return renamesOther }
      }
    }
    return hasObjects && renamesOther
  }
}
