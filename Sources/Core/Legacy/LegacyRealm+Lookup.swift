package import RealmModel
package import RealmStorage

extension LegacyRealm: OpenRealm {
  package var objectSchema: ObjectSchema { schema }

  package func objectCount(ofClassAt position: Int) -> Int? { layouts[position].table?.rowCount }

  package func objects(ofClassAt position: Int) throws(RealmFileError) -> RealmObjects {
    try RealmObjects(LegacySource(self, classes: [position]), of: self)
  }

  package func object(
    ofClassAt position: Int, key: ObjectKey
  ) throws(RealmFileError) -> RealmObject? {
    guard let count = layouts[position].table?.rowCount, key.raw >= 0, key.raw < count else {
      return nil
    }
    let row = Int(key.raw)
    return try snapshot.proving { () throws(RealmFileError) in
      let cursor = try LegacySource(self, classes: [position]).makeCursor()
      try cursor.open(row..<(row + 1), ofClassAt: position)
      guard let batch = try cursor.next() else { return nil }
      return RealmObject(
        realm: self, objectClass: schema.classes[position], batch: batch, row: 0)
    }
  }

  package func object(
    ofClassAt position: Int, primaryKey: RealmValue
  ) throws(RealmFileError) -> RealmObject? {
    try search(classAt: position, primaryKey: primaryKey)
  }

  package func backlinks(
    ofClassAt position: Int, key: ObjectKey
  ) throws(RealmFileError) -> [RealmBacklink] {
    var backlinks: [RealmBacklink] = []
    for origin in schema.appClasses {
      for (i, property) in schema.classes[origin].properties.enumerated()
      where property.type == .link && property.target == position {
        var request = ObjectRequest()
        request.properties = [origin: [i]]
        let objects = try RealmObjects(
          LegacySource(self, request, classes: [origin]), of: self)
        while let object = try objects.next() {
          let value = try object.value(at: i)
          let links = value.elements?.compactMap(\.link) ?? [value.link].compactMap(\.self)
          backlinks += links.filter { $0.key == key }.map { _ in
            RealmBacklink(of: self, classPosition: origin, property: i, key: object.key)
          }
        }
      }
    }
    return backlinks
  }
}
