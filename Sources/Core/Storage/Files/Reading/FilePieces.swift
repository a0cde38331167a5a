/// Reads a file piece by piece, from its start.
package struct FilePieces {
  /// Usual bytes of a piece.
  package static let usualByteCount = 1 << 18

  private let file: FileDescriptor
  /// Where to stop; nil for the end of the file.
  private let end: Int?
  private let pieceByteCount: Int
  /// Bytes in the pieces so far.
  package private(set) var offset = 0

  /// - Parameters:
  ///   - count: bytes to read; nil for all, however many there are in the end.
  ///   - pieceByteCount: bytes of each piece but the last.
  package init(
    _ file: FileDescriptor, count: Int? = nil, pieceByteCount: Int = usualByteCount
  ) {
    (self.file, end, self.pieceByteCount) = (file, count, pieceByteCount)
  }

  /// The next piece; nil at the end.
  ///
  /// - Throws: `shrankWhileReading` if the file has fewer bytes than it should; `inputOutput`.
  package mutating func next() throws(RealmFileError) -> [UInt8]? {
    let wanted = min(pieceByteCount, (end ?? .max) - offset)
    guard wanted > 0 else { return nil }
    let piece = try file.read(at: offset, count: wanted)
    guard end == nil || piece.count == wanted else { throw RealmFileError(.shrankWhileReading) }
    offset += piece.count
    return piece.isEmpty ? nil : piece
  }
}
