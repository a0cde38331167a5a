import Foundation
import Synchronization
import TestSupport
import Testing

@testable import RealmStorage

@Suite("Output of a realm")
struct RealmOutputTests {
  let folder: TemporaryFolder
  let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path("out")
  }

  /// What `write` appends, as a file.
  private func bytes(
    key: RealmKey?, header: [UInt8]? = nil, _ write: (RealmOutput) throws -> Void
  ) throws -> [UInt8] {
    let file = try OutputFile(path: path, replacing: true)
    let output = try RealmOutput(.file(file), key: key)
    try write(output)
    let size = try output.finish(header: header)
    try file.publish()
    let bytes = try readFile(path)
    #expect(size == bytes.count)
    return bytes
  }

  /// Chapter 1, section 5.8, test vector 1: made by the reference.
  @Test("one page of data equals the file that the reference writes, byte for byte")
  func vector() throws {
    let key = try RealmKey(bytes: Array(0...63))
    let bytes = try bytes(key: key) {
      try $0.append(Array("test data".utf8))
      try $0.appendZeros(4096 - 9)
    }
    #expect(bytes.count == 8192)
    #expect(
      sha256(bytes) == "33ef43514dba23195fdda79bf9c5444dd8bdb59d1dabb3b04d161b66ba2be938")
  }

  /// Chapter 1, section 5.2: 64 pages of data are 66 of the file.
  @Test(
    "a full block is followed by the metadata page of the next",
    arguments: [1, 63, 64, 65, 300, 1024])
  func blocks(pages: Int) throws {
    let key = try RealmKey(bytes: Array(0...63))
    var random = SplitMix64(seed: UInt64(pages))
    let data = random.bytes(pages * 4096)
    let encrypted = try bytes(key: key) { output in
      // In pieces that fit no page.
      for start in stride(from: 0, to: data.count, by: 50_001) {
        try output.append(Array(data[start..<min(start + 50_001, data.count)]))
      }
    }
    #expect(encrypted.count == (pages + pages / 64 + 1) * 4096)
    let file = try FileDescriptor.openForReading(path)
    let mapping = try MappedFile(descriptor: file.number, count: encrypted.count)
    let decrypted = ByteSource(pages: try PageView(of: pageCache(mapping, key)))
    #expect(decrypted.count == data.count)
    #expect(try decrypted.copy(at: 0, count: data.count) == data)
  }

  @Test("the header is written at the end, also in an encrypted file")
  func header() throws {
    let header: [UInt8] = Array(1...24)
    let plain = try bytes(key: nil, header: header) { try $0.appendZeros(4096) }
    #expect(plain == header + Array(repeating: 0, count: 4096 - 24))

    let key = try RealmKey(bytes: Array(0...63))
    let late = try bytes(key: key, header: header) { try $0.appendZeros(2 << 20) }
    let early = try bytes(key: key) {
      try $0.append(header)
      try $0.appendZeros(2 << 20 - 24)
    }
    #expect(late == early)
  }

  @Test(
    "nothing is written after a failure, which the next call reports", arguments: [false, true])
  func failure(isEncrypted: Bool) throws {
    let sink = FailingSink(failing: 1)
    let key = isEncrypted ? try RealmKey(bytes: Array(0...63)) : nil
    let output = try RealmOutput(.stream(sink), key: key)
    #expect(throws: RealmFileError(.brokenPipe)) {
      for _ in 0..<20 { try output.appendZeros(1 << 20) }
      _ = try output.finish(header: nil)
    }
    #expect(throws: RealmFileError(.brokenPipe)) { _ = try output.finish(header: nil) }
    #expect(sink.calls.load(ordering: .relaxed) == 2)
  }

  @Test("an unfinished result that is discarded leaves no file")
  func givenUp() throws {
    for _ in 0..<20 {
      let file = try OutputFile(path: path, replacing: false)
      let output = try RealmOutput(.file(file), key: try RealmKey.random())
      for _ in 0..<3 { try output.appendZeros(1 << 20) }
    }
    #expect(try folder.names() == [])
  }
}

/// A stream whose reader goes away.
private final class FailingSink: OutputSink {
  let calls = Atomic(0)
  private let failing: Int

  init(failing: Int) { self.failing = failing }

  @unsafe
  func write(_ bytes: UnsafeRawBufferPointer) throws(RealmFileError) {
    guard calls.add(1, ordering: .relaxed).oldValue < failing else {
      throw RealmFileError(.brokenPipe)
    }
  }

  func publish() {}
}
