import RealmStorage

extension ByteSlice {
  /// Bytes of a long value that are written at a time: a multiple of 3, so that base64 continues
  /// without padding.
  private static let chunkByteCount = 96 << 10

  /// Calls `body` with the bytes in pieces; ordinary values are one piece.
  ///
  /// - Parameter keepsCharacters: whether a piece must not end inside a UTF-8 sequence.
  @inline(__always)
  func forEachChunk(keepsCharacters: Bool, _ body: (ByteSlice) -> Void) {
    guard count > ByteSlice.chunkByteCount else { return body(self) }
    var start = 0
    while start < count {
      var end = min(start + ByteSlice.chunkByteCount, count)
      if keepsCharacters {
        // A sequence has at most four bytes; a longer one is not UTF-8 and may be cut anywhere.
        var steps = 0
        while end < count, end > start + 1, steps < 4, self[end] & 0xC0 == 0x80 {
          end -= 1
          steps += 1
        }
      }
      body(part(start..<end))
      start = end
    }
  }
}
