package import RealmModel
import RealmStorage

/// Where in the text the objects are that a builder refuses. It sees values, so the text is read again.
extension JSONSource {
  /// What is wrong with objects of this source, with the place in the text where it can be found.
  package func explain(_ error: BuildError) -> ImportError {
    if case .file(let error) = error.kind { return ImportError(.file(error)) }
    var result = ImportError(
      .build(BuildError(error.kind)), path: file.path, className: error.className,
      property: error.property)
    guard let name = error.className, let objectClass = schema.objectClass(named: name),
      let position = schema.classes.firstIndex(where: { $0 === objectClass })
    else { return result }
    let property = error.property.flatMap { objectClass.position(ofPropertyNamed: $0) }
    switch error.kind {
    case .duplicatePrimaryKey(let value, _):
      guard let primaryKey = objectClass.primaryKey else { return result }
      let places = starts(of: position, most: 2) { batch, row in
        (try? batch.value(ofProperty: primaryKey, row: row)) == value
      }
      let first = places.first.flatMap { try? file.place(of: $0).line }
      result.kind = .duplicatePrimaryKey(value: value.quoted, otherLine: first)
      result.property = objectClass.properties[primaryKey].name.text
      result.offset = places.last
    case .missingTarget(let target, let primaryKey):
      result.kind = .missingTarget(className: target, identity: primaryKey.quoted)
      result.offset = place(of: position, property) { $0.primaryKey == [primaryKey] }
    case .missingTargetKey(let target, let key):
      result.kind = .missingTarget(className: target, identity: "with the key \(key)")
      result.offset = place(of: position, property) { $0.key == ObjectKey(key) }
    default:
      guard let key = error.objectKey else { return result }
      result.offset =
        starts(of: position, most: 1) { batch, row in
          row < batch.keys.count && batch.keys[row] == ObjectKey(key)
        }.first
    }
    return file.located(result)
  }

  /// Where the first object of a class is that has such a link.
  private func place(
    of position: Int, _ property: Int?, _ isWanted: (RealmLink) -> Bool
  ) -> Int? {
    starts(of: position, most: 1) { batch, row in
      let properties = property.map { $0..<($0 + 1) } ?? 0..<batch.propertyCount
      return properties.contains { property in
        (try? batch.value(ofProperty: property, row: row))?.contains(isWanted) ?? false
      }
    }.first
  }

  /// Where the first objects of a class are that `isWanted` picks.
  ///
  /// - Parameter most: the number after which the search ends.
  private func starts(
    of position: Int, most: Int, _ isWanted: (ObjectBatch, Int) -> Bool
  ) -> [Int] {
    var found: [Int] = []
    var cursor = makeCursor()
    for part in (try? parts()) ?? [] {
      guard (try? cursor.open(part)) != nil else { return found }
      // What is wrong with the text itself was told before.
      while let batch = try? cursor.next() {
        guard batch.classPosition == position else { continue }
        for row in 0..<batch.count where isWanted(batch, row) {
          found.append(cursor.batchStarts[row])
          if found.count == most { return found }
        }
      }
    }
    return found
  }
}

extension RealmValue {
  /// Whether it is, or contains, such a link.
  fileprivate func contains(_ isWanted: (RealmLink) -> Bool) -> Bool {
    switch self {
    case .link(let link): isWanted(link)
    case .object(let values), .list(let values): values.contains { $0.contains(isWanted) }
    case .dictionary(let entries): entries.contains { $0.value.contains(isWanted) }
    default: false
    }
  }
}
