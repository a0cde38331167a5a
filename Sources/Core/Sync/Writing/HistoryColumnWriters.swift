import RealmBuilding
import RealmModel
import RealmStorage

/// Writes a history column of integers: a B+tree in which all leaves but the last are full.
struct IntegerColumnWriter {
  private let nodes: FileNodes
  private var tree = BPlusTreeBuilder()
  private var values: [Int64] = []

  init(into nodes: FileNodes) { self.nodes = nodes }

  mutating func append(_ value: Int64) throws(RealmFileError) {
    values.append(value)
    if values.count == BPlusTreeLeaves.capacity { try endLeaf() }
  }

  private mutating func endLeaf() throws(RealmFileError) {
    tree.append(leaf: try nodes.append(integers: values), count: values.count)
    values.removeAll(keepingCapacity: true)
  }

  /// - Returns: the root.
  mutating func finish() throws(RealmFileError) -> Ref {
    if !values.isEmpty || tree.count == 0 { try endLeaf() }
    return tree.finish(into: nodes.buffer)
  }
}

/// Writes a history column of binaries. Long values are written to the file at once.
struct BinaryColumnWriter {
  /// A value of the unfinished leaf.
  private enum Value {
    case short([UInt8]?)
    /// A long value, which was written at this ref.
    case placed(Ref)
  }

  private let nodes: FileNodes
  private var tree = BPlusTreeBuilder()
  private var values: [Value] = []
  private var hasLong = false

  init(into nodes: FileNodes) { self.nodes = nodes }

  mutating func append(_ value: [UInt8]?) throws(RealmFileError) {
    if let value, value.count > BlobLimits.smallBinary {
      hasLong = true
      values.append(.placed(try nodes.append(blob: value)))
    } else {
      values.append(.short(value))
    }
    if values.count == BPlusTreeLeaves.capacity { try endLeaf() }
  }

  private mutating func endLeaf() throws(RealmFileError) {
    tree.append(leaf: hasLong ? try longLeaf() : shortLeaf(), count: values.count)
    try nodes.relieve()
    values.removeAll(keepingCapacity: true)
    hasLong = false
  }

  private func longLeaf() throws(RealmFileError) -> Ref {
    var blobs: [Int64] = []
    for value in values {
      switch value {
      case .placed(let ref): blobs.append(Int64(ref))
      case .short(let bytes?): blobs.append(Int64(try nodes.append(blob: bytes)))
      case .short(nil): blobs.append(0)
      }
    }
    return BigBlobsLeaf.encode(blobs: blobs, into: nodes.buffer)
  }

  private func shortLeaf() -> Ref {
    var short: [[UInt8]?] = []
    for case .short(let value) in values { short.append(value) }
    return SmallBlobsLeaf.encode(
      SliceColumn(copying: short), short.indices, terminator: 0, into: nodes.buffer)
  }

  /// - Returns: the root.
  mutating func finish() throws(RealmFileError) -> Ref {
    if !values.isEmpty || tree.count == 0 { try endLeaf() }
    return tree.finish(into: nodes.buffer)
  }
}
