import RealmStorage

/// The refs of a damaged realm that lead behind the end of its bytes, as all do that led to what was cut off.
///
/// New nodes are added behind the bytes of the realm. No stray ref may lead to one of them.
struct StrayRefs {
  /// Least space for new nodes.
  private static let leastByteCount = 1 << 19
  /// Pieces for each size of the file, where the file is not small: then a piece has half of ``leastByteCount``.
  private static let piecesPerFile = 8
  /// New nodes are at most so many pieces behind the end of the file: 16 times its size, 32 MiB for small ones.
  private static let distanceLimit = 16 * piecesPerFile

  /// The end of the file.
  private let end: Int
  /// Refs are kept by the piece of so many bytes that they lead to. New nodes have two pieces.
  private let pieceByteCount: Int
  /// Refs behind this piece are not kept.
  private let lastPiece: Int
  private var pieces = BitSet()

  init(fileByteCount: Int) {
    end = (fileByteCount + 7) & ~7
    pieceByteCount = max(StrayRefs.leastByteCount / 2, fileByteCount / StrayRefs.piecesPerFile & ~7)
    lastPiece = end / pieceByteCount + StrayRefs.distanceLimit
  }

  mutating func insert(_ ref: Ref) {
    let piece = ref / pieceByteCount
    if piece <= lastPiece { pieces.insert(piece) }
  }

  /// The start of the first bytes behind the file to which no ref leads; behind ``lastPiece`` nothing is known.
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

  /// The bytes to which no further ref may lead, so that ``gap`` stays the same.
  var keptFree: Range<Int> {
    let pieces = gapPieces(from: gap)
    return pieces.lowerBound * pieceByteCount..<(pieces.upperBound + 1) * pieceByteCount
  }

  /// Whether a ref can lead into `bytes`.
  func lead(into bytes: Range<Int>) -> Bool {
    guard !bytes.isEmpty else { return false }
    let touched = bytes.lowerBound / pieceByteCount...(bytes.upperBound - 1) / pieceByteCount
    return touched.upperBound > lastPiece || touched.contains { pieces.contains($0) }
  }
}
