internal import CZlib

extension ByteSlice {
  /// The most bytes that one byte of a deflate stream can stand for.
  private static let largestRatio = 1032

  /// Inflates a zlib stream without its header, as histories keep changesets (chapter 4, section 2.4).
  ///
  /// - Parameter byteCount: what the stream must give; nothing is allocated for a size that a stream
  ///   of this length cannot have.
  /// - Returns: nil where the stream is damaged, its checksum differs, or it gives another size.
  public func inflated(byteCount: Int) -> [UInt8]? {
    // zlib counts in 32 bits.
    guard byteCount >= 0, count <= Int(UInt32.max), byteCount <= Int(UInt32.max),
      byteCount / ByteSlice.largestRatio <= count
    else { return nil }
    return unsafe withUnsafeBytes { bytes -> [UInt8]? in
      guard let start = bytes.baseAddress else { return nil }
      var isWhole = false
      let inflated = unsafe [UInt8](unsafeUninitializedCapacity: byteCount) { out, initialized in
        let written = unsafe czlib_inflate_headless(
          start.assumingMemoryBound(to: UInt8.self), UInt32(bytes.count), out.baseAddress,
          UInt32(byteCount))
        isWhole = written == byteCount
        initialized = max(0, written)
      }
      return isWhole ? inflated : nil
    }
  }
}
