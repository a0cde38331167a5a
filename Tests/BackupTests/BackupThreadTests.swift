import CArchive
import Foundation
import RealmJobs
import RealmStorage
import Synchronization
import TestJobs
import TestSupport
import Testing

@testable import RealmBackup

/// Realms are copied, checked, hashed and compressed on several threads. How many there are must not show.
@Suite("Threads of a backup")
struct BackupThreadTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Fails after a number of bytes, as a full disk does.
  private final class FullSink: OutputSink {
    static let error = RealmFileError(.inputOutput(SystemError(ENOSPC, "write the output")))
    private var room: Int

    init(room: Int) { self.room = room }

    @unsafe
    func write(_ bytes: UnsafeRawBufferPointer) throws(RealmFileError) {
      room -= bytes.count
      if room < 0 { throw FullSink.error }
    }

    func publish() {}
  }

  /// Words in random order, of which zstd compresses several pieces at the same time.
  private static let text: [UInt8] = {
    var random = SplitMix64(seed: 91)
    let words = (0..<4096).map { _ in random.bytes(2 + Int(random.next() % 12)) }
    var text: [UInt8] = []
    while text.count < 40 << 20 { text += words[Int(random.next() % 4096)] }
    return text
  }()

  private func written(
    _ format: ArchiveFormat, threads: Int, into sink: any OutputSink
  ) throws {
    let writer = try ArchiveWriter(format, level: nil, threads: threads, into: sink)
    try writer.add(
      "text", Self.text, FileAttributes(mode: 0o644, seconds: 1_700_000_000, nanoseconds: 0))
    try writer.close()
  }

  /// What libarchive decompresses, without looking for members in it.
  private func decompressed(_ bytes: [UInt8]) throws -> [UInt8] {
    guard let archive = unsafe archive_read_new() else { preconditionFailure() }
    defer { unsafe archive_read_free(archive) }
    unsafe archive_read_support_filter_zstd(archive)
    unsafe archive_read_support_format_raw(archive)
    var (plain, piece) = ([UInt8](), [UInt8](repeating: 0, count: 1 << 20))
    var entry: OpaquePointer?
    return try unsafe bytes.withUnsafeBytes { bytes in
      #expect(unsafe archive_read_open_memory(archive, bytes.baseAddress, bytes.count) == 0)
      #expect(unsafe archive_read_next_header(archive, &entry) == 0)
      while true {
        let got = unsafe archive_read_data(archive, &piece, piece.count)
        try #require(got >= 0)
        if got == 0 { return plain }
        plain += piece[..<got]
      }
    }
  }

  @Test(
    "an archive of many pieces has the same bytes on any number of threads, and the tar in it too")
  func pieces() throws {
    let one = MemorySink()
    try written(.tarZstandard, threads: 1, into: one)
    for threads in [2, 3, 4, 64] {
      let sink = MemorySink()
      try written(.tarZstandard, threads: threads, into: sink)
      #expect(sink.bytes == one.bytes, "\(threads) threads")
    }
    let tar = MemorySink()
    try written(.tar, threads: 2, into: tar)
    #expect(try decompressed(one.bytes) == tar.bytes)
  }

  @Test("a disk that is full ends the compression on any number of threads", arguments: [1, 2, 4])
  func full(threads: Int) throws {
    for room in [0, 1 << 20, 12 << 20] {
      #expect(throws: FullSink.error, "\(room) bytes") {
        try written(.tarZstandard, threads: threads, into: FullSink(room: room))
      }
    }
  }

  /// Makes a backup of all realms in the folder.
  ///
  /// - Returns: the bytes of the archive, and the failures.
  private func backup(
    jobs: Int, _ operations: FileOperations = .system
  ) throws -> (bytes: [UInt8], failures: [String]) {
    let job = BackupCreateJob(
      BackupCreateJob.Request(
        sources: try BackupSources(paths: [folder.url.path]).sources, name: "x",
        format: .tarZstandard, jobs: jobs, toolVersion: "0"), operations: operations)
    let progress = Mutex<[Int]>([])
    var failures: [String] = []
    let prepared = try job.prepare(keys: TestKeys(key: try Golden.key("people-encrypted"))) {
      (done, total) in
      progress.withLock { $0.append(done) }
      #expect(done <= total)
    } failed: {
      failures.append("\($0.name): \($1)")
    }
    let steps = progress.withLock { $0 }
    #expect(steps == steps.sorted())
    let sink = MemorySink()
    _ = try job.write(prepared, at: UTCTime(seconds: 1_700_000_000), into: sink) { _, _ in }
    return (sink.bytes, failures)
  }

  @Test("realms and failures are in the order of their names on any number of threads")
  func realms() throws {
    for (i, name) in Golden.names.enumerated() {
      try folder.copyGolden("\(name).realm", as: "\(i % 3)/\(name).realm")
    }
    // Damage that stops the copy or that only the checks find, and files that are not realms.
    let bytes = try Golden.bytes("people.realm")
    var random = SplitMix64(seed: 4)
    for i in 0..<12 {
      var damaged = bytes
      let place = Int(random.next() % UInt64(bytes.count - 8))
      damaged.replaceSubrange(place..<(place + 8), with: random.bytes(8))
      try folder.write(damaged, to: "1/damaged \(i).realm")
    }
    try folder.write(Array("text".utf8), to: "0/foreign.realm")
    try folder.write(Array(bytes[..<4096]), to: "2/truncated.realm")
    let one = try backup(jobs: 1)
    #expect(one.failures.contains { $0.contains("/damaged ") })
    #expect(one.failures.count < 14)
    for jobs in [2, 4, 8] {
      let several = try backup(jobs: jobs)
      #expect(several.failures == one.failures, "\(jobs) threads")
      #expect(several.bytes == one.bytes, "\(jobs) threads")
    }
  }

  @Test("a temporary file that cannot be written leaves out its realm only", arguments: [1, 4])
  func faults(jobs: Int) throws {
    try folder.copyGolden("people.realm", as: "a.realm")
    try folder.copyGolden("links.realm", as: "b.realm")
    var isDone = false
    for number in 0..<50 where !isDone {
      let faults = Faults(failing: number)
      let (_, failures) = try backup(jobs: jobs, faults.operations)
      isDone = !faults.hasFailed
      #expect(failures.count == (isDone ? 0 : 1), "operation \(number)")
    }
    #expect(isDone)
  }
}
