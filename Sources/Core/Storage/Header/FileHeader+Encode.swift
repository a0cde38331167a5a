/// How new files store the header and the footer (chapter 1, sections 1.1 and 1.5).
extension FileHeader {
  /// The 24 bytes, with `top` in slot 0, which is live.
  package static func encode(top: UInt64, format: Int) -> [UInt8] {
    littleEndianBytes(of: top) + littleEndianBytes(of: 0) + mnemonic + [UInt8(format), 0, 0, 0]
  }

  /// The 16 bytes at the end of a file in streaming form.
  static func encodeFooter(top: UInt64) -> [UInt8] {
    littleEndianBytes(of: top) + littleEndianBytes(of: cookie)
  }

  private static func littleEndianBytes(of value: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: value >> UInt64($0 * 8)) }
  }
}
