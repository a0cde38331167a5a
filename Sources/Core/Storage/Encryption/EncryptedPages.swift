#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Makes the blocks of a new encrypted file from its data (chapter 1, sections 5.2 to 5.4): for each 64
/// pages the page of their metadata entries and their ciphertext, every page with counter 1. Belongs
/// to one thread at a time.
@safe
final class EncryptedPages {
  /// Bytes of data in a block.
  static let blockDataByteCount =
    EncryptedLayout.pageByteCount * EncryptedLayout.pagesPerBlock
  /// Of a page that is written for the first time.
  private static let counter: UInt32 = 1

  private let cipher: PageCipher
  private let memory = UnsafeMutableRawPointer.allocate(
    byteCount: blockDataByteCount + EncryptedLayout.pageByteCount, alignment: 64)
  /// Nil where there is no block, or where libcrypto failed to make it.
  private var blockByteCount: Int?

  /// - Throws: `unsupported` where libcrypto lacks the algorithms.
  init(key: RealmKey) throws(RealmFileError) {
    cipher = try PageCipher(key: key, .encrypting)
  }

  deinit { unsafe memory.deallocate() }

  /// Makes the block of the pages at `data`, for ``result()``.
  ///
  /// - Parameters:
  ///   - data: up to 64 whole pages.
  ///   - offset: their data offset: that of the start of a block.
  ///   - skipsFirst: leaves out the first page, as if it were never written.
  @unsafe
  func encrypt(_ data: UnsafeRawBufferPointer, at offset: Int, skipsFirst: Bool) {
    unsafe memset(memory, 0, EncryptedLayout.pageByteCount)
    blockByteCount = nil
    let count = data.count / EncryptedLayout.pageByteCount
    for page in 0..<count {
      let place = unsafe memory + (page + 1) * EncryptedLayout.pageByteCount
      if page == 0, skipsFirst {
        unsafe memset(place, 0, EncryptedLayout.pageByteCount)
        continue
      }
      let dataOffset = page * EncryptedLayout.pageByteCount
      guard let start = data.baseAddress,
        unsafe encrypt(
          start + dataOffset, at: offset + dataOffset, into: place,
          entry: memory + page * EncryptedLayout.entryByteCount)
      else { return }
    }
    blockByteCount = (count + 1) * EncryptedLayout.pageByteCount
  }

  /// The metadata page and the ciphertext of the block made last, valid until the next one.
  ///
  /// - Throws: `unsupported` where libcrypto failed.
  @unsafe
  func result() throws(RealmFileError) -> UnsafeRawBufferPointer {
    guard let blockByteCount else {
      throw RealmFileError(.unsupported("libcrypto refuses to encrypt here"))
    }
    return unsafe UnsafeRawBufferPointer(start: memory, count: blockByteCount)
  }

  /// Encrypts a page; counter 2 and HMAC 2 of the entry stay zero.
  ///
  /// - Returns: false where libcrypto fails.
  @unsafe
  private func encrypt(
    _ data: UnsafeRawPointer, at offset: Int, into place: UnsafeMutableRawPointer,
    entry: UnsafeMutableRawPointer
  ) -> Bool {
    unsafe entry.storeBytes(of: EncryptedPages.counter.littleEndian, as: UInt32.self)
    return unsafe cipher.convert(
      data, counter: EncryptedPages.counter, dataOffset: offset, into: place)
      && cipher.authenticate(place, into: (entry + 4).assumingMemoryBound(to: UInt8.self))
  }
}
