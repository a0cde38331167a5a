import RealmStorage

/// Builds a search index from sorted entries (chapter 3, sections 5.3 to 5.7): a radix tree over chunks
/// of four bytes. Each level is a B-tree.
///
/// Only the levels on the path to the last entry are open, so memory holds the keys of these levels only.
struct SearchIndexBuilder {
  /// The most keys of a node.
  private static let nodeLimit = 1000
  /// Width code of the keys: 32 bits, even for a node without keys.
  private static let keyCode: UInt8 = 6
  /// The last level: values with the same chunks up to this level are in one list.
  private static let lastLevel = SearchIndexReader.levelLimit - 1
  private static let (leafKind, innerKind): (UInt8, UInt8) = (0x20, 0xA0)

  /// An open level: its chunks, and what is below each chunk.
  private struct Level {
    var chunks: [Int64] = []
    var payloads: [Int64] = []
  }

  private let form: IndexEntryList.Form
  private let bytes: ByteStore
  private let nodes: NodeBuffer
  private var levels = [Level()]
  /// The chunks that lead to each level after the first.
  private var path: [Int32] = []
  /// The entry with the objects collected so far, and the number of chunks that it shares with the
  /// previous entry.
  private var current: IndexEntry?
  private var common = 0
  private var last: IndexEntry?
  /// Whether the current list contains different values, which differ only after the last level.
  private var isListOfSeveral = false
  private var keys: [Int64] = []
  private var list = BPlusTreeBuilder()
  /// The first two objects with equal values, for an index of unique values.
  private(set) var duplicate: (entry: IndexEntry, other: ObjectKey)?

  /// - Parameters:
  ///   - bytes: the bytes of entries of the longer forms.
  ///   - nodes: the buffer that the index is appended to.
  init(_ form: IndexEntryList.Form, bytes: ByteStore, into nodes: NodeBuffer) {
    (self.form, self.bytes, self.nodes) = (form, bytes, nodes)
  }

  /// Appends an entry, which must not come before the previous one.
  mutating func append(_ entry: IndexEntry) {
    defer { last = entry }
    guard let current, let last else {
      self.current = entry
      return append(key: entry.object)
    }
    if isEqual(last, entry) {
      // An index lists an object once per word, even if the object repeats the word.
      if form == .words, last.object == entry.object { return }
      if duplicate == nil {
        duplicate = (entry, ObjectKey(Int64(bitPattern: last.object)))
      }
    } else {
      let shared = sharedChunks(last, entry)
      if shared <= SearchIndexBuilder.lastLevel {
        place(current, before: shared)
        self.current = entry
        (common, isListOfSeveral) = (shared, false)
      } else {
        isListOfSeveral = true
      }
    }
    append(key: entry.object)
  }

  private mutating func append(key: UInt64) {
    if keys.count == BPlusTreeLeaves.capacity { endLeaf() }
    keys.append(Int64(bitPattern: key))
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
    return root(of: levels[0])
  }

  // MARK: Chunks

  private func chunk(_ entry: IndexEntry, _ level: Int) -> Int32 {
    if level < 2 || form == .short {
      guard level < 4 else { return 0 }
      let word = (level < 2 ? entry.first : entry.second) ^ IndexEntryList.signs
      return Int32(truncatingIfNeeded: Int64(bitPattern: level & 1 == 0 ? word >> 32 : word))
    }
    return SearchIndexBuilder.chunk(bytes, entry, at: level * 4)
  }

  /// The chunk at `offset` of the bytes of an entry.
  private static func chunk(_ bytes: ByteStore, _ entry: IndexEntry, at offset: Int) -> Int32 {
    let rest = entry.byteCount - offset
    guard rest > 0 else { return 0 }
    let slice = bytes.slice(at: entry.position + offset, count: min(rest, 4))
    guard rest < 4 else { return Int32(bitPattern: slice.littleEndian32(at: 0).byteSwapped) }
    var word: UInt32 = 0
    for i in 0..<rest { word |= UInt32(slice[i]) << UInt32(24 - i * 8) }
    return Int32(bitPattern: word)
  }

  /// Number of chunks from offset 0 on that two different entries share.
  private func sharedChunks(_ a: IndexEntry, _ b: IndexEntry) -> Int {
    var level = 0
    while level <= SearchIndexBuilder.lastLevel, chunk(a, level) == chunk(b, level) {
      // Entries without further bytes are equal.
      if level >= 3, form == .short { return level + 1 }
      if form != .short, 4 * level > max(a.byteCount, b.byteCount) { return level + 1 }
      level += 1
    }
    return level
  }

  private func isEqual(_ a: IndexEntry, _ b: IndexEntry) -> Bool {
    guard a.first == b.first else { return false }
    guard form != .short else { return a.second == b.second }
    return a.byteCount == b.byteCount
      && (a.byteCount <= 8
        || bytes.slice(at: a.position, count: a.byteCount)
          == bytes.slice(at: b.position, count: b.byteCount))
  }

  /// The order of entries with equal first integers: by the following chunks, then by value.
  static func ties(_ form: IndexEntryList.Form, _ bytes: ByteStore) -> SortedRuns.Ties {
    SortedRuns.Ties { record in
      let entry = IndexEntry(record)
      guard entry.byteCount > 8 else { return IndexEntryList.signs }
      let high = UInt32(bitPattern: chunk(bytes, entry, at: 8))
      let low = UInt32(bitPattern: chunk(bytes, entry, at: 12))
      return (UInt64(high) << 32 | UInt64(low)) ^ IndexEntryList.signs
    } precedes: { a, b in
      let (a, b) = (IndexEntry(a), IndexEntry(b))
      // Fast path: nearly all words are this short. Equal bytes are the same word of several objects.
      if form == .words, a.byteCount <= 8, b.byteCount <= 8 { return a.object < b.object }
      var offset = 8
      let end = min(max(a.byteCount, b.byteCount), 4 * SearchIndexReader.levelLimit)
      while offset < end {
        let (x, y) = (chunk(bytes, a, at: offset), chunk(bytes, b, at: offset))
        guard x == y else { return x < y }
        offset += 4
      }
      switch form {
      case .mixed:
        let order = SetOrder.compare(value(bytes, a), value(bytes, b))
        if order != 0 { return order < 0 }
      case .long where max(a.byteCount, b.byteCount) > end:
        let (x, y) = (data(bytes, a), data(bytes, b))
        if x != y { return x < y }
      case .short, .long, .words: break
      }
      return a.object < b.object
    }
  }

  /// The bytes of the value, without the terminator.
  private static func data(_ bytes: ByteStore, _ entry: IndexEntry) -> ByteSlice {
    bytes.slice(at: entry.position, count: max(0, entry.byteCount - 1))
  }

  private static func value(_ bytes: ByteStore, _ entry: IndexEntry) -> MixedValue {
    let end = entry.position + entry.byteCount
    return MixedValue(
      words: bytes.slice(at: end, count: 1)[0], bytes.number(at: end + 1),
      bytes.number(at: end + 9), data(bytes, entry))
  }

  // MARK: Levels

  /// Ends an entry. It is stored at the first level at which it is alone; different values that share all
  /// chunks are stored in a list at the last level.
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
      payload = BacklinkLeaf.element(ObjectKey(keys[0]))
      keys.removeAll(keepingCapacity: true)
    } else {
      if !keys.isEmpty { endLeaf() }
      payload = Int64(list.finish(into: nodes))
      list = BPlusTreeBuilder()
    }
    close(to: common)
    while levels.count <= level {
      path.append(chunk(entry, levels.count - 1))
      levels.append(Level())
    }
    levels[level].chunks.append(Int64(chunk(entry, level)))
    levels[level].payloads.append(payload)
  }

  /// Closes the levels after `level`.
  private mutating func close(to level: Int) {
    while levels.count > level + 1, let last = levels.popLast(), let chunk = path.popLast() {
      let root = root(of: last)
      levels[levels.count - 1].chunks.append(Int64(chunk))
      levels[levels.count - 1].payloads.append(Int64(root))
    }
  }

  private func root(of level: Level) -> Ref {
    var (chunks, payloads) = (level.chunks, level.payloads)
    var kind = SearchIndexBuilder.leafKind
    while true {
      var (lasts, refs): ([Int64], [Int64]) = ([], [])
      for start in stride(from: 0, to: max(chunks.count, 1), by: SearchIndexBuilder.nodeLimit) {
        let range = start..<min(start + SearchIndexBuilder.nodeLimit, chunks.count)
        let keys = nodes.append(
          integers: chunks, rows: range, widthCode: SearchIndexBuilder.keyCode)
        refs.append(Int64(nodes.append(refs: [Int64(keys)] + payloads[range], kind: kind)))
        lasts.append(chunks.isEmpty ? 0 : chunks[range.upperBound - 1])
      }
      if refs.count == 1 { return Ref(refs[0]) }
      (chunks, payloads, kind) = (lasts, refs, SearchIndexBuilder.innerKind)
    }
  }
}

extension IndexEntry {
  fileprivate init(_ record: SortedRuns.Record) {
    self.init(first: record.first, second: record.second, object: record.third)
  }
}
