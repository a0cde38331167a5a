import CCipher
import Foundation
import TestSupport
import Testing

@testable import RealmStorage

/// SHA-256 of `bytes` as hexadecimal digits.
func sha256(_ bytes: [UInt8]) -> String {
  var result = [UInt8](repeating: 0, count: 32)
  let digest = unsafe ccipher_digest_new()
  defer { unsafe ccipher_digest_free(digest) }
  let isDone =
    unsafe ccipher_digest_update(digest, bytes, bytes.count) == 1
    && ccipher_digest_finish(digest, &result) == 1
  precondition(isDone)
  return result.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
}

/// Encrypts pages the way chapter 1, section 5 describes.
struct PageEncryptor {
  let key: [UInt8]

  /// The HMAC of a page of ciphertext.
  func code(_ page: [UInt8]) -> [UInt8] {
    var result = [UInt8](repeating: 0, count: 28)
    let code = unsafe ccipher_code_new(ccipher_sha224_code, Array(key[32...]), 32)
    defer { unsafe ccipher_code_free(code) }
    unsafe precondition(ccipher_code_make(code, page, page.count, &result) == 1)
    return result
  }

  /// The ciphertext of `page` at data offset `offset`.
  func ciphertext(_ page: [UInt8], counter: Int, offset: Int) -> [UInt8] {
    let vector =
      littleEndianBytes(counter, count: 4) + littleEndianBytes(offset, count: 8)
      + [0, 0, 0, 0]
    var output = [UInt8](repeating: 0, count: page.count)
    let pages = unsafe ccipher_pages_new(key, 1)
    defer { unsafe ccipher_pages_free(pages) }
    unsafe precondition(ccipher_pages_convert(pages, vector, page, &output, page.count) == 1)
    return output
  }

  /// A file of the given data, every page of it with counter 1.
  func file(_ data: [UInt8]) -> [UInt8] {
    var file: [UInt8] = []
    let pages = (data.count + 4095) / 4096
    for block in 0...(pages / 64) {
      var entries: [UInt8] = []
      var ciphertexts: [UInt8] = []
      for page in (block * 64)..<max(block * 64, min(pages, block * 64 + 64)) {
        let part = Array(data[(page * 4096)..<min(data.count, page * 4096 + 4096)])
        let whole = part + [UInt8](repeating: 0, count: 4096 - part.count)
        let hidden = ciphertext(whole, counter: 1, offset: page * 4096)
        entries += [1, 0, 0, 0] + code(hidden) + [UInt8](repeating: 0, count: 32)
        ciphertexts += hidden
      }
      file += entries + [UInt8](repeating: 0, count: 4096 - entries.count) + ciphertexts
    }
    return file
  }
}

/// A cache of the pages of the encrypted file in `mapping`; no process writes to the file.
func pageCache(
  _ mapping: MappedFile, _ key: RealmKey, byteCount: Int = Snapshot.usualCacheByteCount,
  movesMemory: Bool = false
) throws -> PageCache {
  try PageCache(
    EncryptedFile(mapping: mapping, key: key, mayChange: false), byteCount: byteCount,
    movesMemory: movesMemory)
}

/// The whole decrypted content of the file at `path`.
func decrypted(_ path: String, key: RealmKey) throws -> [UInt8] {
  let descriptor = try FileDescriptor.openForReading(path)
  let mapping = try MappedFile(descriptor: descriptor.number, count: descriptor.size())
  let source = ByteSource(pages: try PageView(of: pageCache(mapping, key)))
  return try source.copy(at: 0, count: source.count)
}

@Suite("Encrypted files")
struct EncryptionTests {
  let folder: TemporaryFolder
  let counting = (0..<64).map { UInt8($0) }

  init() throws { folder = try TemporaryFolder() }

  private func data() -> [UInt8] {
    Array("test data".utf8) + [UInt8](repeating: 0, count: 4087)
  }

  @Test("the first test vector has the expected bytes, and is decrypted")
  func vector1() throws {
    let file = PageEncryptor(key: counting).file(data())
    #expect(
      Array(file[0..<64])
        == hexadecimalBytes(
          "01000000 647073b0ef2e621aa5910383dab0e76d1dd00288e0f83fac463e8b9a")
        + [UInt8](repeating: 0, count: 32))
    #expect(
      Array(file[4096..<4128])
        == hexadecimalBytes("92b363db2e4269811f9bf9e787118cb8a73836b840f8c1287559061a850a2e0f"))
    #expect(
      sha256(file) == "33ef43514dba23195fdda79bf9c5444dd8bdb59d1dabb3b04d161b66ba2be938")
    let path = try folder.write(file, to: "x")
    #expect(try decrypted(path, key: RealmKey(bytes: counting)) == data())
    // It has no realm, which looks like a key with a wrong half.
    #expect(refusal(path, key: try RealmKey(bytes: counting))?.kind == .wrongKey)
  }

  @Test(
    "the reference's own files decrypt to what it reads",
    .enabled(if: corpusFolder != nil, "the corpus is not beside the package"),
    arguments: [
      (
        "test__test_shared_decrypt_4k_page.realm@2de931f1", 73728,
        "5fa78b2ca697ec6d3d07fe3ab4afcb290903edf0a3172723404e4d8bc9bf793f" as String?,
        [0, 9, 16, 17]
      ),
      (
        "test__test_shared_decrypt_64k_page.realm@de775d09", 1_179_648, nil,
        [0, 0x90000, 0x100000, 0x110000].flatMap { ($0 / 4096)..<($0 / 4096 + 16) }
      ),
    ])
  func publicVectors(name: String, size: Int, digest: String?, written: [Int]) throws {
    let path = try #require(corpusFolder).appending(path: "realm-core/\(name)").path
    let text = "1234567890123456789012345678901123456789012345678901234567890123"
    let key = try RealmKey(bytes: Array(text.utf8))
    let data = try decrypted(path, key: key)
    #expect(data.count == size)
    if let digest { #expect(sha256(data) == digest) }
    let file = try readFile(path)
    let pages = (0..<(size / 4096)).filter {
      file[EncryptedLayout.entryOffset(ofPage: $0)] != 0
    }
    #expect(pages == written)
    #expect(
      data[..<24]
        == hexadecimalBytes(
          "0000000000000000 5890000000000000 542D4442 00090001")[...] || digest == nil)
    #expect(try Snapshot(path: path, key: key).format == 9)
    #expect(refusal(path)?.kind == .keyMissing)
    #expect(refusal(path, key: try testKey(7))?.kind == .wrongKey)
  }

  @Test(
    "sizes follow from the number of pages for any size",
    arguments: [
      (0, 0), (4096, 0), (8192, 4096), (12288, 8192), (65 * 4096, 64 * 4096),
      (66 * 4096, 64 * 4096), (67 * 4096, 65 * 4096), (77824, 73728), (1_200_128, 1_179_648),
    ])
  func sizes(file: Int, data: Int) {
    #expect(EncryptedLayout.dataByteCount(fileByteCount: file) == data)
  }

  @Test("a realm of several blocks is read through its pages, in streaming form too")
  func blocks() throws {
    let golden = try Golden.bytes("people.realm")
    // Padded so that the footer ends with a page, as the reference does.
    let streaming =
      smallestStreaming[..<56] + [UInt8](repeating: 0, count: 70 * 4096 - 72)
      + smallestStreaming[56...]
    for data in [golden, Array(streaming)] {
      let path = try folder.write(PageEncryptor(key: counting).file(data), to: "x.realm")
      let plain = try Snapshot(path: folder.write(data, to: "plain.realm"))
      let snapshot = try Snapshot(path: path, key: RealmKey(bytes: counting))
      #expect(snapshot.isEncrypted)
      #expect(snapshot.top == plain.top)
      #expect(snapshot.header == plain.header)
      let reader = try snapshot.makeReader()
      #expect(try reader.source.copy(at: 0, count: data.count) == data)
      try snapshot.prove()
      let copied = try Snapshot(path: path, key: RealmKey(bytes: counting), access: .copied)
      #expect(copied.isCopy && copied.top == plain.top)
      let copiedReader = try copied.makeReader()
      #expect(try copiedReader.source.copy(at: 0, count: data.count) == data)
    }
  }

  @Test("pages are decrypted ahead, and a damaged one is an error only when it is requested")
  func readAhead() throws {
    var file = PageEncryptor(key: counting).file(randomPages(2400))
    let data = randomPages(2400)
    for page in [170, 700] {
      file[EncryptedLayout.ciphertextOffset(ofPage: page)] ^= 1
      // As if the page had been written twice, so that it does not look like a page that was never
      // written.
      file[EncryptedLayout.entryOffset(ofPage: page) + 32] = 1
    }
    let (cache, source) = try open(file, readingAhead: 2000)
    for page in 0..<2400 {
      if page == 170 || page == 700 {
        let error = RealmFileError(.damagedPage(page), offset: page * 4096)
        #expect(throws: error) { _ = try source.copy(at: page * 4096, count: 1) }
        continue
      }
      let range = page * 4096..<(page + 1) * 4096
      #expect(try source.copy(at: range.lowerBound, count: 4096) == Array(data[range]))
      switch page {
      // The 64th page in a row starts the first run of 512 pages, a quarter of that the next one; what
      // is damaged is not among them.
      case 62: #expect(cache.residentPages == 63)
      case 63: #expect(comes(cache, to: 511))
      case 400: #expect(comes(cache, to: 511 + 511))
      // Unwanted pages are not decrypted before they are requested.
      case 1999: #expect(cache.residentPages == 1998)
      case 2399: #expect(cache.residentPages == 2398)
      default: break
      }
    }
  }

  /// Whether `cache` has `count` pages after running decryptions.
  private func comes(_ cache: PageCache, to count: Int) -> Bool {
    for _ in 0..<2000 where cache.residentPages != count { usleep(1000) }
    return cache.residentPages == count
  }

  @Test("nothing is decrypted ahead for a reader that jumps")
  func jumps() throws {
    let data = randomPages(1500)
    let (cache, source) = try open(PageEncryptor(key: counting).file(data), readingAhead: 1500)
    var asked = Set<Int>()
    var random = SplitMix64(seed: 4)
    for i in 0..<1500 {
      // Two fronts, and jumps: neighbouring pages are requested, but not one after the other.
      let page = i % 3 == 0 ? i / 3 : i % 3 == 1 ? 700 + i / 3 : Int(random.next() % 1500)
      let range = page * 4096..<(page + 1) * 4096
      #expect(try source.copy(at: range.lowerBound, count: 4096) == Array(data[range]))
      asked.insert(page)
      #expect(cache.residentPages == asked.count)
    }
  }

  private func randomPages(_ count: Int) -> [UInt8] {
    var random = SplitMix64(seed: 5)
    return random.bytes(count * 4096)
  }

  /// The encrypted `file`, for a reader that announces to read the first `pageCount` pages.
  private func open(
    _ file: [UInt8], readingAhead pageCount: Int
  ) throws -> (cache: PageCache, source: ByteSource) {
    let path = try folder.write(file, to: "x")
    let descriptor = try FileDescriptor.openForReading(path)
    let mapping = try MappedFile(descriptor: descriptor.number, count: descriptor.size())
    let cache = try pageCache(
      mapping, RealmKey(bytes: counting), byteCount: PageCache.byteCountForOnePass,
      movesMemory: true)
    let readAhead = try ReadAhead(of: descriptor, into: cache, limit: pageCount * 4096)
    return (cache, ByteSource(pages: try PageView(of: cache, readAhead: readAhead)))
  }

  @Test("memory that was given back holds the pages that are decrypted next")
  func movedMemory() throws {
    let data = randomPages(9500)
    let (cache, source) = try open(PageEncryptor(key: counting).file(data), readingAhead: 9500)
    var random = SplitMix64(seed: 9)
    func check(_ page: Int) throws {
      let range = page * 4096..<(page + 1) * 4096
      #expect(try source.copy(at: range.lowerBound, count: 4096) == Array(data[range]))
    }
    try check(0)
    let mark = source.loggedPages
    var releases = 0
    var old: [Int] = []
    for page in 1..<9500 {
      try check(page)
      // Some pages come from memory that may have been given back.
      if page % 50 == 0 {
        old.append(Int(random.next() % UInt64(page)))
        for page in old.suffix(20) { try check(page) }
      }
      guard page % 256 == 0 else { continue }
      let before = source.loggedPages
      source.release(to: mark)
      if source.loggedPages < before { releases += 1 }
      try check(0)
      try check(page)
      // 4096 pages are kept, beside those in use.
      #expect(cache.residentPages < 4096 + 1024)
    }
    #expect(releases >= 2)
  }

  @Test("the page state follows the rules of reading a page")
  func pageStates() throws {
    let encryptor = PageEncryptor(key: counting)
    let cipher = try PageCipher(key: RealmKey(bytes: counting))
    let page = encryptor.ciphertext(data(), counter: 5, offset: 0)
    let good = encryptor.code(page)
    let bad = [UInt8](repeating: 9, count: 28)
    func state(_ c1: UInt8, _ h1: [UInt8], _ c2: UInt8, _ h2: [UInt8], _ page: [UInt8]) -> PageState
    {
      let entry = [c1, 0, 0, 0] + h1 + [c2, 0, 0, 0] + h2
      return unsafe entry.withUnsafeBytes { entry in
        unsafe page.withUnsafeBytes { page in
          guard let entry = entry.baseAddress, let page = page.baseAddress else { return .invalid }
          return unsafe PageState(entry: entry, page: page, cipher: cipher)
        }
      }
    }
    #expect(state(0, bad, 0, bad, page) == .neverWritten)
    #expect(state(5, good, 4, bad, page) == .valid(counter: 5, isOlder: false))
    #expect(state(6, bad, 5, good, page) == .valid(counter: 5, isOlder: true))
    #expect(state(1, bad, 0, bad, page) == .neverWritten)
    #expect(state(6, bad, 5, bad, page) == .invalid)
    #expect(state(6, bad, 5, bad, [UInt8](repeating: 0, count: 4096)) == .zeros)
  }

  @Test("errors of the key and of the file are distinguished")
  func refusals() throws {
    let good = try Golden.bytes("people-encrypted.realm")
    let key = try Golden.bytes("people-encrypted.key")
    func open(_ file: [UInt8], _ key: [UInt8]) throws -> RealmFileError.Kind? {
      refusal(try folder.write(file, to: "x.realm"), key: try RealmKey(bytes: key))?.kind
    }
    #expect(try open(good, key) == nil)
    // Each half of the key.
    #expect(try open(good, [key[0] ^ 1] + key[1...]) == .wrongKey)
    #expect(try open(good, key[..<63] + [key[63] ^ 1]) == .wrongKey)
    // The header page is damaged; other pages show that the key is right.
    var damaged = good
    damaged[5000] ^= 1
    #expect(try open(damaged, key) == .damagedPage(0))
    damaged = good
    damaged.replaceSubrange(0..<64, with: [UInt8](repeating: 0, count: 64))
    #expect(try open(damaged, key) == .damagedPage(0))
    // Cut: in the header page, in a page, between pages.
    #expect(try open(Array(good[..<5000]), key) == .truncated(missingBytes: 3192))
    let snapshot = try Snapshot(
      path: Golden.path("people-encrypted.realm"), key: RealmKey(bytes: key))
    let half = good.count / 2 & ~4095
    for size in [half, half + 8, half + 13] {
      let isTruncated =
        if case .truncated = try open(Array(good[..<size]), key) { true } else { false }
      #expect(isTruncated || snapshot.top.logicalSize < size)
    }
  }

  @Test("a damaged page is named")
  func damagedPage() throws {
    var file = try Golden.bytes("people-encrypted.realm")
    let key = try RealmKey(bytes: Golden.bytes("people-encrypted.key"))
    let snapshot = try Snapshot(path: Golden.path("people-encrypted.realm"), key: key)
    let page = snapshot.top.tables / 4096
    file[EncryptedLayout.ciphertextOffset(ofPage: page) + 1] ^= 1
    let path = try folder.write(file, to: "x.realm")
    do {
      let damaged = try Snapshot(path: path, key: key)
      let reader = try damaged.makeReader()
      _ = try reader.node(at: damaged.top.tables)
      Issue.record("the damage was not seen")
    } catch {
      #expect(error.kind == .damagedPage(page))
    }
  }

  @Test("an encrypted file of any size ends in a result or an error")
  func anySize() throws {
    let good = try Golden.bytes("people-encrypted.realm")
    let key = try RealmKey(bytes: Golden.bytes("people-encrypted.key"))
    var random = SplitMix64(seed: 11)
    for _ in 0..<60 {
      let size = Int.random(in: 1...good.count, using: &random)
      let path = try folder.write(Array(good[..<size]), to: "x.realm")
      #expect(refusal(path, key: key) != nil || size > 8192)
    }
  }
}
