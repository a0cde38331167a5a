import RealmModel
import RealmStorage

/// Builds a search index from sorted entries (chapter 3, sections 5.3 to 5.7): a radix tree over chunks of four
/// bytes, each level of which is a B-tree.
///
/// Only the levels on the path to the last entry are open, each with its last node. So memory grows only by 16
/// bytes per node of an open level.
struct SearchIndexBuilder {
  /// The last level: values whose chunks are equal up to here share a list.
  private static let lastLevel = SearchIndexNode.levelLimit - 1

  /// An open level: its chunks, and what each chunk refers to.
  private struct Level {
    /// The elements of the last node.
    var chunks: [Int64] = []
    var payloads: [Int64] = []
    /// The last chunk and the ref of each earlier node.
    var lasts: [Int64] = []
    var nodes: [Int64] = []
  }

  private let form: IndexEntryList.Form
  /// The bytes of the entries.
  private var bytes = ByteStore()
  private var nodes: NodeBuffer
  /// The open levels, and after them closed ones, which are empty and keep their memory.
  private var levels = [Level()]
  /// Number of open levels.
  private var depth = 1
  /// The path to the last level, one chunk for each level before.
  private var path: [Int32] = []
  /// The entry whose objects are being collected, and the number of chunks that it shares with the previous
  /// entry.
  private var current: IndexEntry?
  private var common = 0
  private var last: IndexEntry?
  /// Whether the current list has several values, which differ only after the last level.
  private var isListOfSeveral = false
  private var keys: [Int64] = []
  private var lastKey: UInt64 = 0
  private var list = BPlusTreeBuilder()

  /// - Parameter nodes: receives the index.
  init(_ form: IndexEntryList.Form, into nodes: NodeBuffer) {
    (self.form, self.nodes) = (form, nodes)
  }

  /// Appends the values of a batch, which must not come before the previous ones.
  ///
  /// - Parameter duplicate: receives the entry of each object whose value another object has, the key of the object
  ///   and the key of the object before it; nil if nobody asks. Not for mixed indexes.
  mutating func append(
    _ batch: IndexBatch, duplicate: ((IndexEntry, _ key: UInt64, _ other: UInt64) -> Void)? = nil
  ) {
    current = current.map { copied($0, to: batch.bytes) }
    last = last.map { copied($0, to: batch.bytes) }
    bytes = batch.bytes
    let objects = batch.objects
    for i in 0..<batch.count {
      let entry = batch.records.entry(i)
      let repeats = begin(entry, batch.bytes)
      guard form != .mixed else {
        append(key: entry.object)
        continue
      }
      let range = objects.range(of: entry)
      if let duplicate {
        if repeats { duplicate(entry, objects.keys[range.lowerBound], lastKey) }
        for i in range.dropFirst() { duplicate(entry, objects.keys[i], objects.keys[i - 1]) }
      }
      for i in range { append(key: objects.keys[i]) }
    }
  }

  /// The entry with its bytes in `store`.
  private func copied(_ entry: IndexEntry, to store: ByteStore) -> IndexEntry {
    defer { store.append(bytes.slice(at: entry.position, count: entry.byteCount)) }
    return IndexEntry(
      first: entry.first, second: UInt64(store.count) << 24 | UInt64(entry.byteCount),
      object: entry.object)
  }

  /// Continues in another buffer, after the nodes were moved.
  mutating func continues(in nodes: NodeBuffer, after move: RefMove) {
    self.nodes = nodes
    func moved(_ payload: Int64) -> Int64 {
      payload & 1 == 0 ? Int64(move[Int(payload)]) : payload
    }
    for i in levels.indices {
      levels[i].payloads = levels[i].payloads.map(moved)
      levels[i].nodes = levels[i].nodes.map(moved)
    }
    list.move(move)
  }

  /// Begins an entry, which must not come before the previous one.
  ///
  /// - Parameter bytes: the bytes of the entries; an argument because a property would be retained for each entry.
  /// - Returns: whether the previous entry has an equal value.
  private mutating func begin(_ entry: IndexEntry, _ bytes: ByteStore) -> Bool {
    defer { last = entry }
    guard let current, let last else {
      self.current = entry
      return false
    }
    guard !isEqual(last, entry, bytes) else { return true }
    let shared = sharedChunks(last, entry)
    guard shared <= SearchIndexBuilder.lastLevel else {
      isListOfSeveral = true
      return false
    }
    place(current, before: shared)
    self.current = entry
    (common, isListOfSeveral) = (shared, false)
    return false
  }

  private mutating func append(key: UInt64) {
    if keys.count == BPlusTreeLeaves.capacity { endLeaf() }
    keys.append(Int64(bitPattern: key))
    lastKey = key
  }

  private mutating func endLeaf() {
    list.append(.placed(nodes.append(integers: keys)), count: keys.count)
    keys.removeAll(keepingCapacity: true)
  }

  /// Appends the remaining nodes.
  ///
  /// - Returns: the root.
  mutating func finish() -> Ref {
    if let current { place(current, before: 0) }
    close(to: 0)
    return closeLast()
  }

  // MARK: Chunks

  private func chunk(_ entry: IndexEntry, _ level: Int) -> Int32 {
    if level < 2 {
      let word = entry.first ^ IndexEntryList.signs
      return Int32(truncatingIfNeeded: Int64(bitPattern: level == 0 ? word >> 32 : word))
    }
    return LongIndexEntry(entry: entry, bytes: bytes).chunk(at: level * 4)
  }

  /// Number of leading chunks that two different entries share.
  private func sharedChunks(_ a: IndexEntry, _ b: IndexEntry) -> Int {
    // The first two chunks are in the entries.
    if a.first >> 32 != b.first >> 32 { return 0 }
    if a.first != b.first { return 1 }
    var level = 2
    while level <= SearchIndexBuilder.lastLevel, chunk(a, level) == chunk(b, level) {
      // Entries without further bytes are equal.
      if 4 * level > max(a.byteCount, b.byteCount) { return level + 1 }
      level += 1
    }
    return level
  }

  private func isEqual(_ a: IndexEntry, _ b: IndexEntry, _ bytes: ByteStore) -> Bool {
    guard a.first == b.first else { return false }
    return a.byteCount == b.byteCount
      && (a.byteCount <= 8 || bytes.areEqual(a.position, b.position, count: a.byteCount))
  }

  // MARK: Levels

  /// Ends an entry, and stores it at the first level at which it is alone. Different values that share all chunks
  /// share a list at the last level.
  ///
  /// - Parameter shared: number of chunks that the entry shares with the next entry.
  private mutating func place(_ entry: IndexEntry, before shared: Int) {
    var level =
      isListOfSeveral
      ? SearchIndexBuilder.lastLevel : min(max(common, shared), SearchIndexBuilder.lastLevel)
    if form == .words {
      // A word is stored down to its last chunk; the last byte of the entry is the terminator.
      level = max(level, (max(entry.byteCount, 1) - 1 + 3) / 4 - 1)
    }
    let payload: Int64
    if keys.count == 1, list.count == 0 {
      payload = BacklinkLeaf.element(ObjectKey(keys.removeLast()))
    } else {
      if !keys.isEmpty { endLeaf() }
      payload = Int64(list.finish(into: nodes))
      list = BPlusTreeBuilder()
    }
    close(to: common)
    while depth <= level {
      path.append(chunk(entry, depth - 1))
      if depth == levels.count { levels.append(Level()) }
      depth += 1
    }
    append(payload, below: chunk(entry, level), to: level)
  }

  private mutating func append(_ payload: Int64, below chunk: Int32, to level: Int) {
    if levels[level].chunks.count == SearchIndexNode.capacity { endNode(of: level) }
    levels[level].chunks.append(Int64(chunk))
    levels[level].payloads.append(payload)
  }

  private mutating func endNode(of level: Int) {
    levels[level].nodes.append(
      Int64(
        SearchIndexNode.encode(
          chunks: levels[level].chunks[...], entries: levels[level].payloads[...], isInner: false,
          into: nodes)))
    levels[level].lasts.append(levels[level].chunks.last ?? 0)
    levels[level].chunks.removeAll(keepingCapacity: true)
    levels[level].payloads.removeAll(keepingCapacity: true)
  }

  /// Closes the levels after `level`.
  private mutating func close(to level: Int) {
    while depth > level + 1, let chunk = path.popLast() {
      let root = closeLast()
      append(Int64(root), below: chunk, to: depth - 1)
    }
  }

  /// Closes the last level.
  ///
  /// - Returns: its root.
  private mutating func closeLast() -> Ref {
    depth -= 1
    if levels[depth].nodes.isEmpty || !levels[depth].chunks.isEmpty { endNode(of: depth) }
    defer {
      levels[depth].lasts.removeAll(keepingCapacity: true)
      levels[depth].nodes.removeAll(keepingCapacity: true)
    }
    // Most levels have one node.
    guard levels[depth].nodes.count > 1 else { return Ref(levels[depth].nodes[0]) }
    var (lasts, refs) = (levels[depth].lasts, levels[depth].nodes)
    while refs.count > 1 {
      var (nextLasts, nextRefs): ([Int64], [Int64]) = ([], [])
      for start in stride(from: 0, to: refs.count, by: SearchIndexNode.capacity) {
        let range = start..<min(start + SearchIndexNode.capacity, refs.count)
        nextRefs.append(
          Int64(
            SearchIndexNode.encode(
              chunks: lasts[range], entries: refs[range], isInner: true, into: nodes)))
        nextLasts.append(lasts[range.upperBound - 1])
      }
      (lasts, refs) = (nextLasts, nextRefs)
    }
    return Ref(refs[0])
  }
}
