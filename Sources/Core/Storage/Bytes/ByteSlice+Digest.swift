internal import COpenSSL

extension ByteSlice {
  /// The SHA-1 of the bytes, from which object keys are made (chapter 3, section 4.3). Nil if
  /// libcrypto does not offer SHA-1.
  package var sha1: [UInt8]? {
    unsafe withUnsafeBytes { bytes in
      var digest = [UInt8](repeating: 0, count: 20)
      var count: UInt32 = 0
      let done = unsafe EVP_Digest(
        bytes.baseAddress, bytes.count, &digest, &count, EVP_sha1(), nil)
      return done == 1 && count == 20 ? digest : nil
    }
  }
}
