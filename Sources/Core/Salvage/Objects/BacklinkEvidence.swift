import RealmModel
import RealmStorage

/// Compares links of a damaged realm with the backlinks of their targets (chapter 3, section 6.2): bytes that overwrote a
/// leaf of links are often keys of objects, but these objects have no backlinks to the origin. Used by one thread.
struct BacklinkEvidence {
  /// The most backlinks to compare for one link; more prove nothing.
  private static let limit = 256
  /// The fewest contradicted links that show overwritten bytes.
  private static let leastContradicted = 8

  private let reader: PropertyReader
  /// The first key given to objects that lost theirs, by slot of their table. Backlinks have the lost keys.
  private let firstNewKeys: [Int: UInt64]

  /// - Throws: the errors of an encrypted realm.
  init(_ realm: Realm, firstNewKeys: [Int: UInt64]) throws(RealmFileError) {
    reader = try PropertyReader(realm)
    self.firstNewKeys = firstNewKeys
  }

  /// What the backlinks say about the links of some objects.
  struct Verdict {
    /// The rows whose link is not among the backlinks of its target.
    var contradicted: [Int] = []
    /// The rows with a null, or with a link whose target has no readable backlinks.
    var unknown: [Int] = []

    /// The rows about which the backlinks say nothing, between those whose links are contradicted: bytes that overwrote
    /// links can be nulls or links, too.
    var doubtful: [Int] {
      guard contradicted.count >= leastContradicted, let first = contradicted.first,
        let last = contradicted.last
      else { return [] }
      return unknown.filter { (first...last).contains($0) }
    }
  }

  /// Compares links with the backlinks of their targets.
  ///
  /// - Parameters:
  ///   - property: position of the property in its class, whose table is at `position`.
  ///   - keys: the objects that the links are in.
  /// - Throws: errors that are not damage.
  func judge(
    _ links: LinkColumn, ofProperty property: Int, ofClass position: Int, _ keys: [ObjectKey]
  ) throws(RealmFileError) -> Verdict {
    let tables = reader.realm.schema.tables
    let (origin, target) = (tables[position], tables[links.target])
    let column = origin.columns[property].key
    guard
      let backlinks = target.backlinkColumns.first(where: {
        $0.origin == origin.key && $0.originColumn == column
      })
    else { return Verdict() }
    let limit = firstNewKeys[origin.key.slot] ?? ClusterSurvey.allKeys.upperBound
    var verdict = Verdict()
    for row in links.keys.indices where !links.unresolved[row] {
      guard UInt64(bitPattern: keys[row].raw) < limit else { continue }
      guard !links.nulls[row] else {
        verdict.unknown.append(row)
        continue
      }
      let mark = reader.mark()
      defer { reader.release(to: mark) }
      let found = try undamaged(
        reader.backlinks(
          backlinks, reader.rows([links.keys[row]], of: target), limit: BacklinkEvidence.limit))
      guard let page = found else {
        verdict.unknown.append(row)
        continue
      }
      // Too many backlinks prove nothing.
      guard let page else { continue }
      if !page.keys.contains(keys[row]) { verdict.contradicted.append(row) }
    }
    return verdict
  }
}
