package import RealmStorage

/// Finds objects through a search index (chapter 3, sections 5.6 and 5.7).
package struct IndexSearch {
  private let column: Column
  private let nodes: NodeReader

  /// - Parameter column: a column with an index.
  package init(_ column: Column, _ nodes: NodeReader) {
    (self.column, self.nodes) = (column, nodes)
  }

  /// The keys of all objects that have `value`, and of some that do not. Different values can share an entry, so
  /// the caller compares the values themselves.
  ///
  /// - Parameter limit: maximum number of keys.
  /// - Returns: the keys in ascending order, each once; nil if there are more than `limit`.
  /// - Throws: `damaged` with a rule of group `index`.
  package func candidates(
    for value: BatchValue, limit: Int
  ) throws(RealmFileError) -> [ObjectKey]? {
    try candidates(for: IndexData(MixedValue(value)), limit: limit)
  }

  /// Like ``candidates(for:limit:)-(BatchValue,_)``.
  package func candidates(
    for data: IndexData, limit: Int
  ) throws(RealmFileError) -> [ObjectKey]? {
    try collecting(limit) { (keys) throws(RealmFileError) in
      var ref = column.index
      for level in 0..<SearchIndexNode.levelLimit {
        guard let entry = try entry(data.chunk(at: level * 4), in: ref) else { return }
        guard let next = try add(entry, to: &keys) else { return }
        ref = next
      }
    }
  }

  /// The keys of the objects whose string contains `word`.
  ///
  /// - Parameters:
  ///   - word: as ``FullTextWords`` returns it.
  ///   - isPrefix: whether longer words that begin with `word` also match.
  /// - Returns: as ``candidates(for:limit:)``.
  package func objects(
    with word: [UInt8], isPrefix: Bool, limit: Int
  ) throws(RealmFileError) -> [ObjectKey]? {
    try collecting(limit) { (keys) throws(RealmFileError) in
      var ref = column.index
      let wholeChunks = word.count / 4
      for level in 0..<wholeChunks {
        let chunk = IndexSearch.chunk(word[(level * 4)..<(level * 4 + 4)], filler: 0)
        guard let entry = try entry(chunk, in: ref) else { return }
        switch entry {
        case .object, .list:
          // A stored word ends here. It is `word` if all bytes of that were compared.
          if level * 4 + 4 == word.count { _ = try add(entry, to: &keys) }
          return
        case .level(let next): ref = next
        }
      }
      let rest = word[(wholeChunks * 4)...]
      guard isPrefix else {
        let last = IndexSearch.chunk(rest + [IndexSearch.terminator], filler: 0)
        guard let entry = try entry(last, in: ref) else { return }
        _ = try add(entry, to: &keys)
        return
      }
      let range =
        rest.isEmpty
        ? Int32.min...Int32.max
        : IndexSearch.chunk(rest, filler: 0)...IndexSearch.chunk(rest, filler: 0xFF)
      try addAll(in: ref, range, to: &keys, depth: 0)
    }
  }

  /// The keys of all objects in the readable nodes of the index.
  ///
  /// - Parameter limit: maximum number of keys.
  /// - Returns: the keys in ascending order, each once; nil if there are more than `limit`.
  /// - Throws: errors that are not damage.
  package func allObjects(limit: Int) throws(RealmFileError) -> [ObjectKey]? {
    try collecting(limit) { (keys) throws(RealmFileError) in
      try addAll(in: column.index, Int32.min...Int32.max, leavesOut: true, to: &keys, depth: 0)
    }
  }

  private static let terminator = UInt8(ascii: "X")

  /// Up to four bytes as a big-endian number, with `filler` after them.
  private static func chunk(_ bytes: ArraySlice<UInt8>, filler: UInt8) -> Int32 {
    var chunk: UInt32 = 0
    for i in 0..<4 {
      chunk = chunk << 8 | UInt32(i < bytes.count ? bytes[bytes.startIndex + i] : filler)
    }
    return Int32(bitPattern: chunk)
  }

  private func collecting(
    _ limit: Int, _ body: (inout Keys) throws(RealmFileError) -> Void
  ) throws(RealmFileError) -> [ObjectKey]? {
    var keys = Keys(limit: limit)
    do {
      try nodes.traversing { () throws(RealmFileError) in try body(&keys) }
    } catch {
      throw error.adding(property: column.name.text)
    }
    guard !keys.isOverLimit else { return nil }
    // The keys of a single list ascend already.
    let (all, isAscending) = keys.all
    guard !isAscending else { return all }
    var sorted = all.sorted { $0.raw < $1.raw }
    var kept = 0
    for i in sorted.indices where i == 0 || sorted[i] != sorted[kept - 1] {
      sorted[kept] = sorted[i]
      kept += 1
    }
    return Array(sorted[..<kept])
  }

  private struct Keys {
    let limit: Int
    private var count = 0
    /// The keys of each leaf. A single array would be copied each time it grows.
    private var leaves: [[Int64]] = []
    /// Keys of single objects, which come after `leaves`.
    private var objects: [Int64] = []

    init(limit: Int) { self.limit = limit }

    var isOverLimit: Bool { count > limit }

    mutating func add(_ key: ObjectKey) {
      count += 1
      objects.append(key.raw)
    }

    mutating func add(_ leaf: Node) {
      count += leaf.count
      if !objects.isEmpty {
        leaves.append(objects)
        objects = []
      }
      leaves.append(leaf.integers())
    }

    /// All keys in the order in which they were added, and whether they ascend.
    var all: (keys: [ObjectKey], isAscending: Bool) {
      var (isAscending, last) = (true, Int64.min)
      let keys = unsafe [ObjectKey](unsafeUninitializedCapacity: count) { out, initialized in
        for part in leaves + [objects] {
          for key in part {
            isAscending = isAscending && (key > last || initialized == 0)
            last = key
            unsafe (out.baseAddress.unsafelyUnwrapped + initialized).initialize(to: ObjectKey(key))
            initialized += 1
          }
        }
      }
      return (keys, isAscending)
    }
  }

  // MARK: Nodes

  private func entry(
    _ chunk: Int32, in root: Ref
  ) throws(RealmFileError) -> SearchIndexNode.Entry? {
    var ref = root
    // The traversal ends a cycle, because it opens no more bytes than the file has.
    while true {
      let node = try SearchIndexNode(at: ref, nodes)
      let position = node.position(of: chunk)
      guard position < node.count else { return nil }
      guard node.isInner else {
        return node.chunk(position) == chunk ? try node.entry(position, nodes) : nil
      }
      ref = try node.child(position)
    }
  }

  /// Adds the objects of an entry.
  ///
  /// - Returns: the next level, if the entry refers to one.
  private func add(
    _ entry: SearchIndexNode.Entry, to keys: inout Keys
  ) throws(RealmFileError) -> Ref? {
    switch entry {
    case .level(let ref): return ref
    case .object(let key): keys.add(key)
    case .list(let root):
      var leaves = BPlusTreeLeaves(root: root, nodes: nodes)
      while !keys.isOverLimit, let leaf = try leaves.next() {
        guard leaf.isIntegers else { throw Leaf.kindError(leaf, expected: "object keys of a list") }
        try Leaf.check(leaf.count, rows: nil, at: leaf)
        keys.add(leaf)
      }
    }
    return nil
  }

  /// Adds the objects of all entries with a chunk in `range`, and of the levels below.
  ///
  /// - Parameters:
  ///   - leavesOut: whether nodes that cannot be read are left out.
  ///   - depth: number of nodes above this one.
  private func addAll(
    in ref: Ref, _ range: ClosedRange<Int32>, leavesOut: Bool = false, to keys: inout Keys,
    depth: Int
  ) throws(RealmFileError) {
    func reading(_ body: (inout Keys) throws(RealmFileError) -> Void) throws(RealmFileError) {
      do {
        try body(&keys)
      } catch {
        guard leavesOut, error.isDamage else { throw error }
      }
    }
    guard depth <= SearchIndexNode.levelLimit * SearchIndexNode.depthLimit else {
      throw .damaged(
        .indexDepth, at: ref, "the node is below \(depth) nodes, more than an index has levels")
    }
    let node = try SearchIndexNode(at: ref, nodes)
    for i in node.position(of: range.lowerBound)..<node.count where !keys.isOverLimit {
      let isBehind = node.chunk(i) > range.upperBound
      try reading { (keys) throws(RealmFileError) in
        if node.isInner {
          // The key of a child is its last one, so the first key past the range can have entries in it.
          try addAll(
            in: try node.child(i), range, leavesOut: leavesOut, to: &keys, depth: depth + 1)
        } else if !isBehind, let next = try add(try node.entry(i, nodes), to: &keys) {
          try addAll(
            in: next, Int32.min...Int32.max, leavesOut: leavesOut, to: &keys, depth: depth + 1)
        }
      }
      if isBehind { return }
    }
  }
}
