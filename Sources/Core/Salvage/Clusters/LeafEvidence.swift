import RealmModel
import RealmStorage

/// What the indexes of a table tell about leaves.
struct LeafEvidence {
  /// Objects that an index may name for one value; of more, nothing is concluded.
  private static let candidateLimit = 4096
  /// Objects of an index that are compared with a leaf; of more, nothing is concluded.
  private static let objectLimit = 1 << 24
  /// A list of fewer values can be the primary keys of objects that follow one another.
  private static let leastCount = 8

  private let form: OrphanForm
  private let nodes: NodeReader
  /// Position of the primary key; nil for none, and for one without index.
  let primaryKey: Int?
  /// The columns with an index.
  let indexed: [Int]
  private let known = KnownKeys()

  /// The keys of all objects that the index of the primary key names, once they were asked for.
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

  /// The keys of the objects whose primary keys the leaf at `ref` holds, as the index tells them, in the order
  /// of the rows; nil if it does not tell each of them.
  ///
  /// A list can hold such values, too: see ``areAll(_:in:)``.
  func keys(ofPrimaryKeys ref: Ref, rows: Int) -> [UInt64]? {
    guard let primaryKey else { return nil }
    var keys: [UInt64] = []
    let isTold = eachRow(ofLeaf: ref, primaryKey, rows) { _, candidates in
      guard let candidates, candidates.count == 1, candidates[0].raw >= 0 else { return false }
      keys.append(UInt64(candidates[0].raw))
      return true
    }
    return isTold && keys.count == rows ? keys : nil
  }

  /// Whether `keys` are those of all objects in a range of keys, in ascending order, as the index of the primary key
  /// tells it. A list of values has not all of them.
  ///
  /// - Parameter range: nil for the keys from the first to the last one.
  func areAll(_ keys: [UInt64], in range: Range<UInt64>? = nil) -> Bool {
    guard let first = keys.first, let last = keys.last, first <= last,
      range != nil || keys.count >= LeafEvidence.leastCount
    else { return false }
    return objects(in: range ?? first..<last + 1).map { $0.elementsEqual(keys) } ?? false
  }

  /// The keys in `range` that the index of the primary key names, in ascending order; nil if it cannot be read.
  private func objects(in range: Range<UInt64>) -> ArraySlice<UInt64>? {
    if !known.wasRead, let primaryKey, let column = LeafEvidence.column(primaryKey, form.layout) {
      known.wasRead = true
      // Each takes at least four bytes, as a key or as an entry.
      let limit = min(LeafEvidence.objectLimit, nodes.logicalSize / 4)
      let all = (try? IndexSearch(column, nodes).allObjects(limit: limit)) ?? nil
      known.keys = all?.filter { $0.raw >= 0 }.map { UInt64($0.raw) }
    }
    guard let keys = known.keys else { return nil }
    func position(_ key: UInt64) -> Int {
      var (low, high) = (0, keys.count)
      while low < high {
        let middle = (low + high) / 2
        if keys[middle] < key { low = middle + 1 } else { high = middle }
      }
      return low
    }
    return keys[position(range.lowerBound)..<position(range.upperBound)]
  }

  /// Whether the index tells that the objects with `keys` have the values of the leaf at `ref`. Then it holds
  /// the right values, wherever it belongs.
  func confirms(leaf ref: Ref, of column: Int, keys: [ObjectKey]) -> Bool {
    guard indexed.contains(column) else { return false }
    return eachRow(ofLeaf: ref, column, keys.count) { row, candidates in
      candidates?.contains(keys[row]) ?? false
    }
  }

  /// - Parameter body: receives each row and the objects that the index names for its value, nil for too many;
  ///   returns false to stop.
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
