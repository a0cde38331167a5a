import CCipher
import CImitatedCommonCrypto
import TestSupport
import Testing

/// An implementation of `ccipher.h`: AES-256, HMAC and digests of whole messages, with objects that are used more than
/// once.
struct CipherLibrary: CustomStringConvertible, Sendable {
  let description: String
  /// Key, whether to encrypt, and messages with their initialization vectors.
  let convert: @Sendable ([UInt8], Bool, [(vector: [UInt8], message: [UInt8])]) -> [[UInt8]]
  /// Key, and messages with their counters. Each message comes in two pieces.
  let stream: @Sendable ([UInt8], [(counter: [UInt8], message: [UInt8])]) -> [[UInt8]]
  let code: @Sendable (ccipher_code_digest, [UInt8], [[UInt8]]) -> [[UInt8]]
  /// Each message comes in two pieces.
  let sha256: @Sendable ([[UInt8]]) -> [[UInt8]]
  let sha1: @Sendable ([UInt8]) -> [UInt8]
  let random: @Sendable (Int) -> [UInt8]

  static var all: [CipherLibrary] {
    #if canImport(Darwin)
      [ofSystem]
    #else
      [ofSystem, commonCrypto]
    #endif
  }

  /// The one that this system's build takes.
  static let ofSystem = CipherLibrary(description: "the system's library") {
    key, encrypts, messages in
    let pages = unsafe ccipher_pages_new(key, encrypts ? 1 : 0)
    defer { unsafe ccipher_pages_free(pages) }
    return messages.map { vector, message in
      var output = [UInt8](repeating: 0, count: message.count)
      let done = unsafe ccipher_pages_convert(pages, vector, message, &output, message.count)
      return done == 1 ? output : []
    }
  } stream: { key, messages in
    let stream = unsafe ccipher_stream_new(key)
    defer { unsafe ccipher_stream_free(stream) }
    return messages.map { counter, message in
      guard unsafe ccipher_stream_start(stream, counter) == 1 else { return [] }
      return halves(message).flatMap { piece in
        var output = piece
        let done = unsafe ccipher_stream_apply(stream, piece, &output, piece.count)
        return done == 1 ? output : []
      }
    }
  } code: { digest, key, messages in
    let code = unsafe ccipher_code_new(digest, key, key.count)
    defer { unsafe ccipher_code_free(code) }
    return messages.map { message in
      var result = [UInt8](repeating: 0, count: Int(digest.rawValue))
      return unsafe ccipher_code_make(code, message, message.count, &result) == 1 ? result : []
    }
  } sha256: { messages in
    let digest = unsafe ccipher_digest_new()
    defer { unsafe ccipher_digest_free(digest) }
    return messages.map { message in
      var result = [UInt8](repeating: 0, count: 32)
      var done = unsafe ccipher_digest_restart(digest) == 1
      for piece in halves(message) {
        done = unsafe ccipher_digest_update(digest, piece, piece.count) == 1 && done
      }
      return unsafe ccipher_digest_finish(digest, &result) == 1 && done ? result : []
    }
  } sha1: { message in
    var result = [UInt8](repeating: 0, count: 20)
    return unsafe ccipher_sha1(message, message.count, &result) == 1 ? result : []
  } random: { count in
    var bytes = [UInt8](repeating: 0, count: count)
    return unsafe ccipher_random(&bytes, count) == 1 ? bytes : []
  }

  #if !canImport(Darwin)
    /// The one of Apple's systems, over an imitation of CommonCrypto.
    static let commonCrypto = CipherLibrary(description: "imitated CommonCrypto") {
      key, encrypts, messages in
      let pages = unsafe commoncrypto_pages_new(key, encrypts ? 1 : 0)
      defer { unsafe commoncrypto_pages_free(pages) }
      return messages.map { vector, message in
        var output = [UInt8](repeating: 0, count: message.count)
        let done = unsafe commoncrypto_pages_convert(pages, vector, message, &output, message.count)
        return done == 1 ? output : []
      }
    } stream: { key, messages in
      let stream = unsafe commoncrypto_stream_new(key)
      defer { unsafe commoncrypto_stream_free(stream) }
      return messages.map { counter, message in
        guard unsafe commoncrypto_stream_start(stream, counter) == 1 else { return [] }
        return halves(message).flatMap { piece in
          var output = piece
          let done = unsafe commoncrypto_stream_apply(stream, piece, &output, piece.count)
          return done == 1 ? output : []
        }
      }
    } code: { digest, key, messages in
      let code = unsafe commoncrypto_code_new(digest, key, key.count)
      defer { unsafe commoncrypto_code_free(code) }
      return messages.map { message in
        var result = [UInt8](repeating: 0, count: Int(digest.rawValue))
        let done = unsafe commoncrypto_code_make(code, message, message.count, &result)
        return done == 1 ? result : []
      }
    } sha256: { messages in
      let digest = unsafe commoncrypto_digest_new()
      defer { unsafe commoncrypto_digest_free(digest) }
      return messages.map { message in
        var result = [UInt8](repeating: 0, count: 32)
        var done = unsafe commoncrypto_digest_restart(digest) == 1
        for piece in halves(message) {
          done = unsafe commoncrypto_digest_update(digest, piece, piece.count) == 1 && done
        }
        return unsafe commoncrypto_digest_finish(digest, &result) == 1 && done ? result : []
      }
    } sha1: { message in
      var result = [UInt8](repeating: 0, count: 20)
      return unsafe commoncrypto_sha1(message, message.count, &result) == 1 ? result : []
    } random: { count in
      var bytes = [UInt8](repeating: 0, count: count)
      return unsafe commoncrypto_random(&bytes, count) == 1 ? bytes : []
    }
  #endif

  private static func halves(_ message: [UInt8]) -> [[UInt8]] {
    [Array(message.prefix(message.count / 3)), Array(message.dropFirst(message.count / 3))]
  }
}

@Suite("Ciphers and digests of the system")
struct CipherTests {
  /// Four blocks of NIST SP 800-38A, and its key for AES-256.
  private let blocks = hexadecimalBytes(
    "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
      + "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710")
  private let key = hexadecimalBytes(
    "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4")

  @Test("AES-256 gives the results of NIST SP 800-38A", arguments: CipherLibrary.all)
  func aes(library: CipherLibrary) {
    // F.2.5 and F.2.6
    let vector = (0..<16).map { UInt8($0) }
    let hidden = hexadecimalBytes(
      "f58c4c04d6e5f1ba779eabfb5f7bfbd69cfc4e967edb808d679f777bc6702c7d"
        + "39f23369a9d9bacfa530e26304231461b2eb05e2c39be9fcda6c19078c6a9d1b")
    // Twice, because each message begins with its own vector.
    #expect(
      library.convert(key, true, [(vector, blocks), (vector, blocks)]) == [hidden, hidden])
    #expect(
      library.convert(key, false, [(vector, hidden), (vector, hidden)]) == [blocks, blocks])
    // F.5.5
    let counter = (0xF0...0xFF).map { UInt8($0) }
    #expect(
      library.stream(key, [(counter, blocks), (counter, Array(blocks.prefix(50)))]).map(\.count)
        == [64, 50])
    #expect(
      library.stream(key, [(counter, blocks)]) == [
        hexadecimalBytes(
          "601ec313775789a5b7a7f504bbf3d228f443e3ca4d62b59aca84e990cacaf5c5"
            + "2b0930daa23de94ce87017ba2d84988ddfc9c58db67aada613c2dd08457941a6")
      ])
  }

  @Test("HMAC gives the results of RFC 4231", arguments: CipherLibrary.all)
  func codes(library: CipherLibrary) {
    let cases: [(key: [UInt8], message: String, sha224: String, sha256: String)] = [
      (
        Array(repeating: 0x0B, count: 20), "Hi There",
        "896fb1128abbdf196832107cd49df33f47b4b1169912ba4f53684b22",
        "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
      ),
      (
        Array("Jefe".utf8), "what do ya want for nothing?",
        "a30e01098bc6dbbf45690f3a7e9e6d0f8bbea2a39e6148008fd05e44",
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
      ),
      (
        Array(repeating: 0xAA, count: 131),
        "Test Using Larger Than Block-Size Key - Hash Key First",
        "95e9a0db962095adaebe9b2d6f0dbce2d499f112f2d2b7273fa6870e",
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
      ),
    ]
    for (key, message, sha224, sha256) in cases {
      let twice = Array(repeating: Array(message.utf8), count: 2)
      #expect(
        library.code(ccipher_sha224_code, key, twice)
          == Array(repeating: hexadecimalBytes(sha224), count: 2))
      #expect(
        library.code(ccipher_sha256_code, key, twice)
          == Array(repeating: hexadecimalBytes(sha256), count: 2))
    }
  }

  @Test("SHA-256 and SHA-1 give the results of FIPS 180", arguments: CipherLibrary.all)
  func digests(library: CipherLibrary) {
    let two = Array("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq".utf8)
    #expect(
      library.sha256([Array("abc".utf8), two]) == [
        hexadecimalBytes("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        hexadecimalBytes("248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"),
      ])
    #expect(
      library.sha1(Array("abc".utf8))
        == hexadecimalBytes("a9993e364706816aba3e25717850c26c9cd0d89d"))
    #expect(library.sha1(two) == hexadecimalBytes("84983e441c3bd26ebaae4aa1f95129e5e54670f1"))
  }

  @Test("random numbers fill all bytes, and differ", arguments: CipherLibrary.all)
  func random(library: CipherLibrary) {
    #expect(library.random(64).count == 64)
    #expect(library.random(64) != library.random(64))
    #expect(!library.random(64).suffix(32).allSatisfy { $0 == 0 })
  }

  @Test("memory is compared and wiped")
  func memory() {
    var bytes = (1...40).map { UInt8($0) }
    for i in 0..<28 {
      var other = bytes
      other[i] ^= 0x80
      #expect(unsafe ccipher_is_equal(bytes, other, 28) == 0)
    }
    var later = bytes
    later[28] = 0
    #expect(unsafe ccipher_is_equal(bytes, later, 28) == 1)
    unsafe ccipher_wipe(&bytes, 39)
    #expect(bytes == Array(repeating: 0, count: 39) + [40])
  }

  #if !canImport(Darwin)
    @Test("both implementations agree on random inputs", arguments: [UInt64(1), 2, 3])
    func agreement(seed: UInt64) {
      var numbers = SplitMix64(seed: seed)
      let (one, other) = (CipherLibrary.ofSystem, CipherLibrary.commonCrypto)
      for _ in 0..<200 {
        let key = numbers.bytes(32)
        let pages = (0..<3).map { _ in
          (
            vector: numbers.bytes(16),
            message: numbers.bytes(16 * Int.random(in: 0...300, using: &numbers))
          )
        }
        for encrypts in [true, false] {
          #expect(
            one.convert(key, encrypts, pages) == other.convert(key, encrypts, pages), "seed \(seed)"
          )
        }
        let messages = (0..<3).map { _ in numbers.bytes(Int.random(in: 0...5000, using: &numbers)) }
        let streams = messages.map { message in
          (counter: numbers.bytes(8) + [0] + numbers.bytes(7), message: message)
        }
        #expect(one.stream(key, streams) == other.stream(key, streams), "seed \(seed)")
        let long = numbers.bytes(Int.random(in: 0...200, using: &numbers))
        for digest in [ccipher_sha224_code, ccipher_sha256_code] {
          #expect(
            one.code(digest, long, messages) == other.code(digest, long, messages), "seed \(seed)")
        }
        #expect(one.sha256(messages) == other.sha256(messages), "seed \(seed)")
        #expect(messages.map(one.sha1) == messages.map(other.sha1), "seed \(seed)")
      }
    }
  #endif
}
