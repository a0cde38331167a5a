import RealmModel
import RealmStorage

/// Finds the objects of a class whose links lead to known objects: follows the links from their end, over
/// backlinks.
///
/// Stored backlinks of a damaged realm can differ from its links. So a caller tests each object that is found; an
/// object that the backlinks leave out is not found.
struct ReverseLinks {
  /// The most objects to collect: each takes 8 bytes.
  private static let objectLimit = 1 << 22

  private let realm: Realm
  /// The steps back, each with the class where it begins; the last one reaches the class that has the links.
  private var steps: [(start: Table, step: LinkStep)] = []
  /// The links as in a query.
  let path: String

  /// - Parameter links: the links, which begin in the class of `table`.
  /// - Returns: nil without links, or if the realm has no backlinks for one of them.
  init?(_ realm: Realm, _ table: Table, _ links: [LinkStep]) {
    self.realm = realm
    let tables = realm.schema.tables
    var names: [String] = []
    var origin = table.position
    for link in links {
      let step: LinkStep
      switch link.source {
      case .property(let property):
        let column = tables[origin].columns[property]
        let hasBacklinks = tables[link.target].backlinkColumns.contains {
          $0.origin == tables[origin].key && $0.originColumn == column.key
        }
        guard hasBacklinks else { return nil }
        step = LinkStep(
          source: .backlinks(origin: origin, property: property), target: origin, isMultiple: true)
        names.append(column.name.text)
      case .backlinks(let linking, let property):
        let column = tables[linking].columns[property]
        step = LinkStep(
          source: .property(property), target: origin, isMultiple: column.collection != nil)
        names.append("@links.\(tables[linking].className.text).\(column.name.text)")
      }
      steps.insert((tables[link.target], step), at: 0)
      origin = link.target
    }
    guard !steps.isEmpty else { return nil }
    path = names.joined(separator: ".")
  }

  /// The keys of the objects whose links lead to objects of `set`, in ascending order. Damaged backlinks can give
  /// keys of objects that do not exist, or that do not have the link.
  ///
  /// - Parameter limit: the most objects to look at on each step.
  /// - Returns: nil if there are more, or if backlinks cannot be read.
  /// - Throws: the errors of reading that are not damage.
  func owners(
    of set: KeySet, _ evaluator: Evaluator, limit: Int
  ) throws(RealmFileError) -> [ObjectKey]? {
    let limit = min(limit, ReverseLinks.objectLimit)
    guard set.count <= limit else { return nil }
    var keys = set.sortedKeys
    do throws(RealmFileError) {
      for (start, step) in steps {
        guard let found = try follow(step, from: keys, of: start, evaluator, limit: limit)
        else { return nil }
        keys = found
      }
    } catch {
      guard error.isDamage || ObjectFrame.isTooMany(error) else { throw error }
      return nil
    }
    return keys
  }

  /// The objects that `step` reaches from the objects with `keys`, each once, in ascending order.
  private func follow(
    _ step: LinkStep, from keys: [ObjectKey], of table: Table, _ evaluator: Evaluator, limit: Int
  ) throws(RealmFileError) -> [ObjectKey]? {
    let reader = evaluator.reader
    let openedBefore = reader.openedByteCount
    var found: [ObjectKey] = []
    for start in stride(from: 0, to: keys.count, by: ObjectBatch.capacity) {
      try evaluator.plan.cancellation?.check()
      let mark = reader.mark()
      defer { reader.release(to: mark) }
      let batch = Array(keys[start..<min(start + ObjectBatch.capacity, keys.count)])
      let rows = try reader.existingRows(batch, of: table)
      let frame = ObjectFrame(rows, reader, limit: limit - found.count)
      found += try evaluator.follow([step], frame, Array(0..<rows.count)).keys
      // The backlinks of different objects are in different nodes.
      guard found.count <= limit,
        reader.openedByteCount - openedBefore <= realm.snapshot.top.logicalSize
      else { return nil }
    }
    found.sort { $0.raw < $1.raw }
    var kept = 0
    for i in found.indices where i == 0 || found[i] != found[kept - 1] {
      found[kept] = found[i]
      kept += 1
    }
    found.removeSubrange(kept...)
    return found
  }
}
