import COpenSSL

/// Computes HMAC-SHA256 codes with one key. Belongs to one thread.
@safe
package final class MessageCode {
  private static let byteCount = 32
  private let context: OpaquePointer

  /// - Throws: `unsupported` if libcrypto lacks HMAC-SHA256.
  package init(key: [UInt8]) throws(RealmFileError) {
    let made = unsafe key.withUnsafeBufferPointer { key in
      unsafe MessageCode.makeContext(digest: "SHA256", key.baseAddress, count: key.count)
    }
    guard let made = unsafe made else { throw MessageCode.unavailable }
    unsafe context = made
  }

  deinit { unsafe EVP_MAC_CTX_free(context) }

  private static var unavailable: RealmFileError {
    RealmFileError(.unsupported("libcrypto lacks HMAC-SHA256"))
  }

  /// The first 16 bytes of the code of `message`, as two numbers.
  package func code(of message: [UInt8]) throws(RealmFileError) -> (UInt64, UInt64) {
    let code = unsafe withUnsafeTemporaryAllocation(byteCount: MessageCode.byteCount, alignment: 8)
    {
      buffer -> (UInt64, UInt64)? in
      var count = 0
      let bytes = unsafe buffer.assumingMemoryBound(to: UInt8.self).baseAddress
      let done = unsafe message.withUnsafeBufferPointer { message in
        unsafe EVP_MAC_init(context, nil, 0, nil) == 1
          && EVP_MAC_update(context, message.baseAddress, message.count) == 1
          && EVP_MAC_final(context, bytes, &count, MessageCode.byteCount) == 1
      }
      guard done, count == MessageCode.byteCount else { return nil }
      return unsafe (
        buffer.load(as: UInt64.self).littleEndian,
        buffer.load(fromByteOffset: 8, as: UInt64.self).littleEndian
      )
    }
    guard let code else { throw MessageCode.unavailable }
    return code
  }

  /// Makes a context of libcrypto for an HMAC. `EVP_MAC_init` without a key begins another code with it.
  ///
  /// - Returns: nil if libcrypto lacks the digest.
  @unsafe
  static func makeContext(
    digest name: String, _ key: UnsafePointer<UInt8>?, count: Int
  ) -> OpaquePointer? {
    guard let algorithm = unsafe EVP_MAC_fetch(nil, "HMAC", nil) else { return nil }
    defer { unsafe EVP_MAC_free(algorithm) }
    guard let context = unsafe EVP_MAC_CTX_new(algorithm) else { return nil }
    // The parameters point to both strings, which must outlive them.
    let parameter = Array("digest".utf8CString)
    var digest = Array(name.utf8CString)
    let started = unsafe parameter.withUnsafeBufferPointer { parameter in
      unsafe digest.withUnsafeMutableBufferPointer { digest in
        unsafe withUnsafeTemporaryAllocation(of: OSSL_PARAM.self, capacity: 2) { parameters in
          unsafe parameters[0] = OSSL_PARAM_construct_utf8_string(
            parameter.baseAddress, digest.baseAddress, 0)
          unsafe parameters[1] = OSSL_PARAM_construct_end()
          return unsafe EVP_MAC_init(context, key, count, parameters.baseAddress)
        }
      }
    }
    guard started == 1 else {
      unsafe EVP_MAC_CTX_free(context)
      return nil
    }
    return unsafe context
  }
}
