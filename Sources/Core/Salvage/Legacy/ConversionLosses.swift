import RealmLegacy
import RealmModel
import RealmStorage

/// What a realm of format 24 lacks that was made from a damaged one of formats 2 to 9.
package struct ConversionLosses: Sendable {
  /// Lost values and objects, up to a limit.
  let values: [LostValues]
  /// Number of losses that are not in `values`.
  let furtherCount: Int
  /// Values that can be read although bytes near them are damaged.
  let doubtful: [LostValues]
  /// Links that are null because the object that they refer to is lost.
  let linkCount: Int
  /// By class, the number of objects that the realm has no value of.
  let lostObjects: [String: Int]
  let schema: [LegacySchemaLoss]
  /// Names of the classes and internal tables of which a part was found without a ref to it.
  let foundTables: [String]
  /// Whether the names of all tables are lost.
  let areTableNamesLost: Bool
  /// Why the schema version cannot be read; nil if it can.
  let version: Finding?
  /// By class and property, the objects whose values are lost.
  private let keys: [String: [String: Set<ObjectKey>]]

  /// - Throws: errors that are not damage.
  init(
    _ realm: LegacyRealm, _ outcome: LegacySalvageSource.Outcome, _ doubtful: DoubtfulNodes?,
    lostVersion: Finding?, found: Set<Int>
  ) throws(RealmFileError) {
    var (values, lostObjects) = (outcome.losses, [String: Int]())
    for position in realm.schema.topLevelClasses {
      guard let table = realm.layouts[position].table, let rows = table.rows else { continue }
      let name = realm.schema.classes[position].name.text
      if let error = rows.unknownCount {
        values.append(
          LostValues(
            .objects, name, nil, [], .leafRows, at: error.offset ?? table.ref,
            "no column says a possible number of objects, so it is unknown"))
      }
      guard rows.presentCount < table.rowCount else { continue }
      lostObjects[name] = table.rowCount - rows.presentCount
      values.append(
        LostValues(
          .objects, name, nil, [], .leafRows, at: table.ref,
          "no value of \(table.rowCount - rows.presentCount) of \(table.rowCount) objects can be read"
        ))
    }
    (self.values, self.lostObjects) = (values, lostObjects)
    (furtherCount, linkCount) = (outcome.furtherLosses, outcome.links)
    (schema, version) = (realm.losses, lostVersion)
    foundTables = found.sorted().map { realm.schema.classes[$0].name.text }
    areTableNamesLost = realm.areTableNamesLost
    var keys: [String: [String: Set<ObjectKey>]] = [:]
    for loss in outcome.losses {
      guard let name = loss.className, let property = loss.property else { continue }
      keys[name, default: [:]][property, default: []].formUnion(loss.keys)
    }
    self.keys = keys
    self.doubtful =
      if let doubtful { try ConversionLosses.doubtful(realm, doubtful, lost: keys) } else { [] }
  }

  /// The doubtful values that are not lost.
  private static func doubtful(
    _ realm: LegacyRealm, _ doubtful: DoubtfulNodes, lost: [String: [String: Set<ObjectKey>]]
  ) throws(RealmFileError) -> [LostValues] {
    let nodes = try realm.snapshot.makeReader()
    var found: [LostValues] = []
    for position in realm.schema.topLevelClasses {
      guard let rows = realm.layouts[position].table?.rows else { continue }
      let objectClass = realm.schema.classes[position]
      for (property, column) in zip(objectClass.properties, realm.layouts[position].columns) {
        let lost = lost[objectClass.name.text]?[property.name.text] ?? []
        for leaf in rows.leaves(ofColumn: column.position) {
          let some = try doubtful.rows(
            ofLeaf: leaf.ref, count: leaf.rows.count, isCollection: property.collection != nil,
            nodes)
          guard let some else { continue }
          let keys = leaf.rows.filter { some.contains($0 - leaf.rows.lowerBound) }
            .map { ObjectKey(Int64($0)) }.filter { !lost.contains($0) }
          guard !keys.isEmpty else { continue }
          let values = LostValues(
            .values, objectClass.name.text, property.name.text, keys, .leafKind, at: leaf.ref,
            "bytes near the values are damaged")
          found.append(values.with(keys, from: .doubtful))
        }
      }
    }
    return found
  }

  /// Whether nothing is lost.
  var isEmpty: Bool {
    values.isEmpty && furtherCount == 0 && linkCount == 0 && schema.isEmpty && version == nil
      && !areTableNamesLost && foundTables.isEmpty && doubtful.isEmpty
  }

  /// By property of a class, the objects whose values are lost.
  func keysByProperty(ofClass name: String) -> [String: Set<ObjectKey>] { keys[name] ?? [:] }
}
