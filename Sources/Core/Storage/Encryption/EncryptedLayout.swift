/// The layout of an encrypted file (chapter 1, section 5.2): blocks of one metadata page and up to
/// 64 pages of ciphertext. An offset in the decrypted file is a *data* offset.
package enum EncryptedLayout {
  /// Unit of encryption in bytes, whatever the page size of the machine.
  package static let pageByteCount = 4096
  /// Data pages that one metadata page describes.
  static let pagesPerBlock = 64
  /// Bytes of one metadata entry.
  static let entryByteCount = 64
  /// Size of the header page and its metadata; a smaller file cannot be decrypted.
  static let minimumFileByteCount = 2 * pageByteCount

  /// Bytes of decrypted data in a file of `fileByteCount` bytes.
  static func dataByteCount(fileByteCount: Int) -> Int {
    let blocks = (fileByteCount / pageByteCount + pagesPerBlock) / (pagesPerBlock + 1)
    return max(0, fileByteCount - blocks * pageByteCount)
  }

  /// File offset of the ciphertext of data page `page`.
  static func ciphertextOffset(ofPage page: Int) -> Int {
    (page + page / pagesPerBlock + 1) * pageByteCount
  }

  /// File offset of the metadata entry of data page `page`.
  static func entryOffset(ofPage page: Int) -> Int {
    page / pagesPerBlock * (pagesPerBlock + 1) * pageByteCount
      + page % pagesPerBlock * entryByteCount
  }
}

extension EncryptedLayout {
  /// Whether the first 64 bytes of a file look like the metadata entry of a header page (chapter 1,
  /// section 5.5): a small counter, its predecessor, and HMACs that look random. Only the key can
  /// prove it.
  ///
  /// - Parameter start: the first bytes of the file; false for fewer than 64.
  static func isLikelyEntry(_ start: [UInt8]) -> Bool {
    guard start.count >= entryByteCount else { return false }
    let counter = littleEndian(start[0..<4])
    let previous = littleEndian(start[32..<36])
    // Each commit rewrites a page once or a few times. A writer that keeps the last valid pair
    // after a crash leaves a small gap.
    guard counter > 0, counter < 1 << 24, previous < counter, counter - previous <= 16 else {
      return false
    }
    // 28 random bytes have 26 different values on average; fewer than 16 are practically
    // impossible.
    let looksRandom = { (code: ArraySlice<UInt8>) in Set(code).count >= 16 }
    guard looksRandom(start[4..<32]) else { return false }
    return previous == 0 ? start[36..<64].allSatisfy { $0 == 0 } : looksRandom(start[36..<64])
  }
}
