import RealmStorage

/// Packs clusters into a cluster tree (chapter 2, section 5.5).
struct ClusterTreeBuilder {
  /// A node and the range of keys below it.
  private struct Child {
    let ref: Ref
    let firstKey: UInt64
    let objectCount: Int
  }

  private static let capacity = 256

  private let nodes: FileNodes
  private var children: [Child] = []

  init(into nodes: FileNodes) { self.nodes = nodes }

  /// Appends a cluster.
  ///
  /// - Parameters:
  ///   - keys: keys of the cluster's objects, ascending as unsigned numbers, larger than those of the
  ///     previous cluster.
  ///   - leaves: refs by leaf index.
  /// - Throws: the errors of the output.
  mutating func append(keys: [UInt64], leaves: [Ref]) throws(RealmFileError) {
    let first = keys.first ?? 0
    // Keys of the leftmost cluster are relative to 0, those of any other cluster to its first key.
    let base = children.isEmpty ? 0 : first
    let isCompact = keys.last.map { $0 - base == UInt64(keys.count - 1) } ?? true
    let head: Int64 =
      isCompact
      ? Int64(keys.count) << 1 | 1
      : Int64(try nodes.append(unsigned: keys.map { $0 - base }))
    let ref = try nodes.append(refs: [head] + leaves.map { Int64($0) })
    children.append(Child(ref: ref, firstKey: first, objectCount: keys.count))
  }

  /// Appends the inner nodes.
  ///
  /// - Returns: the root.
  consuming func finish() throws(RealmFileError) -> Ref {
    var level = children
    var depth = 0
    while level.count > 1 {
      depth += 1
      var next: [Child] = []
      for start in stride(from: 0, to: level.count, by: ClusterTreeBuilder.capacity) {
        let group = level[start..<min(start + ClusterTreeBuilder.capacity, level.count)]
        next.append(try inner(group, depth: depth, isLeftmost: start == 0))
      }
      level = next
    }
    return level.first?.ref ?? 0
  }

  private func inner(
    _ group: ArraySlice<Child>, depth: Int, isLeftmost: Bool
  ) throws(RealmFileError) -> Child {
    let first = group.first?.firstKey ?? 0
    let base = isLeftmost ? 0 : first
    let offsets = group.enumerated().map { i, child in i == 0 ? 0 : child.firstKey - base }
    let shift = UInt64(ClusterTree.shift * depth)
    let isCompact =
      shift < 64 && offsets.enumerated().allSatisfy { i, offset in offset == UInt64(i) << shift }
    let total = group.reduce(0) { $0 + $1.objectCount }
    var elements = [
      isCompact ? 0 : Int64(try nodes.append(unsigned: offsets)), Int64(depth) << 1 | 1,
      Int64(total) << 1 | 1,
    ]
    for child in group { elements.append(Int64(child.ref)) }
    let ref = try nodes.append(refs: elements, kind: 0x80)
    return Child(ref: ref, firstKey: first, objectCount: total)
  }
}

/// Appends nodes at the end of the new file, so that their refs are known immediately.
final class FileNodes {
  /// The number of bytes that are collected before they are written.
  private static let flushByteCount = 1 << 20

  private let writer: RealmFileWriter
  let buffer: NodeBuffer

  init(_ writer: RealmFileWriter) {
    self.writer = writer
    buffer = NodeBuffer(base: writer.position)
  }

  /// Writes the collected bytes.
  ///
  /// - Throws: the errors of the output.
  func flush() throws(RealmFileError) {
    try buffer.write(to: writer)
    buffer.removeAll(base: writer.position)
  }

  /// Writes the collected bytes if there are many.
  func relieve() throws(RealmFileError) {
    if buffer.byteCount > FileNodes.flushByteCount { try flush() }
  }

  func append(refs: [Int64], kind: UInt8 = 0) throws(RealmFileError) -> Ref {
    let ref = buffer.append(refs: refs, kind: kind)
    try relieve()
    return ref
  }

  func append(unsigned values: [UInt64]) throws(RealmFileError) -> Ref {
    let ref = buffer.append(unsigned: values)
    try relieve()
    return ref
  }

  func append(integers values: [Int64]) throws(RealmFileError) -> Ref {
    let ref = buffer.append(integers: values)
    try relieve()
    return ref
  }
}
