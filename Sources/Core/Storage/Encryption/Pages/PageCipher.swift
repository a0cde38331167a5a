import CCipher

/// AES-256-CBC and HMAC-SHA224 for pages (chapter 1, section 5.1). The contexts are reused, so a cipher belongs to one
/// thread.
@safe
final class PageCipher {
  static let authenticationByteCount = 28

  private let key: RealmKey
  private let cipher: OpaquePointer
  private let authentication: OpaquePointer

  /// Whether a cipher decrypts or encrypts.
  enum Direction {
    case decrypting, encrypting
  }

  /// - Throws: `unsupported` if the system lacks AES-256-CBC or HMAC-SHA224.
  init(key: RealmKey, _ direction: Direction = .decrypting) throws(RealmFileError) {
    self.key = key
    let unavailable = RealmFileError(
      .unsupported("the system lacks AES-256-CBC or HMAC-SHA224"))
    let encrypts: Int32 = direction == .encrypting ? 1 : 0
    guard let cipher = unsafe ccipher_pages_new(key.cipherKey, encrypts) else { throw unavailable }
    guard
      let authentication = unsafe ccipher_code_new(ccipher_sha224_code, key.authenticationKey, 32)
    else {
      unsafe ccipher_pages_free(cipher)
      throw unavailable
    }
    unsafe self.cipher = cipher
    unsafe self.authentication = authentication
  }

  deinit {
    unsafe ccipher_pages_free(cipher)
    unsafe ccipher_code_free(authentication)
  }

  /// Whether the HMAC of the page of ciphertext at `page` equals the 28 bytes at `expected`.
  @unsafe
  func verifies(_ page: UnsafeRawPointer, against expected: UnsafeRawPointer) -> Bool {
    unsafe withUnsafeTemporaryAllocation(
      of: UInt8.self, capacity: PageCipher.authenticationByteCount
    ) { code in
      guard let code = code.baseAddress, unsafe authenticate(page, into: code) else { return false }
      return unsafe ccipher_is_equal(code, expected, PageCipher.authenticationByteCount) != 0
    }
  }

  /// Writes the HMAC of the page of ciphertext at `page` to the 28 bytes at `code`.
  ///
  /// - Returns: false if the system fails.
  @unsafe
  func authenticate(_ page: UnsafeRawPointer, into code: UnsafeMutablePointer<UInt8>) -> Bool {
    unsafe ccipher_code_make(authentication, page, EncryptedLayout.pageByteCount, code) == 1
  }

  /// Decrypts or encrypts the page at `page` into the page at `output`, depending on the direction of the cipher.
  ///
  /// The initialization vector consists of the counter, the data offset and four zero bytes.
  ///
  /// - Returns: false if the system fails.
  @unsafe
  func convert(
    _ page: UnsafeRawPointer, counter: UInt32, dataOffset: Int,
    into output: UnsafeMutableRawPointer
  ) -> Bool {
    unsafe withUnsafeTemporaryAllocation(byteCount: 16, alignment: 8) { vector in
      unsafe vector.initializeMemory(as: UInt8.self, repeating: 0)
      unsafe vector.storeBytes(of: counter.littleEndian, as: UInt32.self)
      unsafe vector.storeBytes(
        of: UInt64(dataOffset).littleEndian, toByteOffset: 4, as: UInt64.self)
      return unsafe ccipher_pages_convert(
        cipher, vector.baseAddress?.assumingMemoryBound(to: UInt8.self), page, output,
        EncryptedLayout.pageByteCount) == 1
    }
  }
}
