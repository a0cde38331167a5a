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
    guard let lists = top.freeList, lists.positions != 0 else {
      chunks = []
      return
    }
    let positions = try nodes.lookUp(lists.positions)
    let lengths = try nodes.lookUp(lists.lengths)
    let versions = try nodes.lookUp(lists.versions)
    // A list of zeros takes no bytes whatever its length, so the count is held against the space.
    guard positions.isIntegers, lengths.isIntegers, versions.isIntegers,
      positions.count == lengths.count, positions.count == versions.count,
      positions.count <= top.logicalSize / 8
    else { throw .damaged("free.lists", at: lists.positions) }
    var chunks: [Chunk] = []
    chunks.reserveCapacity(positions.count)
    for i in 0..<positions.count {
      let (offset, byteCount) = (positions.integer(at: i), lengths.integer(at: i))
      guard offset >= 0, byteCount >= 0, offset <= top.logicalSize,
        byteCount <= Int64(top.logicalSize) - offset
      else { throw .damaged("free.chunk", at: lists.positions) }
      chunks.append(
        Chunk(
          offset: Int(offset), byteCount: Int(byteCount),
          version: Int(truncatingIfNeeded: versions.integer(at: i))))
    }
    self.chunks = chunks
  }

  /// Bytes of all chunks; each lies inside the snapshot, so the sum of a sound list fits as well.
  public var byteCount: Int { chunks.reduce(0) { $0 &+ $1.byteCount } }
}
