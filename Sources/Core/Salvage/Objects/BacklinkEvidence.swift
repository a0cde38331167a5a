import RealmModel
import RealmStorage

/// Compares links of a damaged realm with the backlinks of their targets (chapter 3, section 6.2): bytes that overwrote a
/// leaf of links are often keys of objects, but these objects have no backlinks to the origin. Used by one thread.
struct BacklinkEvidence {
  /// The most backlinks to compare for one link; more prove nothing.
  private static let limit = 256
  private let reader: PropertyReader
  /// The first key given to objects that lost theirs, by slot of their table. Backlinks have the lost keys.
  private let firstNewKeys: [Int: UInt64]

  /// - Throws: the errors of an encrypted realm.
  init(_ realm: Realm, firstNewKeys: [Int: UInt64]) throws(RealmFileError) {
    reader = try PropertyReader(realm)
    self.firstNewKeys = firstNewKeys
  }

  /// Compares links with the backlinks of their targets.
  ///
  /// - Parameters:
  ///   - property: position of the property in its class, whose table is at `position`.
  ///   - keys: the objects that the links are in.
  /// - Returns: the rows whose link is not among the backlinks of its target.
  /// - Throws: errors that are not damage.
  func contradicted(
    _ links: LinkColumn, ofProperty property: Int, ofClass position: Int, _ keys: [ObjectKey]
  ) throws(RealmFileError) -> [Int] {
    let tables = reader.realm.schema.tables
    let (origin, target) = (tables[position], tables[links.target])
    let column = origin.columns[property].key
    guard
      let backlinks = target.backlinkColumns.first(where: {
        $0.origin == origin.key && $0.originColumn == column
      })
    else { return [] }
    let limit = firstNewKeys[origin.key.slot] ?? ClusterSurvey.allKeys.upperBound
    var contradicted: [Int] = []
    for row in links.keys.indices where !links.unresolved[row] && !links.nulls[row] {
      guard UInt64(bitPattern: keys[row].raw) < limit else { continue }
      let mark = reader.mark()
      defer { reader.release(to: mark) }
      let found = try undamaged(
        reader.backlinks(
          backlinks, reader.rows([links.keys[row]], of: target), limit: BacklinkEvidence.limit))
      // Too many backlinks prove nothing.
      guard let found, let page = found else { continue }
      if !page.keys.contains(keys[row]) { contradicted.append(row) }
    }
    return contradicted
  }
}
