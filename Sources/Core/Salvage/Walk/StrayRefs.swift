import RealmStorage

/// The refs of a damaged realm that point past the end of the file, such as those to truncated
/// nodes.
///
/// New nodes are added after the end of the file. No stray ref may point to one of them.
struct StrayRefs {
  /// The least space for new nodes.
  private static let leastByteCount = 1 << 19
  /// Pieces in as many bytes as the file has. For a small file, a piece has half of
  /// ``leastByteCount``.
  private static let piecesPerFile = 8
  /// The most pieces between the end of the file and new nodes: 16 times its size, 32 MiB for small
  /// files.
  private static let distanceLimit = 16 * piecesPerFile

  /// The end of the file.
  private let end: Int
  /// Refs are noted by the piece of this size that they point to. New nodes take up two pieces.
  private let pieceByteCount: Int
  /// Refs past this piece are not noted.
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

  /// The start of the first space after the end of the file that no ref points to. Nothing is known
  /// of the space past ``lastPiece``.
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

  /// The bytes that no further ref may point to, so that ``gap`` stays the same.
  var keptFree: Range<Int> {
    let pieces = gapPieces(from: gap)
    return pieces.lowerBound * pieceByteCount..<(pieces.upperBound + 1) * pieceByteCount
  }

  /// Whether a ref can point into `bytes`.
  func lead(into bytes: Range<Int>) -> Bool {
    guard !bytes.isEmpty else { return false }
    let touched = bytes.lowerBound / pieceByteCount...(bytes.upperBound - 1) / pieceByteCount
    return touched.upperBound > lastPiece || touched.contains { pieces.contains($0) }
  }
}
