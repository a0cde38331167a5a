/// Where things lie in an encrypted file (chapter 1, section 5.2): blocks of one metadata page and
/// up to 64 pages of ciphertext. Offsets of the decrypted file are *data* offsets.
enum EncryptedLayout {
  /// Unit of encryption in bytes, whatever the page size of the machine.
  static let pageByteCount = 4096
  /// Data pages that one metadata page describes.
  static let pagesPerBlock = 64
  /// Bytes of one metadata entry.
  static let entryByteCount = 64
  /// Header page and its metadata: nothing smaller can be decrypted.
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
