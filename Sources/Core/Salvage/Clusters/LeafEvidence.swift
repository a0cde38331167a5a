import RealmModel
import RealmStorage

/// What the indexes of a table say about leaves.
struct LeafEvidence {
  /// The most objects that an index may have for one value; more prove nothing.
  private static let candidateLimit = 4096
  /// The most objects in an index that are compared with a leaf; more prove nothing.
  private static let objectLimit = 1 << 24
  /// A list with fewer values can happen to hold the primary keys of consecutive objects.
  private static let leastCount = 8

  private let form: OrphanForm
  private let nodes: NodeReader
  /// Position of the primary key; nil if there is none or it has no index.
  let primaryKey: Int?
  /// The columns with an index.
  let indexed: [Int]
  private let known = KnownKeys()

  /// The keys of all objects in the index of the primary key, once read.
  private final class KnownKeys {
    var keys: [UInt64]?
    var wasRead = false
  }

  init(_ form: OrphanForm, _ nodes: NodeReader) {
    (self.form, self.nodes) = (form, nodes)
    let layout = form.layout
    let indexed = form.columns.filter { LeafEvidence.column($0, layout) != nil }
    self.indexed = indexed
    let primaryKey = (try? layout.primaryKey()) ?? nil
    self.primaryKey = primaryKey.flatMap { indexed.contains($0) ? $0 : nil }
  }

  private static func column(_ position: Int, _ layout: TableLayout) -> Column? {
    let key = layout.spec.keys[position]
    guard key.collection == nil, position < layout.spec.names.count, let type = key.type,
      type != .link, type != .mixed, let stored = try? layout.column(position, type),
      stored.index != 0, stored.enumeration == 0
    else { return nil }
    let column = Column(stored, layout.property(of: stored, target: nil))
    return layout.property(of: stored, target: nil).index == .fulltext ? nil : column
  }

  /// The keys of the objects whose primary keys are in the leaf at `ref`, in the order of the rows;
  /// nil if the index does not have one object for each.
  ///
  /// A list can hold such values too: see ``areAll(_:in:)``.
  func keys(ofPrimaryKeys ref: Ref, rows: Int) -> [UInt64]? {
    guard let primaryKey else { return nil }
    var keys: [UInt64] = []
    let isKnown = eachRow(ofLeaf: ref, primaryKey, rows) { _, candidates in
      guard let candidates, candidates.count == 1, candidates[0].raw >= 0 else { return false }
      keys.append(UInt64(candidates[0].raw))
      return true
    }
    return isKnown && keys.count == rows ? keys : nil
  }

  /// Whether `keys` are those of all objects in a range of keys, in ascending order, according to the
  /// index of the primary key. A list of values does not have all of them.
  ///
  /// - Parameter range: nil for the keys from the first to the last one.
  func areAll(_ keys: [UInt64], in range: Range<UInt64>? = nil) -> Bool {
    guard let first = keys.first, let last = keys.last, first <= last,
      range != nil || keys.count >= LeafEvidence.leastCount
    else { return false }
    return objects(in: range ?? first..<last + 1).map { $0.elementsEqual(keys) } ?? false
  }

  /// The keys in `range` in the index of the primary key, in ascending order; nil if it is unreadable.
  private func objects(in range: Range<UInt64>) -> ArraySlice<UInt64>? {
    if !known.wasRead, let primaryKey, let column = LeafEvidence.column(primaryKey, form.layout) {
      known.wasRead = true
      // Each takes at least four bytes, as a key or as an entry.
      let limit = min(LeafEvidence.objectLimit, nodes.logicalSize / 4)
      let all = (try? IndexSearch(column, nodes).allObjects(limit: limit)) ?? nil
      known.keys = all?.filter { $0.raw >= 0 }.map { UInt64($0.raw) }
    }
    guard let keys = known.keys else { return nil }
    let start = keys.prefixEnd { $0 < range.lowerBound }
    return keys[start..<keys.prefixEnd { $0 < range.upperBound }]
  }

  /// Whether the objects with `keys` have the values of the leaf at `ref` according to the index. If
  /// so, these are the right values, even if the leaf belongs elsewhere.
  func confirms(leaf ref: Ref, of column: Int, keys: [ObjectKey]) -> Bool {
    guard indexed.contains(column) else { return false }
    return eachRow(ofLeaf: ref, column, keys.count) { row, candidates in
      candidates?.contains(keys[row]) ?? false
    }
  }

  /// - Parameter body: receives each row and the objects that the index has for its value, nil for too
  ///   many; returns false to stop.
  /// - Returns: false if it was stopped, or a value or the index cannot be read.
  private func eachRow(
    ofLeaf ref: Ref, _ position: Int, _ rows: Int, _ body: (Int, [ObjectKey]?) -> Bool
  ) -> Bool {
    let mark = nodes.mark()
    defer { nodes.release(to: mark) }
    guard let column = LeafEvidence.column(position, form.layout), let node = try? nodes.lookUp(ref)
    else { return false }
    let search = IndexSearch(column, nodes)
    for row in 0..<rows {
      guard
        let value = try? Leaf.value(of: column, in: node, row: row, enumeration: nil, nodes),
        let candidates = try? search.candidates(
          for: value.plain, limit: LeafEvidence.candidateLimit), body(row, candidates)
      else { return false }
    }
    return true
  }
}
