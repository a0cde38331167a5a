package import RealmLegacy
package import RealmModel
package import RealmStorage

/// Reads hand-built realms of formats 2 to 9.
package protocol LegacyReading {
  var folder: TemporaryFolder { get }
}

extension LegacyReading {
  package func tagged(_ value: Int) -> Int { HandBuiltLegacy.tagged(value) }

  package func open(_ bytes: [UInt8]) throws -> LegacyRealm {
    try LegacyRealm(try Snapshot(path: folder.write(bytes, to: "x.realm")))
  }

  /// The values of all objects of a class: an array for each object.
  package func values(
    _ realm: LegacyRealm, ofClass name: String, links: ObjectRequest.Links = .keys
  ) throws -> [[RealmValue]] {
    let position = realm.schema.classes.firstIndex { !$0.isInternal && $0.name.text == name }
    guard let position else { return [] }
    var request = ObjectRequest()
    request.links = links
    let source = LegacySource(realm, request, classes: [position])
    let cursor = try source.makeCursor()
    var objects: [[RealmValue]] = []
    for part in source.parts() {
      try cursor.open(part)
      while let batch = try cursor.next() {
        for row in 0..<batch.count {
          objects.append(
            try (0..<batch.propertyCount).map { try batch.value(ofProperty: $0, row: row) })
        }
      }
      try source.accept(cursor.close(), of: part)
    }
    return objects
  }

  /// The rule that reading all objects of the app breaks; nil if there is none.
  package func rule(_ bytes: [UInt8]) throws -> Rule? {
    do {
      let realm = try open(bytes)
      for position in realm.schema.topLevelClasses {
        _ = try values(realm, ofClass: realm.schema.classes[position].name.text)
      }
      return nil
    } catch let error as RealmFileError {
      guard case .damaged(let rule) = error.kind else { throw error }
      return rule
    }
  }
}
