/// The space of a snapshot that no node uses: three arrays of equal length (chapter 1, section 3.2).
public struct FreeList: Sendable {
  /// A run of free bytes.
  public struct Chunk: Equatable, Sendable {
    public let offset: Int
    public let byteCount: Int
    /// The commit that freed it; 0 where it may be used again since an earlier one.
    public let version: Int
  }

  /// In ascending order, as the file has them.
  public let chunks: [Chunk]

  /// - Throws: `damaged` with rule `free.lists` where the arrays are not three plain arrays of equal
  ///   length, `free.chunk` for a chunk outside the snapshot.
  public init(_ top: TopArray, nodes: NodeReader) throws(RealmFileError) {
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

  /// Bytes of all chunks, from their lengths alone and without keeping any: a list can have millions.
  ///
  /// - Returns: 0 to the logical size of the snapshot.
  /// - Throws: `damaged` with rule `free.lists` as ``init(_:nodes:)``, `free.chunk` where the chunks
  ///   together are longer than the snapshot.
  public static func byteCount(_ top: TopArray, nodes: NodeReader) throws(RealmFileError) -> Int {
    guard let lists = try Lists(top, nodes) else { return 0 }
    // What is left never gets below zero: no operation overflows.
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

  /// The three arrays, of equal length.
  struct Lists {
    let positions: Node
    let lengths: Node
    let versions: Node

    /// Nil for a snapshot that has none.
    init?(_ top: TopArray, _ nodes: NodeReader) throws(RealmFileError) {
      guard let refs = top.freeList, refs.positions != 0 else { return nil }
      positions = try nodes.lookUp(refs.positions)
      lengths = try nodes.lookUp(refs.lengths)
      versions = try nodes.lookUp(refs.versions)
      // A list of zeros takes no bytes whatever its length, so the count is held against the space.
      guard positions.isIntegers, lengths.isIntegers, versions.isIntegers,
        positions.count == lengths.count, positions.count == versions.count,
        positions.count <= top.logicalSize / 8
      else {
        throw .damaged(
          .freeLists, at: refs.positions,
          "\(positions.form) as positions, \(lengths.form) as lengths, \(versions.form) as versions"
        )
      }
    }
  }
}
