import RealmStorage

/// Compares the free list with the space of the nodes. Together they must cover the whole file, without
/// overlap (chapter 1, section 3.1).
struct FreeSpaceCheck {
  private let top: TopArray
  private let nodes: NodeReader
  private(set) var findings: Findings
  /// The space of the nodes and, later, of the free chunks too.
  private var map: SpaceMap
  /// Whether to compare the versions of chunks with the version of the file. Formats up to 9 restart
  /// version numbers in each session.
  private let checksVersions: Bool
  /// The chunks inside the file; nil if the lists cannot be read.
  private(set) var chunks: [Range<Int>]?

  /// - Parameters:
  ///   - map: the space of the nodes.
  ///   - isLegacy: whether the file has one of the formats 2 to 9.
  init(
    _ top: TopArray, nodes: NodeReader, map: SpaceMap, limit: Int, isLegacy: Bool = false
  ) {
    (self.top, self.nodes, self.map) = (top, nodes, map)
    checksVersions = !isLegacy
    findings = Findings(limit: limit)
  }

  /// - Throws: errors other than damage.
  mutating func run() throws(RealmFileError) {
    // A copy without a version has no free list and no free space.
    let isComplete: Bool
    if top.count <= TopArray.Slot.freeVersions {
      chunks = []
      isComplete = true
    } else {
      do throws(RealmFileError) {
        isComplete = try checkLists()
      } catch {
        try findings.add(error)
        isComplete = false
      }
    }
    // Bytes without a node or a free chunk are leaked only if the list is complete.
    if isComplete { checkGaps() }
  }

  /// - Returns: false if chunks are missing or invalid.
  private mutating func checkLists() throws(RealmFileError) -> Bool {
    guard let lists = try FreeList.Lists(top, nodes) else {
      throw .damaged(.freeLists, at: top.ref, "the top array has no free list")
    }
    var chunks: [Range<Int>] = []
    var isWhole = true
    var end = Int64(FileHeader.byteCount)
    for i in 0..<lists.count {
      let (start, byteCount) = lists.chunk(i)
      guard start >= end, start & 7 == 0, byteCount > 0, byteCount & 7 == 0,
        start <= top.logicalSize, byteCount <= Int64(top.logicalSize) - start
      else {
        isWhole = false
        findings.add(
          .freeChunk, at: lists.positions.ref,
          "chunk \(i) has \(byteCount) bytes from byte \(start), expected multiples of 8 between"
            + " bytes \(end) and \(top.logicalSize)")
        continue
      }
      end = start + byteCount
      let chunk = Int(start)..<Int(end)
      chunks.append(chunk)
      if map.isTaken(anyOf: chunk) {
        findings.add(
          .freeNodeOverlap, at: chunk.lowerBound,
          "the free chunk of \(chunk.count) bytes overlaps nodes")
      }
      _ = map.take(chunk)
      guard checksVersions, let versions = lists.versions else { continue }
      let version = UInt64(bitPattern: versions.integer(at: i))
      if version > UInt64(top.version) {
        findings.add(
          .freeVersion, at: versions.ref,
          "chunk \(i) was freed by version \(version), expected \(top.version) or less")
      }
    }
    self.chunks = chunks
    return isWhole
  }

  private mutating func checkGaps() {
    let gaps = map.gaps(from: FileHeader.byteCount)
    guard let first = gaps.first else { return }
    let bytes = gaps.reduce(0) { $0 + $1.count }
    findings.add(
      .storageLeak, at: first.lowerBound,
      "\(bytes) bytes in \(gaps.count) ranges belong neither to a node nor to a free chunk")
  }
}
