import COpenSSL

/// AES-256-CBC and HMAC-SHA224 for pages, with libcrypto (chapter 1, section 5.1). The contexts are reused, so a
/// cipher belongs to one thread.
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

  /// - Throws: `unsupported` if libcrypto lacks AES-256-CBC or HMAC-SHA224.
  init(key: RealmKey, _ direction: Direction = .decrypting) throws(RealmFileError) {
    self.key = key
    let unavailable = RealmFileError(
      .unsupported("libcrypto lacks AES-256-CBC or HMAC-SHA224"))
    guard let cipher = unsafe EVP_CIPHER_CTX_new(),
      let authentication = unsafe MessageCode.makeContext(
        digest: "SHA224", key.authenticationKey, count: 32)
    else { throw unavailable }
    unsafe self.cipher = cipher
    unsafe self.authentication = authentication

    let isEncrypting: Int32 = direction == .encrypting ? 1 : 0
    guard
      unsafe EVP_CipherInit_ex(
        cipher, EVP_aes_256_cbc(), nil, key.cipherKey, nil, isEncrypting) == 1,
      unsafe EVP_CIPHER_CTX_set_padding(cipher, 0) == 1
    else { throw unavailable }
  }

  deinit {
    unsafe EVP_CIPHER_CTX_free(cipher)
    unsafe EVP_MAC_CTX_free(authentication)
  }

  /// Whether the HMAC of the page of ciphertext at `page` equals the 28 bytes at `expected`.
  @unsafe
  func verifies(_ page: UnsafeRawPointer, against expected: UnsafeRawPointer) -> Bool {
    unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 64) { code in
      guard let code = code.baseAddress, unsafe authenticate(page, into: code) else { return false }
      return unsafe CRYPTO_memcmp(code, expected, PageCipher.authenticationByteCount) == 0
    }
  }

  /// Writes the HMAC of the page of ciphertext at `page` to the 28 bytes at `code`.
  ///
  /// - Returns: false if libcrypto fails.
  @unsafe
  func authenticate(_ page: UnsafeRawPointer, into code: UnsafeMutablePointer<UInt8>) -> Bool {
    var count = 0
    return unsafe EVP_MAC_init(authentication, nil, 0, nil) == 1
      && EVP_MAC_update(
        authentication, page.assumingMemoryBound(to: UInt8.self), EncryptedLayout.pageByteCount)
        == 1
      && EVP_MAC_final(authentication, code, &count, PageCipher.authenticationByteCount) == 1
      && count == PageCipher.authenticationByteCount
  }

  /// Decrypts or encrypts the page at `page` into the page at `output`, depending on the direction of the cipher.
  ///
  /// The initialization vector consists of the counter, the data offset and four zero bytes.
  ///
  /// - Returns: false if libcrypto fails.
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
      var written: Int32 = 0
      // -1 keeps the direction.
      return unsafe EVP_CipherInit_ex(
        cipher, nil, nil, nil, vector.baseAddress?.assumingMemoryBound(to: UInt8.self), -1) == 1
        && EVP_CipherUpdate(
          cipher, output.assumingMemoryBound(to: UInt8.self), &written,
          page.assumingMemoryBound(to: UInt8.self), Int32(EncryptedLayout.pageByteCount)) == 1
        && written == EncryptedLayout.pageByteCount
    }
  }
}
