#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Makes the blocks of a new encrypted file from its data (chapter 1, sections 5.2 to 5.4): for each 64
/// pages the page of their metadata entries and their ciphertext, every page with counter 1. Belongs
/// to one thread.
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

  /// - Throws: `unsupported` where libcrypto lacks the algorithms.
  init(key: RealmKey) throws(RealmFileError) {
    cipher = try PageCipher(key: key, .encrypting)
  }

  deinit { unsafe memory.deallocate() }

  /// The block of the pages at `data`, valid until the next call.
  ///
  /// - Parameters:
  ///   - data: up to 64 whole pages.
  ///   - offset: their data offset: that of the start of a block.
  ///   - skipsFirst: leaves out the first page, as if it were never written.
  /// - Returns: the metadata page and the ciphertext of the pages.
  /// - Throws: `unsupported` where libcrypto fails.
  @unsafe
  func block(
    of data: UnsafeRawBufferPointer, at offset: Int, skipsFirst: Bool
  ) throws(RealmFileError) -> UnsafeRawBufferPointer {
    let pages = data.count / EncryptedLayout.pageByteCount
    unsafe memset(memory, 0, EncryptedLayout.pageByteCount)
    guard let start = data.baseAddress else {
      return unsafe UnsafeRawBufferPointer(start: memory, count: EncryptedLayout.pageByteCount)
    }
    for page in 0..<pages {
      let place = unsafe memory + (page + 1) * EncryptedLayout.pageByteCount
      if page == 0, skipsFirst {
        unsafe memset(place, 0, EncryptedLayout.pageByteCount)
        continue
      }
      let dataOffset = page * EncryptedLayout.pageByteCount
      try unsafe encrypt(
        start + dataOffset, at: offset + dataOffset, into: place,
        entry: memory + page * EncryptedLayout.entryByteCount)
    }
    return unsafe UnsafeRawBufferPointer(
      start: memory, count: (pages + 1) * EncryptedLayout.pageByteCount)
  }

  /// The ciphertext of one page and its metadata entry, valid until the next call.
  @unsafe
  func page(
    _ data: UnsafeRawPointer, at offset: Int
  ) throws(RealmFileError) -> (page: UnsafeRawBufferPointer, entry: UnsafeRawBufferPointer) {
    let place = unsafe memory + EncryptedLayout.pageByteCount
    unsafe memset(memory, 0, EncryptedLayout.entryByteCount)
    try unsafe encrypt(data, at: offset, into: place, entry: memory)
    return unsafe (
      UnsafeRawBufferPointer(start: place, count: EncryptedLayout.pageByteCount),
      UnsafeRawBufferPointer(start: memory, count: EncryptedLayout.entryByteCount)
    )
  }

  /// Encrypts a page; counter 2 and HMAC 2 of the entry stay zero.
  @unsafe
  private func encrypt(
    _ data: UnsafeRawPointer, at offset: Int, into place: UnsafeMutableRawPointer,
    entry: UnsafeMutableRawPointer
  ) throws(RealmFileError) {
    unsafe entry.storeBytes(of: EncryptedPages.counter.littleEndian, as: UInt32.self)
    guard
      unsafe cipher.convert(
        data, counter: EncryptedPages.counter, dataOffset: offset, into: place)
        && cipher.authenticate(place, into: (entry + 4).assumingMemoryBound(to: UInt8.self))
    else { throw RealmFileError(.unsupported("libcrypto refuses to encrypt here")) }
  }
}
