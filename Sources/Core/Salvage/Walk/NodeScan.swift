import RealmStorage

/// Finds nodes without following refs, by the filler bytes with which current libraries begin every
/// header (chapter 1, section 3.8).
enum NodeScan {
  /// "AAAA", as a little-endian number.
  static let filler: UInt32 = 0x4141_4141
  /// A file with this many headers has nodes.
  private static let leastCount = 8

  /// Whether the file has several headers of nodes.
  static func findsNodes(_ nodes: NodeReader) -> Bool {
    var count = 0
    _ = try? run(nodes, in: 0..<nodes.logicalSize) { _, _ in
      count += 1
      return count < leastCount
    }
    return count >= leastCount
  }

  /// Calls `body` for everything in `range` that looks like a node: eight bytes with the filler and
  /// valid flags, and a size that fits the file. Much of it may be left over from older versions or
  /// be part of a value.
  ///
  /// - Parameters:
  ///   - range: offsets; the file header is skipped.
  ///   - body: receives the place and the header; returns false to stop.
  /// - Throws: the errors of an encrypted source, except for damaged pages, which are skipped.
  static func run(
    _ nodes: NodeReader, in range: Range<Int>, _ body: (Ref, NodeHeader) -> Bool
  ) throws(RealmFileError) {
    let size = EncryptedLayout.pageByteCount
    let end = min(range.upperBound, nodes.logicalSize) & ~7
    var start = max((range.lowerBound + 7) & ~7, FileHeader.byteCount)
    while start < end {
      let pageEnd = min(end, (start / size + 1) * size)
      let mark = nodes.mark()
      defer {
        nodes.release(to: mark)
        start = pageEnd
      }
      guard try nodes.isReadable(start..<pageEnd) else { continue }
      let page = unsafe try nodes.source.nodeBytes(at: start, count: pageEnd - start)
      for offset in stride(from: 0, to: pageEnd - start, by: 8) {
        let word = unsafe UInt64(
          littleEndian: page.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        guard UInt32(truncatingIfNeeded: word) == filler, let header = NodeHeader(word: word),
          header.nodeByteCount <= nodes.logicalSize - start - offset
        else { continue }
        guard body(start + offset, header) else { return }
      }
    }
  }
}

extension NodeReader {
  /// Whether the pages of `range` can be decrypted; true for a plain file.
  ///
  /// - Throws: errors that are not damage.
  func isReadable(_ range: Range<Int>) throws(RealmFileError) -> Bool {
    unsafe try undamaged(source.nodeBytes(at: range.lowerBound, count: range.count)) != nil
  }
}

extension Node {
  /// The bytes of the node, with its header.
  var extent: Range<Int> { ref..<ref + header.nodeByteCount }

  /// Whether the filler bytes are those of current libraries, except for one flipped bit.
  var hasFiller: Bool { (filler ^ NodeScan.filler).nonzeroBitCount <= 1 }

  /// Whether the header has only zeros.
  var isZeroed: Bool { filler == 0 && header.flags == 0 && count == 0 }
}

extension [Range<Int>] {
  /// Whether no two ranges overlap.
  var areDisjoint: Bool {
    let ascending = sorted { $0.lowerBound < $1.lowerBound }
    return zip(ascending, ascending.dropFirst()).allSatisfy { $0.upperBound <= $1.lowerBound }
  }
}
