/// The free space of a realm through a commit (chapter 1, section 3).
struct Space {
  struct Chunk {
    var offset: Int
    var byteCount: Int
    /// The commit that freed it; 0: free since an earlier one.
    var version: Int
  }

  private(set) var logicalSize: Int
  /// In ascending order; all of it may be used, as no reader holds on to an older version.
  private var reusable: [Chunk]
  /// Space that the current commit frees.
  private var freed: [Chunk] = []
  private var version = 0

  init(chunks: [Chunk], logicalSize: Int) {
    (reusable, self.logicalSize) = (chunks, logicalSize)
  }

  /// Begins the commit of `version`: space that was freed before can be used now, and is merged.
  mutating func begin(version: Int) {
    self.version = version
    reusable = Space.merged(
      (reusable + freed).map { Chunk(offset: $0.offset, byteCount: $0.byteCount, version: 0) })
    freed = []
  }

  /// Frees a node of the version before.
  mutating func free(_ offset: Int, _ byteCount: Int) {
    freed.append(Chunk(offset: offset, byteCount: byteCount, version: version))
  }

  /// The first chunk that fits, or the file grows.
  mutating func allocate(_ byteCount: Int) -> Int {
    if let i = reusable.firstIndex(where: { $0.byteCount >= byteCount }) {
      let offset = reusable[i].offset
      reusable[i].offset += byteCount
      reusable[i].byteCount -= byteCount
      if reusable[i].byteCount == 0 { reusable.remove(at: i) }
      return offset
    }
    let larger = (max(logicalSize * 2, logicalSize + byteCount) + 4095) / 4096 * 4096
    reusable.append(Chunk(offset: logicalSize, byteCount: larger - logicalSize, version: 0))
    logicalSize = larger
    return allocate(byteCount)
  }

  /// Entries of the lists when nothing more is allocated or freed.
  var entryCount: Int { reusable.count + Space.merged(freed).count }

  /// The entries with one more, sorted.
  mutating func finish(adding rest: Chunk) -> [Chunk] {
    freed = Space.merged(freed)
    reusable.append(rest)
    return (reusable + freed).sorted { $0.offset < $1.offset }
  }

  /// Chunks of one version, with neighbours merged.
  private static func merged(_ chunks: [Chunk]) -> [Chunk] {
    chunks.sorted { $0.offset < $1.offset }.reduce(into: []) { result, chunk in
      if let last = result.last, last.offset + last.byteCount == chunk.offset {
        result[result.count - 1].byteCount += chunk.byteCount
      } else {
        result.append(chunk)
      }
    }
  }
}
