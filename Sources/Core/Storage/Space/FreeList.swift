/// The unused space of a snapshot, stored as three arrays of equal length (chapter 1, section 3.2).
package struct FreeList: Sendable {
  /// A run of free bytes.
  package struct Chunk: Equatable, Sendable {
    package let offset: Int
    package let byteCount: Int
    /// The version whose commit freed the chunk; 0 if it can already be reused.
    package let version: Int
  }

  /// In ascending order, as stored.
  package let chunks: [Chunk]

  /// Reads the free list of a snapshot.
  ///
  /// - Throws: `damaged` with rule `free.lists` unless there are three plain arrays of equal length, and with
  ///   rule `free.chunk` for a chunk outside of the snapshot.
  package init(_ top: TopArray, nodes: NodeReader) throws(RealmFileError) {
    guard let lists = try Lists(top, nodes) else {
      chunks = []
      return
    }
    var chunks: [Chunk] = []
    chunks.reserveCapacity(lists.count)
    for i in 0..<lists.count {
      let (offset, byteCount) = lists.chunk(i)
      guard offset >= 0, byteCount >= 0, offset <= top.logicalSize,
        byteCount <= Int64(top.logicalSize) - offset
      else {
        throw .damaged(
          .freeChunk, at: lists.positions.ref,
          "chunk \(i) has \(byteCount) bytes at byte \(offset), expected a chunk in the "
            + "\(top.logicalSize) bytes of the version")
      }
      chunks.append(
        Chunk(
          offset: Int(offset), byteCount: Int(byteCount),
          version: Int(truncatingIfNeeded: lists.versions?.integer(at: i) ?? 0)))
    }
    self.chunks = chunks
  }

  /// Total size of the chunks. Stores none of them, because a list can have millions.
  ///
  /// - Returns: 0 to the logical size of the snapshot.
  /// - Throws: `damaged` with rule `free.lists`, like ``init(_:nodes:)``, and with rule `free.chunk` if the
  ///   chunks together are longer than the snapshot.
  package static func byteCount(_ top: TopArray, nodes: NodeReader) throws(RealmFileError) -> Int {
    guard let lists = try Lists(top, nodes) else { return 0 }
    // `left` never becomes negative, so no operation overflows.
    var left = Int64(top.logicalSize)
    for i in 0..<lists.count {
      let byteCount = lists.chunk(i).byteCount
      guard byteCount >= 0, byteCount <= left else {
        throw .damaged(
          .freeChunk, at: lists.lengths.ref,
          "chunk \(i) has \(byteCount) bytes, expected at most \(left) of the \(top.logicalSize) of the version"
        )
      }
      left -= byteCount
    }
    return top.logicalSize - Int(left)
  }

  /// The refs of the three arrays.
  package struct Refs: Equatable, Sendable {
    package let positions: Ref
    package let lengths: Ref
    package let versions: Ref

    package init(positions: Ref, lengths: Ref, versions: Ref) {
      (self.positions, self.lengths, self.versions) = (positions, lengths, versions)
    }

    package var all: [Ref] { [positions, lengths, versions] }
  }

  /// The three arrays, with equal lengths.
  package struct Lists {
    package let positions: Node
    let lengths: Node
    /// Nil if they were not requested.
    package let versions: Node?

    /// - Parameter needsVersions: false if only the free space matters.
    /// - Throws: `damaged` with rule `free.lists`; the errors of opening a node.
    package init(
      _ refs: Refs, logicalSize: Int, _ nodes: NodeReader, needsVersions: Bool = true
    ) throws(RealmFileError) {
      positions = try nodes.lookUp(refs.positions)
      lengths = try nodes.lookUp(refs.lengths)
      versions = needsVersions ? try nodes.lookUp(refs.versions) : nil
      // An array of zeros takes no bytes at any length, so the count is limited by the size of the snapshot.
      guard positions.isIntegers, lengths.isIntegers, versions?.isIntegers ?? true,
        positions.count == lengths.count, versions?.count ?? positions.count == positions.count,
        positions.count <= logicalSize / 8
      else {
        throw .damaged(
          .freeLists, at: refs.positions,
          "found \(positions.form) as positions, \(lengths.form) as lengths"
            + (versions.map { " and \($0.form) as versions" } ?? "")
            + ", expected equally many integers, at most one for each 8 of the \(logicalSize) bytes"
        )
      }
    }

    /// The arrays of a snapshot; nil if it has no free list.
    ///
    /// - Throws: same as ``init(_:logicalSize:_:needsVersions:)``.
    package init?(_ top: TopArray, _ nodes: NodeReader) throws(RealmFileError) {
      guard let refs = top.freeList, refs.positions != 0 else { return nil }
      try self.init(refs, logicalSize: top.logicalSize, nodes)
    }

    /// Number of chunks.
    package var count: Int { positions.count }

    /// Chunk `i` as stored; its numbers are unchecked.
    package func chunk(_ i: Int) -> (offset: Int64, byteCount: Int64) {
      (positions.integer(at: i), lengths.integer(at: i))
    }
  }
}
