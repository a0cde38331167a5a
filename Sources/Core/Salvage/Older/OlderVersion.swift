import RealmModel

/// A version before the salvaged one.
struct OlderVersion: Sendable {
  let number: Int
  let realm: Realm
  /// Whether it replaces lost values and objects.
  var fillsLost = true
}

/// The classes and properties that an older version has in common with the salvaged one: those with
/// the same keys. The key of a column includes its type.
struct VersionMatch: Sendable {
  /// For each class of the salvaged version, its position in the older one; nil if it is not there.
  let classes: [Int?]
  /// For each class of the older version, its position in the salvaged one; nil if it is not there.
  let origins: [Int?]
  /// For each class of the salvaged version and each of its properties in the result, the position of
  /// the property in the older version; nil if it is not there.
  let properties: [[Int?]]
  /// For each class of the older version, the positions of the properties in the order of the result.
  /// An embedded class has all properties, or it matches no class.
  let kept: [[Int]]

  /// - Parameter kept: for each class of the salvaged version, the positions of the properties in the
  ///   result.
  init(_ salvaged: Schema, keeping kept: [[Int]], in older: Schema) {
    let positions = Dictionary(
      older.tables.map { ($0.key, $0.position) }, uniquingKeysWith: { first, _ in first })
    var classes: [Int?] = salvaged.tables.map { table in
      guard let position = positions[table.key] else { return nil }
      let other = older.tables[position]
      return other.name.bytes == table.name.bytes && other.kind == table.kind ? position : nil
    }
    func columns(_ i: Int) -> [Int?] {
      guard let position = classes[i] else { return kept[i].map { _ in nil } }
      let (table, other) = (salvaged.tables[i], older.tables[position])
      let places = Dictionary(
        other.columns.enumerated().map { ($1.key, $0) }, uniquingKeysWith: { first, _ in first })
      return kept[i].map { property in
        let column = table.columns[property]
        guard let place = places[column.key], other.columns[place].target == column.target else {
          return nil
        }
        let target = column.property.target
        return target.map { classes[$0] == nil } ?? false ? nil : place
      }
    }
    // An embedded object is taken whole. Without its class, other embedded classes can become useless.
    var isStable = false
    while !isStable {
      isStable = true
      for (i, table) in salvaged.tables.enumerated()
      where table.kind == .embedded && classes[i] != nil && columns(i).contains(nil) {
        (classes[i], isStable) = (nil, false)
      }
    }
    self.classes = classes
    properties = salvaged.tables.indices.map(columns)
    var origins: [Int?] = older.tables.map { _ in nil }
    var order: [[Int]] = older.tables.map { _ in [] }
    for (i, position) in classes.enumerated() {
      guard let position else { continue }
      origins[position] = i
      order[position] = properties[i].compactMap { $0 }
    }
    (self.origins, self.kept) = (origins, order)
  }
}
