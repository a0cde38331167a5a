/// The layout of an encrypted file (chapter 1, section 5.2): blocks of one metadata page and up to
/// 64 pages of ciphertext. A *data* offset is an offset in the decrypted file.
package enum EncryptedLayout {
  /// Bytes of a page, the unit of encryption. Independent of the page size of the machine.
  package static let pageByteCount = 4096
  /// Data pages for each metadata page.
  static let pagesPerBlock = 64
  /// Bytes of a metadata entry.
  static let entryByteCount = 64
  /// Bytes of the first metadata page and the first data page. A smaller file cannot be decrypted.
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
  /// Whether the first 64 bytes of a file look like a metadata entry (chapter 1, section 5.5): a small counter,
  /// a slightly smaller previous one, and HMACs that look random. Only the key can prove it.
  ///
  /// - Parameter start: the first bytes of the file; false for fewer than 64.
  static func isLikelyEntry(_ start: [UInt8]) -> Bool {
    guard start.count >= entryByteCount else { return false }
    let counter = littleEndian(start[0..<4])
    let previous = littleEndian(start[32..<36])
    // Each commit rewrites a page once or a few times, and a crash leaves a small gap.
    guard counter > 0, counter < 1 << 24, previous < counter, counter - previous <= 16 else {
      return false
    }
    // 28 random bytes have 26 different values on average, and practically never fewer than 16.
    let looksRandom = { (code: ArraySlice<UInt8>) in Set(code).count >= 16 }
    guard looksRandom(start[4..<32]) else { return false }
    return previous == 0 ? start[36..<64].allSatisfy { $0 == 0 } : looksRandom(start[36..<64])
  }
}
