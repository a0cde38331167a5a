import RealmModel
import RealmStorage

/// Changes entries of a search index: builds the nodes on the paths to them, and copies all others
/// (chapter 3, sections 5.3 to 5.7).
///
/// Like the reference, it does not put entries back to the level before when others are removed.
struct SearchIndexEditor {
  /// The last level: values whose chunks are equal up to here share a list.
  private static let lastLevel = SearchIndexNode.levelLimit - 1

  /// An object with its value.
  private struct Row {
    let value: IndexedBytes
    let key: ObjectKey
  }

  /// A node in the new file, and its last chunk.
  private struct Child {
    let last: Int32
    let ref: Ref
  }

  private let isOfWords: Bool
  private let order: StoredOrder
  private let nodes: NodeReader
  private let writer: RealmFileWriter
  private var values: StoredValues
  /// The chunks of the levels above the current one.
  private var path: [Int32] = []

  /// - Parameters:
  ///   - nodes: reads the realm with the index.
  ///   - values: finds the values of objects whose entries stay.
  init(
    _ form: IndexEntryList.Form, _ order: StoredOrder, _ nodes: NodeReader,
    _ writer: RealmFileWriter, _ values: StoredValues
  ) {
    if case .words = form { isOfWords = true } else { isOfWords = false }
    (self.order, self.nodes, self.writer, self.values) = (order, nodes, writer, values)
  }

  /// Writes the index with the changes. An entry to remove that does not exist is left out, and so is one to add that
  /// exists: such an index is wrong before and after.
  ///
  /// - Parameters:
  ///   - root: the root of the old index.
  ///   - changes: in the order of the index.
  /// - Returns: the root of the new index.
  /// - Throws: `damaged` with a rule of group `index`; the errors of an encrypted realm and of the output.
  mutating func edit(
    _ root: Ref, _ changes: [IndexChange], _ copier: inout NodeCopier
  ) throws(RealmFileError) -> Ref {
    if let root = try level(at: root, changes[...], &copier) { return root }
    return try appending {
      SearchIndexNode.encode(chunks: [], entries: [], isInner: false, into: $0)
    }
  }

  private func appending(_ body: (NodeBuffer) -> Ref) throws(RealmFileError) -> Ref {
    let nodes = FileNodes(writer)
    let ref = body(nodes.buffer)
    try nodes.flush()
    return ref
  }

  // MARK: Old nodes

  /// Writes a level with changes.
  ///
  /// - Returns: its root; nil if nothing is left.
  private mutating func level(
    at root: Ref, _ changes: ArraySlice<IndexChange>, _ copier: inout NodeCopier
  ) throws(RealmFileError) -> Ref? {
    guard path.count <= SearchIndexEditor.lastLevel else {
      throw .damaged(
        .indexDepth, at: root, "the node is at level \(path.count), expected fewer levels")
    }
    return try self.root(above: replaced(root, changes, &copier, depth: 0))
  }

  /// Writes the nodes that take the place of a node with changes.
  ///
  /// - Parameter depth: number of nodes above it in the level.
  private mutating func replaced(
    _ ref: Ref, _ changes: ArraySlice<IndexChange>, _ copier: inout NodeCopier, depth: Int
  ) throws(RealmFileError) -> [Child] {
    guard depth <= SearchIndexNode.depthLimit else {
      throw .damaged(
        .indexDepth, at: ref, "the node is below \(depth) nodes, more than a level has")
    }
    let node = try SearchIndexNode(at: ref, nodes)
    guard node.isInner else { return try leaves(of: try entries(of: node, changes, &copier)) }
    let level = path.count
    var (children, rest): ([Child], ArraySlice<IndexChange>) = ([], changes)
    for i in 0..<node.count {
      let last = node.chunk(i)
      let own =
        i == node.count - 1 ? rest : rest.prefix { $0.value.chunk(level) <= last }
      rest = rest.dropFirst(own.count)
      let child = try node.child(i)
      if own.isEmpty {
        children.append(Child(last: last, ref: try copier.copy(child)))
      } else {
        children += try replaced(child, own, &copier, depth: depth + 1)
      }
    }
    return try inner(above: children)
  }

  /// The entries of a leaf with changes: chunks and payloads of the new file.
  private mutating func entries(
    of node: SearchIndexNode, _ changes: ArraySlice<IndexChange>, _ copier: inout NodeCopier
  ) throws(RealmFileError) -> [(chunk: Int32, payload: Int64)] {
    let level = path.count
    var entries: [(chunk: Int32, payload: Int64)] = []
    var (next, rest) = (0, changes)
    while next < node.count || !rest.isEmpty {
      let stored = next < node.count ? node.chunk(next) : nil
      let wanted = rest.first?.value.chunk(level)
      guard let chunk = [stored, wanted].compactMap(\.self).min() else { break }
      let own = rest.prefix { $0.value.chunk(level) == chunk }
      rest = rest.dropFirst(own.count)
      var payload: Int64?
      if stored == chunk {
        payload =
          own.isEmpty
          ? try copied(next, of: node, &copier)
          : try changed(try node.entry(next, nodes), chunk, own, &copier)
        next += 1
      } else {
        payload = try self.payload(of: SearchIndexEditor.rows(addedBy: own))
      }
      if let payload { entries.append((chunk, payload)) }
    }
    return entries
  }

  private func copied(
    _ position: Int, of node: SearchIndexNode, _ copier: inout NodeCopier
  ) throws(RealmFileError) -> Int64 {
    switch node.node.element(at: position + 1) {
    case .null:
      throw .damaged(
        .indexNode, at: node.node.ref, "entry \(position) is 0, expected a ref or an object key")
    case .tagged: node.node.integer(at: position + 1)
    case .ref(let ref): Int64(try copier.copy(ref))
    }
  }

  /// The payload of a chunk with changes; nil if no object is left.
  private mutating func changed(
    _ entry: SearchIndexNode.Entry, _ chunk: Int32, _ changes: ArraySlice<IndexChange>,
    _ copier: inout NodeCopier
  ) throws(RealmFileError) -> Int64? {
    let stored: [ObjectKey]
    switch entry {
    case .level(let root):
      path.append(chunk)
      defer { path.removeLast() }
      return try level(at: root, changes, &copier).map { Int64($0) }
    case .object(let key): stored = [key]
    case .list(let root): stored = try keys(ofList: root)
    }
    let removed = Set(changes.filter { !$0.isAdded }.map(\.key))
    let kept = stored.filter { !removed.contains($0) }
    let added = SearchIndexEditor.rows(addedBy: changes)
    guard !added.isEmpty else { return try list(kept) }
    var rows: [Row] = []
    if path.count == SearchIndexEditor.lastLevel, !isOfWords {
      for key in kept { rows.append(Row(value: try values.value(of: key), key: key)) }
    } else if let first = kept.first {
      // The objects of a list before the last level have one value.
      let value =
        isOfWords ? IndexedBytes(wordWith: path + [chunk]) : try values.value(of: first)
      rows = kept.map { Row(value: value, key: $0) }
    }
    let known = Set(kept)
    return try payload(
      of: rows
        + added.filter { row in
          !known.contains(row.key) || !rows.contains { $0.key == row.key && $0.value == row.value }
        })
  }

  private static func rows(addedBy changes: ArraySlice<IndexChange>) -> [Row] {
    changes.filter(\.isAdded).map { Row(value: $0.value, key: $0.key) }
  }

  private func keys(ofList root: Ref) throws(RealmFileError) -> [ObjectKey] {
    var keys: [ObjectKey] = []
    var leaves = BPlusTreeLeaves(root: root, nodes: nodes)
    while let leaf = try leaves.next() {
      guard leaf.isIntegers else { throw Leaf.kindError(leaf, expected: "object keys of a list") }
      try Leaf.check(leaf.count, rows: nil, at: leaf)
      keys += leaf.integers().map { ObjectKey($0) }
    }
    return keys
  }

  // MARK: New nodes

  /// The payload for objects whose values share the chunks up to the current level; nil for no object.
  private mutating func payload(of rows: [Row]) throws(RealmFileError) -> Int64? {
    guard let first = rows.first else { return nil }
    let level = path.count
    let isOne = rows.allSatisfy { $0.value == first.value }
    if isOne, !isOfWords || first.value.ends(at: level) {
      return try list(rows.map(\.key).sorted { $0.raw < $1.raw })
    }
    guard level < SearchIndexEditor.lastLevel else {
      return try list(rows.sorted { precedes($0, $1) }.map(\.key))
    }
    let groups = Dictionary(grouping: rows) { $0.value.chunk(level + 1) }
    path.append(rows[0].value.chunk(level))
    defer { path.removeLast() }
    var entries: [(chunk: Int32, payload: Int64)] = []
    for (chunk, rows) in groups.sorted(by: { $0.key < $1.key }) {
      if let payload = try payload(of: rows) { entries.append((chunk, payload)) }
    }
    return try root(above: leaves(of: entries)).map { Int64($0) }
  }

  /// The order of different values that share a list.
  private func precedes(_ a: Row, _ b: Row) -> Bool {
    let slices = SliceColumn(copying: [a.value.bytes, b.value.bytes])
    defer { withExtendedLifetime(slices) {} }
    guard let x = slices[0], let y = slices[1] else { return slices[1] != nil }
    let comparison = order.compare(strings: x, y)
    return comparison == 0 ? a.key.raw < b.key.raw : comparison < 0
  }

  /// The payload for objects in this order; nil for none.
  private func list(_ keys: [ObjectKey]) throws(RealmFileError) -> Int64? {
    guard keys.count > 1 else { return keys.first.map { BacklinkLeaf.element($0) } }
    return Int64(
      try appending { nodes in
        var tree = BPlusTreeBuilder()
        for start in stride(from: 0, to: keys.count, by: BPlusTreeLeaves.capacity) {
          let some = keys[start..<min(start + BPlusTreeLeaves.capacity, keys.count)]
          tree.append(leaf: nodes.append(integers: some.map(\.raw)), count: some.count)
        }
        return tree.finish(into: nodes)
      })
  }

  /// Writes leaves with entries.
  private func leaves(
    of entries: [(chunk: Int32, payload: Int64)]
  ) throws(RealmFileError) -> [Child] {
    try encoded(entries.map { ($0.chunk, $0.payload) }, isInner: false)
  }

  /// Writes inner nodes above nodes of the same height.
  private func inner(above children: [Child]) throws(RealmFileError) -> [Child] {
    try encoded(children.map { ($0.last, Int64($0.ref)) }, isInner: true)
  }

  /// Writes nodes of about the same size.
  private func encoded(
    _ entries: [(Int32, Int64)], isInner: Bool
  ) throws(RealmFileError) -> [Child] {
    guard !entries.isEmpty else { return [] }
    let count = (entries.count + SearchIndexNode.capacity - 1) / SearchIndexNode.capacity
    var children: [Child] = []
    for i in 0..<count {
      let some = entries[(entries.count * i / count)..<(entries.count * (i + 1) / count)]
      let ref = try appending {
        SearchIndexNode.encode(
          chunks: some.map { Int64($0.0) }[...], entries: some.map(\.1)[...], isInner: isInner,
          into: $0)
      }
      children.append(Child(last: some.last?.0 ?? 0, ref: ref))
    }
    return children
  }

  /// Writes the inner nodes of a level.
  ///
  /// - Returns: the root; nil if there are no nodes.
  private func root(above children: [Child]) throws(RealmFileError) -> Ref? {
    var level = children
    while level.count > 1 { level = try inner(above: level) }
    return level.first?.ref
  }
}

/// Finds values of objects of a realm, for an index. Used by one thread.
struct StoredValues {
  private let reader: RealmReader
  private var column: IndexedColumn

  init(
    _ column: Column, _ clusters: [ClusterPosition], _ realm: Realm
  ) throws(RealmFileError) {
    reader = try RealmReader(realm)
    self.column = IndexedColumn(column, clusters, failure: nil, reader: reader)
  }

  /// - Throws: `damaged` if there is no such object, or if its value cannot be read.
  mutating func value(of key: ObjectKey) throws(RealmFileError) -> IndexedBytes {
    let mark = reader.nodes.mark()
    defer {
      column.endBatch()
      reader.nodes.release(to: mark)
    }
    switch column.find(key) {
    case .value(_, let value): return IndexedBytes(IndexData(value))
    case .missing, .unread:
      throw column.failure
        ?? RealmFileError(
          .damaged(.indexExtraEntry), property: column.column.name.text, objectKey: key.raw,
          detail: "the index has an entry of an object that does not exist")
    }
  }
}
