package import RealmModel
import RealmStorage

/// Finds where in a text the objects are that a builder refuses. The builder sees only values, so the
/// text is read again.
extension TextSource {
  /// Where an object is.
  private struct Place {
    let file: TextFile
    let offset: Int
  }

  /// Converts a builder's error to an error about the text, with the place in the text if it can be
  /// found.
  ///
  /// - Returns: the error of reading the text again, if that fails.
  package func explain(_ error: BuildError) -> ImportError {
    if case .file(let error) = error.kind { return ImportError(.file(error)) }
    do throws(ImportError) {
      return try located(error)
    } catch {
      return error
    }
  }

  /// Converts a merge error to an error about the text, with the place in the text if it can be found.
  ///
  /// - Parameter path: path of the realm that receives the objects.
  /// - Returns: the error of reading the text again, if that fails.
  package func explain(_ error: MergeError, path: String) -> ImportError {
    if case .file(let error) = error.kind { return ImportError(.file(error.adding(path: path))) }
    do throws(ImportError) {
      return try located(error)
    } catch {
      return error
    }
  }

  private func located(_ error: MergeError) throws(ImportError) -> ImportError {
    let objectClass = error.classPosition.map { schema.classes[$0] }
    let kind: ImportError.Kind =
      switch error.kind {
      case .file(let error): .file(error)
      case .exists(let identity): .exists(identity: identity.quoted)
      case .missingProperty: .missingProperty
      case .tooMany: .build(BuildError(.tooMany("the class has no keys left for more objects")))
      }
    var result = ImportError(
      kind, path: texts.count == 1 ? texts[0].file.path : "", className: objectClass?.name.text,
      property: error.property.flatMap { objectClass?.properties[$0].name.text })
    guard let position = error.classPosition, let key = error.addedKey else { return result }
    let wanted = error.addedNumber(in: schema.classes[position])
    var number = -1
    let place = try places(of: position, most: 1) { batch, row in
      number += 1
      return batch.keys.isEmpty ? number == wanted : batch.keys[row] == key
    }.first
    guard let place else { return result }
    (result.path, result.offset) = ("", place.offset)
    return place.file.located(result)
  }

  private func located(_ error: BuildError) throws(ImportError) -> ImportError {
    var result = ImportError(
      .build(BuildError(error.kind)), path: texts.count == 1 ? texts[0].file.path : "",
      className: error.className, property: error.property)
    if case .schema = error.kind {
      result.path = schemaPath ?? result.path
      return result
    }
    guard let name = error.className, let objectClass = schema.objectClass(named: name),
      let position = schema.classes.firstIndex(where: { $0 === objectClass })
    else { return result }
    let property = error.property.flatMap { objectClass.position(ofPropertyNamed: $0) }
    let place: Place?
    switch error.kind {
    case .duplicatePrimaryKey(let value, _):
      guard let primaryKey = objectClass.primaryKey else { return result }
      let both = try places(of: position, most: 2) { (batch, row) throws(RealmFileError) in
        try batch.value(ofProperty: primaryKey, row: row) == value
      }
      place = both.last
      let first = try both.first.map { (place) throws(ImportError) in
        try place.file.place(of: place.offset).line
      }
      result.kind = .duplicatePrimaryKey(value: value.quoted, otherLine: first)
      result.property = objectClass.properties[primaryKey].name.text
    case .missingTarget(let target, let primaryKey):
      result.kind = .missingTarget(className: target, identity: primaryKey.quoted)
      place = try self.place(of: position, property) { $0.primaryKey == [primaryKey] }
    case .missingTargetKey(let target, let key):
      result.kind = .missingTarget(className: target, identity: "with the key \(key)")
      place = try self.place(of: position, property) { $0.key == ObjectKey(key) }
    default:
      guard let key = error.objectKey else { return result }
      place = try places(of: position, most: 1) { batch, row in
        row < batch.keys.count && batch.keys[row] == ObjectKey(key)
      }.first
    }
    guard let place else { return result }
    (result.path, result.offset) = ("", place.offset)
    return place.file.located(result)
  }

  /// The place of the first object of a class that contains such a link.
  private func place(
    of position: Int, _ property: Int?, _ isWanted: (RealmLink) -> Bool
  ) throws(ImportError) -> Place? {
    try places(of: position, most: 1) { (batch, row) throws(RealmFileError) in
      let properties = property.map { $0..<($0 + 1) } ?? 0..<batch.propertyCount
      for property in properties
      where try batch.value(ofProperty: property, row: row).contains(isWanted) { return true }
      return false
    }.first
  }

  /// The places of the first objects of a class that `isWanted` accepts.
  ///
  /// - Parameter most: the number of places after which the search ends.
  /// - Throws: the errors of reading the text again.
  private func places(
    of position: Int, most: Int, _ isWanted: (ObjectBatch, Int) throws(RealmFileError) -> Bool
  ) throws(ImportError) -> [Place] {
    var found: [Place] = []
    var cursor = makeCursor()
    for part in try parts() {
      try cursor.open(part)
      while let batch = try cursor.next() {
        guard batch.classPosition == position, let file = cursor.text?.file else { continue }
        do throws(RealmFileError) {
          for row in 0..<batch.count where try isWanted(batch, row) {
            found.append(Place(file: file, offset: cursor.batchStarts[row]))
            if found.count == most { return found }
          }
        } catch {
          throw ImportError(.file(error.adding(path: file.path)), path: file.path)
        }
      }
    }
    return found
  }
}

extension RealmValue {
  /// Whether the value is, or contains, such a link.
  fileprivate func contains(_ isWanted: (RealmLink) -> Bool) -> Bool {
    switch self {
    case .link(let link): isWanted(link)
    case .object(let values), .list(let values): values.contains { $0.contains(isWanted) }
    case .dictionary(let entries): entries.contains { $0.value.contains(isWanted) }
    default: false
    }
  }
}
