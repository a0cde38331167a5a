import Foundation
import TestSupport
import Testing

@testable import RealmStorage

@Suite("The cache of decrypted pages")
struct PageCacheTests {
  private static let pageCount = 600
  private let folder: TemporaryFolder
  private let path: String
  private let data: [UInt8]
  private let key: RealmKey
  private let mapping: MappedFile

  init() throws {
    folder = try TemporaryFolder()
    let counting = (0..<64).map { UInt8($0) }
    var random = SplitMix64(seed: 21)
    let words = (0..<(PageCacheTests.pageCount * 512)).map { _ in random.next() }
    data = unsafe words.withUnsafeBytes { unsafe Array($0) }
    path = try folder.write(PageEncryptor(key: counting).file(data), to: "x")
    key = try RealmKey(bytes: counting)
    let file = try FileDescriptor.openForReading(path)
    mapping = try MappedFile(descriptor: file.number, count: file.size())
  }

  private func isRight(_ page: Int, _ source: ByteSource) throws -> Bool {
    let range = page * 4096..<(page + 1) * 4096
    return try source.copy(at: range.lowerBound, count: 4096) == Array(data[range])
  }

  /// Garbles the ciphertext of `pages`, which then cannot be decrypted any more.
  private func damage(_ pages: Range<Int>) throws {
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    for page in pages {
      try file.seek(toOffset: UInt64(EncryptedLayout.ciphertextOffset(ofPage: page)))
      try file.write(contentsOf: [UInt8](repeating: 0xEE, count: 64))
      try file.seek(toOffset: UInt64(EncryptedLayout.entryOffset(ofPage: page) + 32))
      try file.write(contentsOf: [1])
    }
    try file.close()
  }

  @Test(
    "pages that one reader decrypted stay for all others, also after the first reader is released")
  func shared() throws {
    let cache = try pageCache(mapping, key)
    #expect(cache.keepsAll)
    for page in 0..<300 {
      #expect(try isRight(page, ByteSource(pages: try PageView(of: cache))))
    }
    try damage(0..<600)
    let second = ByteSource(pages: try PageView(of: cache))
    #expect(second.keepsAllBytes)
    for page in 0..<300 { #expect(try isRight(page, second)) }
    #expect(throws: RealmFileError(.damagedPage(300), offset: 300 * 4096)) {
      _ = try second.copy(at: 300 * 4096, count: 1)
    }
    #expect(cache.residentPages == 300)
  }

  @Test("pages stay while a reader needs them, and afterwards up to the limit")
  func limit() throws {
    let cache = try pageCache(mapping, key, byteCount: 64 * 4096)
    #expect(!cache.keepsAll)
    let source = ByteSource(pages: try PageView(of: cache))
    #expect(!source.keepsAllBytes)
    #expect(try isRight(599, source))
    let mark = source.loggedPages
    for page in 0..<500 { #expect(try isRight(page, source)) }
    #expect(cache.residentPages == 501)
    source.release(to: mark)
    try damage(599..<600)
    for page in 500..<599 { #expect(try isRight(page, source)) }
    // Pages read before the mark are still there.
    #expect(try isRight(599, source))
    source.release(to: mark)
    #expect(try isRight(0, source))
    #expect(cache.residentPages <= 64 + 1)
  }

  @Test("threads that read all over the file see the right bytes while pages are dropped")
  func threads() throws {
    let cache = try pageCache(mapping, key, byteCount: 100 * 4096)
    let wrong = Counter()
    DispatchQueue.concurrentPerform(iterations: 6) { thread in
      do {
        var random = SplitMix64(seed: UInt64(thread))
        let source = ByteSource(pages: try PageView(of: cache))
        for round in 0..<60 {
          let mark = source.loggedPages
          let start = Int(random.next() % 550)
          for i in 0..<50 {
            let page = i % 3 == 0 ? Int(random.next() % 600) : start + i
            if try !isRight(page, source) { wrong.add() }
          }
          if round % 7 != 0 { source.release(to: mark) }
        }
      } catch {
        wrong.add()
      }
    }
    #expect(wrong.count == 0)
    // Nothing is pinned any more.
    let source = ByteSource(pages: try PageView(of: cache))
    for page in 0..<600 {
      let mark = source.loggedPages
      #expect(try isRight(page, source))
      source.release(to: mark)
    }
    #expect(cache.residentPages <= 100 + 3)
  }

  @Test("a page that cannot be decrypted is an error for each thread that requests it")
  func damagedForAll() throws {
    try damage(7..<8)
    let cache = try pageCache(mapping, key)
    let errors = Counter()
    DispatchQueue.concurrentPerform(iterations: 4) { _ in
      for _ in 0..<50 {
        do {
          let source = ByteSource(pages: try PageView(of: cache))
          _ = try source.copy(at: 7 * 4096, count: 1)
        } catch {
          if (error as? RealmFileError)?.kind == .damagedPage(7) { errors.add() }
        }
      }
    }
    #expect(errors.count == 200)
    #expect(cache.residentPages == 0)
  }

  private final class Counter: @unchecked Sendable {
    private let lock = NSLock()
    private var value = 0
    var count: Int { lock.withLock { value } }
    func add() { lock.withLock { value += 1 } }
  }
}

@Suite("Replacement of pages")
struct PageReplacementTests {
  /// A cache of 100 pages as its users see it: counts how often a page had to be decrypted.
  private struct Simulation {
    var replacement: PageReplacement
    var resident = Set<Int>()
    var decryptions: [Int: Int] = [:]

    mutating func ask(_ page: Int) {
      guard resident.insert(page).inserted else { return replacement.use(page) }
      decryptions[page, default: 0] += 1
      replacement.add(page)
      guard resident.count > 100 else { return }
      for page in replacement.drop(12, isPinned: { _ in false }) { resident.remove(page) }
    }
  }

  @Test("pages that are used repeatedly survive a scan of many others")
  func scan() throws {
    var cache = Simulation(replacement: try PageReplacement(pageCount: 20_000, limit: 100))
    let hot = Array(stride(from: 0, to: 1000, by: 50))
    for page in 1000..<20_000 {
      cache.ask(page)
      if page % 5 == 0 { cache.ask(hot[page / 5 % 20]) }
    }
    // Each on probation once, and once as a regular.
    for page in hot { #expect(cache.decryptions[page] == 2) }
    #expect(cache.resident.count <= 100)
  }

  @Test("regulars that are no longer used are dropped for new ones")
  func change() throws {
    var cache = Simulation(replacement: try PageReplacement(pageCount: 60_000, limit: 100))
    for page in 1000..<60_000 {
      cache.ask(page)
      let first = page < 30_000 ? 0 : 500
      cache.ask(first + page % 50)
    }
    #expect((500..<550).count { cache.resident.contains($0) } == 50)
    // Three quarters of 100 are for regulars.
    #expect((0..<50).count { cache.resident.contains($0) } <= 25)
  }

  @Test("pinned pages stay, and are dropped once they are unpinned")
  func pinned() throws {
    var replacement = try PageReplacement(pageCount: 100, limit: 10)
    for page in 0..<20 { replacement.add(page) }
    #expect(replacement.drop(100) { $0 % 2 == 0 } == Array(stride(from: 1, to: 20, by: 2)))
    #expect(replacement.count == 10)
    #expect(replacement.drop(3) { _ in true } == [])
    #expect(replacement.drop(3) { _ in false } == [0, 2, 4])
  }

  @Test("if memory is reused, pages are dropped in whole runs")
  func wholeRuns() throws {
    var replacement = try PageReplacement(pageCount: 2000, limit: 1000)
    for page in 400..<1200 { replacement.add(page) }
    // Runs have 512 pages.
    #expect(replacement.drop(100, wholeRuns: true) { _ in false } == Array(400..<512))
    #expect(replacement.drop(300, wholeRuns: true) { _ in false } == Array(512..<1024))
  }
}
