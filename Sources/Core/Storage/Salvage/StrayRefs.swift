/// The refs of a damaged realm that lead behind the end of its bytes, as all do that led to what was cut off.
///
/// New nodes are added behind the bytes of the realm. No stray ref may lead to one of them.
struct StrayRefs {
  /// Least space for new nodes.
  private static let leastByteCount = 1 << 19
  /// Refs that lead further behind the end than this many times the size of the file are never near new nodes.
  private static let distanceLimit = 32

  /// The end of the file.
  private let end: Int
  /// Refs are kept by the piece of so many bytes that they lead to. New nodes have two pieces.
  private let pieceByteCount: Int
  private var pieces = BitSet()

  init(fileByteCount: Int) {
    end = (fileByteCount + 7) & ~7
    pieceByteCount = max(StrayRefs.leastByteCount / 2, fileByteCount / 8 & ~7)
  }

  mutating func insert(_ ref: Ref) {
    let piece = ref / pieceByteCount
    guard piece <= end / pieceByteCount + StrayRefs.distanceLimit * 8 else { return }
    pieces.insert(piece)
  }

  /// The start of the first bytes behind the file to which no ref leads.
  var gap: Int {
    var start = end
    while let piece = gapPieces(from: start).last(where: { pieces.contains($0) }) {
      start = (piece + 1) * pieceByteCount
    }
    return start
  }

  private func gapPieces(from start: Int) -> ClosedRange<Int> {
    start / pieceByteCount...(start + 2 * pieceByteCount) / pieceByteCount
  }

  /// Whether ``gap`` stays the same with one more ref.
  func canTake(_ ref: Ref) -> Bool { !gapPieces(from: gap).contains(ref / pieceByteCount) }

  /// Whether a ref can lead into `bytes`.
  func lead(into bytes: Range<Int>) -> Bool {
    !bytes.isEmpty
      && (bytes.lowerBound / pieceByteCount...(bytes.upperBound - 1) / pieceByteCount)
        .contains { pieces.contains($0) }
  }
}
