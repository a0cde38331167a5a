import CZlib

extension ByteSlice {
  /// The highest compression ratio that deflate can reach.
  private static let largestRatio = 1032

  /// Inflates a zlib stream that lacks its header: histories store changesets this way (chapter 4, section
  /// 2.4).
  ///
  /// - Parameter byteCount: the expected size of the result. Nothing is allocated if a stream of this length
  ///   cannot produce it.
  /// - Returns: nil if the stream is damaged, its checksum differs, or the result has another size.
  package func inflated(byteCount: Int) -> [UInt8]? {
    // zlib uses 32-bit counts.
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
