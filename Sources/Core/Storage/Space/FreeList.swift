/// The unused space of a snapshot: three arrays of equal length (chapter 1, section 3.2).
package struct FreeList: Sendable {
  /// A run of free bytes.
  package struct Chunk: Equatable, Sendable {
    package let offset: Int
    package let byteCount: Int
    /// The commit that freed the chunk; 0 if an earlier commit already allowed its reuse.
    package let version: Int
  }

  /// In ascending order, as stored.
  package let chunks: [Chunk]

  /// - Throws: `damaged` with rule `free.lists` if the arrays are not three plain arrays of equal
  ///   length, and `free.chunk` for a chunk outside the snapshot.
  package init(_ top: TopArray, nodes: NodeReader) throws(RealmFileError) {
    guard let lists = try Lists(top, nodes) else {
      chunks = []
      return
    }
    var chunks: [Chunk] = []
    chunks.reserveCapacity(lists.positions.count)
    for i in 0..<lists.positions.count {
      let (offset, byteCount) = (lists.positions.integer(at: i), lists.lengths.integer(at: i))
      guard offset >= 0, byteCount >= 0, offset <= top.logicalSize,
        byteCount <= Int64(top.logicalSize) - offset
      else {
        throw .damaged(
          .freeChunk, at: lists.positions.ref,
          "chunk \(i) has \(byteCount) bytes from byte \(offset) of \(top.logicalSize)")
      }
      chunks.append(
        Chunk(
          offset: Int(offset), byteCount: Int(byteCount),
          version: Int(truncatingIfNeeded: lists.versions.integer(at: i))))
    }
    self.chunks = chunks
  }

  /// Total size of the chunks, read from their lengths without storing them: a list can have
  /// millions.
  ///
  /// - Returns: 0 to the logical size of the snapshot.
  /// - Throws: `damaged` with rule `free.lists` like ``init(_:nodes:)``, and `free.chunk` if the
  ///   chunks are longer in total than the snapshot.
  package static func byteCount(_ top: TopArray, nodes: NodeReader) throws(RealmFileError) -> Int {
    guard let lists = try Lists(top, nodes) else { return 0 }
    // `left` never becomes negative, so no operation overflows.
    var left = Int64(top.logicalSize)
    for i in 0..<lists.lengths.count {
      let byteCount = lists.lengths.integer(at: i)
      guard byteCount >= 0, byteCount <= left else {
        throw .damaged(
          .freeChunk, at: lists.lengths.ref,
          "chunk \(i) has \(byteCount) bytes; \(left) of \(top.logicalSize) are left")
      }
      left -= byteCount
    }
    return top.logicalSize - Int(left)
  }

  /// The three arrays, with equal lengths.
  struct Lists {
    let positions: Node
    let lengths: Node
    let versions: Node

    /// Nil for a snapshot without a free list.
    init?(_ top: TopArray, _ nodes: NodeReader) throws(RealmFileError) {
      guard let refs = top.freeList, refs.positions != 0 else { return nil }
      positions = try nodes.lookUp(refs.positions)
      lengths = try nodes.lookUp(refs.lengths)
      versions = try nodes.lookUp(refs.versions)
      // A list of zeros takes no bytes at any length, so the count is compared with the space.
      guard positions.isIntegers, lengths.isIntegers, versions.isIntegers,
        positions.count == lengths.count, positions.count == versions.count,
        positions.count <= top.logicalSize / 8
      else {
        throw .damaged(
          .freeLists, at: refs.positions,
          "found \(positions.form) as positions, \(lengths.form) as lengths and \(versions.form) as versions, expected "
            + "equally many integers, at most one for each 8 of the \(top.logicalSize) bytes"
        )
      }
    }
  }
}
