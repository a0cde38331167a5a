/// Finds nodes without following refs, by the filler bytes with which current libraries begin every
/// header (chapter 1, section 3.8).
package enum NodeScan {
  /// "AAAA", as a little-endian number.
  package static let filler: UInt32 = 0x4141_4141
  /// A file with this many headers has nodes.
  private static let leastCount = 8

  /// Whether the file has several headers of nodes.
  package static func findsNodes(_ nodes: NodeReader) -> Bool {
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
  ///   - withAnyFiller: whether also to accept other bytes before the flags, as early libraries left them.
  ///   - body: receives the place and the header; returns false to stop.
  /// - Throws: the errors of an encrypted source, except for damaged pages, which are skipped.
  package static func run(
    _ nodes: NodeReader, in range: Range<Int>, withAnyFiller: Bool = false,
    _ body: (Ref, NodeHeader) -> Bool
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
        guard withAnyFiller || UInt32(truncatingIfNeeded: word) == filler,
          let header = NodeHeader(word: word),
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
  package func isReadable(_ range: Range<Int>) throws(RealmFileError) -> Bool {
    unsafe try undamaged(source.nodeBytes(at: range.lowerBound, count: range.count)) != nil
  }

  /// The bytes in `range`, which is inside the file; nil if they cannot be decrypted.
  ///
  /// - Throws: errors that are not damage.
  package func readableBytes(in range: Range<Int>) throws(RealmFileError) -> ByteSlice? {
    guard try isReadable(range) else { return nil }
    return unsafe ByteSlice(
      start: try source.nodeBytes(at: range.lowerBound, count: range.count), count: range.count)
  }
}

extension Node {
  /// The bytes of the node, with its header.
  package var extent: Range<Int> { ref..<ref + header.nodeByteCount }

  /// Whether the filler bytes are those of current libraries, except for one flipped bit.
  package var hasFiller: Bool { (filler ^ NodeScan.filler).nonzeroBitCount <= 1 }

  /// Whether the header has only zeros.
  package var isZeroed: Bool { filler == 0 && header.flags == 0 && count == 0 }
}

extension [Range<Int>] {
  /// Whether no two ranges overlap.
  package var areDisjoint: Bool {
    let ascending = sorted { $0.lowerBound < $1.lowerBound }
    return zip(ascending, ascending.dropFirst()).allSatisfy { $0.upperBound <= $1.lowerBound }
  }
}
