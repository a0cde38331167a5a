#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Encrypts the data of a new file block by block: up to 64 pages of data become a metadata page and their
/// ciphertext (chapter 1, sections 5.2 to 5.4). Every page has counter 1. Belongs to one thread at a time.
@safe
final class EncryptedPages {
  /// Bytes of data per block.
  static let blockDataByteCount =
    EncryptedLayout.pageByteCount * EncryptedLayout.pagesPerBlock
  /// The counter of a page that was written once.
  private static let counter: UInt32 = 1

  private let cipher: PageCipher
  private let memory = UnsafeMutableRawPointer.allocate(
    byteCount: blockDataByteCount + EncryptedLayout.pageByteCount, alignment: 64)
  /// Nil if there is no block yet, or if the system failed to encrypt it.
  private var blockByteCount: Int?

  /// - Throws: `unsupported` where the system lacks the algorithms.
  init(key: RealmKey) throws(RealmFileError) {
    cipher = try PageCipher(key: key, .encrypting)
  }

  deinit { unsafe memory.deallocate() }

  /// Encrypts a block; ``result()`` returns it.
  ///
  /// - Parameters:
  ///   - data: up to 64 whole pages.
  ///   - offset: the data offset of the pages, which is the start of a block.
  ///   - skipsFirst: whether to omit the first page, as if it had never been written.
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

  /// The metadata page and the ciphertext of the last block; valid until the next block is encrypted.
  ///
  /// - Throws: `unsupported` if the system failed.
  @unsafe
  func result() throws(RealmFileError) -> UnsafeRawBufferPointer {
    guard let blockByteCount else {
      throw RealmFileError(.unsupported("the system cannot encrypt"))
    }
    return unsafe UnsafeRawBufferPointer(start: memory, count: blockByteCount)
  }

  /// Encrypts a page and writes its entry. Counter 2 and HMAC 2 of the entry stay zero.
  ///
  /// - Returns: false if the system fails.
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
