import RealmStorage

/// Packs the leaves of a column of a history into a B+tree (chapter 2, section 4.4): all leaves but the last
/// have the same number of values.
struct HistoryTreeWriter {
  /// Values of a leaf, and children of an inner node.
  static let capacity = 1000
  private static let isInner: UInt8 = 0x80

  let writer: RealmFileWriter
  private var leaves: [Int64] = []
  /// Number of values so far.
  private(set) var count = 0

  init(_ writer: RealmFileWriter) { self.writer = writer }

  mutating func append(leaf: Ref, count: Int) {
    leaves.append(Int64(leaf))
    self.count += count
  }

  /// Appends the inner nodes.
  ///
  /// - Returns: the root; nil if there are no leaves.
  func finish() throws(RealmFileError) -> Ref? {
    var (level, each) = (leaves, HistoryTreeWriter.capacity)
    while level.count > 1 {
      var parents: [Int64] = []
      for start in stride(from: 0, to: level.count, by: HistoryTreeWriter.capacity) {
        let children = level[start..<min(start + HistoryTreeWriter.capacity, level.count)]
        let valuesBefore = start * each
        let values = min(children.count * each, count - valuesBefore)
        let elements = [Int64(each) << 1 | 1] + children + [Int64(values) << 1 | 1]
        let node = NodeEncoder.integers(
          kind: HistoryTreeWriter.isInner | NodeEncoder.hasRefs, elements)
        parents.append(Int64(try writer.append(node)))
      }
      level = parents
      each *= HistoryTreeWriter.capacity
    }
    return level.first.map { Int($0) }
  }
}

/// Writes a column of integers.
struct IntegerColumnWriter {
  private var tree: HistoryTreeWriter
  private var values: [Int64] = []

  init(_ writer: RealmFileWriter) { tree = HistoryTreeWriter(writer) }

  mutating func append(_ value: Int64) throws(RealmFileError) {
    values.append(value)
    if values.count == HistoryTreeWriter.capacity { try endLeaf() }
  }

  private mutating func endLeaf() throws(RealmFileError) {
    tree.append(leaf: try tree.writer.append(NodeEncoder.integers(values)), count: values.count)
    values.removeAll(keepingCapacity: true)
  }

  /// - Returns: the root.
  mutating func finish() throws(RealmFileError) -> Ref {
    if !values.isEmpty || tree.count == 0 { try endLeaf() }
    // There is at least one leaf.
    return try tree.finish() ?? 0
  }
}

/// Writes a column of binaries. Long values go to the file at once.
struct BinaryColumnWriter {
  /// A value of the leaf that is being collected.
  private enum Value {
    case short([UInt8]?)
    case placed(Ref)
  }

  /// Maximum bytes of a value in a leaf that stores all values in one node (chapter 2, section 3.6).
  private static let shortLimit = 64
  /// Bytes of the pieces of a value that no node can hold (chapter 2, section 3.9).
  private static let pieceByteCount = 0xFF_FFF0
  private static let hasContext: UInt8 = 0x20

  private var tree: HistoryTreeWriter
  private var values: [Value] = []
  private var hasLong = false

  init(_ writer: RealmFileWriter) { tree = HistoryTreeWriter(writer) }

  mutating func append(_ value: [UInt8]?) throws(RealmFileError) {
    if let value, value.count > BinaryColumnWriter.shortLimit {
      hasLong = true
      values.append(.placed(try place(value)))
    } else {
      values.append(.short(value))
    }
    if values.count == HistoryTreeWriter.capacity { try endLeaf() }
  }

  private func place(_ value: [UInt8]) throws(RealmFileError) -> Ref {
    guard value.count > BinaryColumnWriter.pieceByteCount else {
      return try tree.writer.append(NodeEncoder.blob(value))
    }
    var pieces: [Int64] = []
    for start in stride(from: 0, to: value.count, by: BinaryColumnWriter.pieceByteCount) {
      let end = min(start + BinaryColumnWriter.pieceByteCount, value.count)
      pieces.append(Int64(try tree.writer.append(NodeEncoder.blob(Array(value[start..<end])))))
    }
    return try tree.writer.append(
      NodeEncoder.integers(kind: NodeEncoder.hasRefs | BinaryColumnWriter.hasContext, pieces))
  }

  private mutating func endLeaf() throws(RealmFileError) {
    tree.append(leaf: hasLong ? try longLeaf() : try shortLeaf(), count: values.count)
    values.removeAll(keepingCapacity: true)
    hasLong = false
  }

  /// A ref for each value, 0 for null.
  private func longLeaf() throws(RealmFileError) -> Ref {
    var refs: [Int64] = []
    for value in values {
      switch value {
      case .placed(let ref): refs.append(Int64(ref))
      case .short(let bytes?): refs.append(Int64(try place(bytes)))
      case .short(nil): refs.append(0)
      }
    }
    return try tree.writer.append(
      NodeEncoder.integers(kind: NodeEncoder.hasRefs | BinaryColumnWriter.hasContext, refs))
  }

  /// The ends of the values, the bytes of all of them, and their null flags.
  private func shortLeaf() throws(RealmFileError) -> Ref {
    var (ends, bytes, nulls): ([Int64], [UInt8], [Int64]) = ([], [], [])
    for case .short(let value) in values {
      bytes += value ?? []
      ends.append(Int64(bytes.count))
      nulls.append(value == nil ? 1 : 0)
    }
    let writer = tree.writer
    let refs = [
      Int64(try writer.append(NodeEncoder.integers(ends))),
      Int64(try writer.append(NodeEncoder.blob(bytes))),
      Int64(try writer.append(NodeEncoder.integers(nulls))),
    ]
    return try writer.append(NodeEncoder.integers(kind: NodeEncoder.hasRefs, refs))
  }

  /// - Returns: the root.
  mutating func finish() throws(RealmFileError) -> Ref {
    if !values.isEmpty || tree.count == 0 { try endLeaf() }
    return try tree.finish() ?? 0
  }
}
