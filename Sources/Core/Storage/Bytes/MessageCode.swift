import CCipher

/// Computes HMAC-SHA256 codes with one key. Belongs to one thread.
@safe
package final class MessageCode {
  private static let byteCount = 32
  private let context: OpaquePointer

  /// - Throws: `unsupported` if the system lacks HMAC-SHA256.
  package init(key: [UInt8]) throws(RealmFileError) {
    guard let context = unsafe ccipher_code_new(ccipher_sha256_code, key, key.count) else {
      throw MessageCode.unavailable
    }
    unsafe self.context = context
  }

  deinit { unsafe ccipher_code_free(context) }

  private static var unavailable: RealmFileError {
    RealmFileError(.unsupported("the system lacks HMAC-SHA256"))
  }

  /// The first 16 bytes of the code of `message`, as two numbers.
  package func code(of message: [UInt8]) throws(RealmFileError) -> (UInt64, UInt64) {
    let code = unsafe withUnsafeTemporaryAllocation(byteCount: MessageCode.byteCount, alignment: 8)
    {
      buffer -> (UInt64, UInt64)? in
      let bytes = unsafe buffer.assumingMemoryBound(to: UInt8.self).baseAddress
      guard unsafe ccipher_code_make(context, message, message.count, bytes) == 1 else {
        return nil
      }
      return unsafe (
        buffer.load(as: UInt64.self).littleEndian,
        buffer.load(fromByteOffset: 8, as: UInt64.self).littleEndian
      )
    }
    guard let code else { throw MessageCode.unavailable }
    return code
  }
}
