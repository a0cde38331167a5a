import Foundation
import RealmInterchange
import RealmMaintenance
import RealmStorage
import TestSupport
import Testing

/// Exports beside a process that commits as fast as it can, and overwrites what older versions used.
@Suite("Exporting a realm that changes", .serialized)
struct LiveExportTests {
  /// `REALM_LIVE_EXPORTS` asks for another number; every tenth goes through the tool.
  static let exportCount =
    ProcessInfo.processInfo.environment["REALM_LIVE_EXPORTS"].flatMap { Int($0) } ?? 60

  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// With the lock that every app holds, and without any: a process that is not seen.
  @Test("every export that succeeds holds one version", arguments: [true, false])
  func consistency(isLocked: Bool) throws {
    let path = try folder.write(try Golden.bytes("people.realm"), to: "live.realm")
    let frame = Frame(of: try export(path))
    let writer = try RunningTool(
      "test-writer", [path, "Person", "score"] + (isLocked ? ["--lock"] : []))
    #expect(writer.read(6) == Array("ready\n".utf8))
    var (successes, busy) = (0, 0)
    var versions: Set<String> = []
    for i in 0..<LiveExportTests.exportCount {
      let text: [UInt8]?
      if i % 10 == 0 {
        let result = try runTool("export", path, "--format", "core-json", "-q")
        #expect([0, 75].contains(result.status), "\(result.stderr)")
        text = result.status == 0 ? result.stdout : nil
      } else {
        do {
          text = try export(path)
        } catch let error as RealmFileError {
          #expect(error.kind == .changedWhileReading, "\(error)")
          text = nil
        }
      }
      guard let text else {
        busy += 1
        continue
      }
      successes += 1
      let version = frame.version(of: text)
      #expect(version != nil, "export \(i) holds more than one version")
      if let version { versions.insert(version) }
    }
    let result = writer.end()
    print(
      "\(isLocked ? "with" : "without") lock: \(successes) exports of \(versions.count) versions, "
        + "\(busy) found the realm busy, \(result.text.trimmingCharacters(in: .whitespacesAndNewlines))"
    )
    #expect(result.status == 0, "\(result.stderr)")
    #expect(versions.count > 1)
    #expect(successes > busy)
    #expect(frame.version(of: try export(path)) != nil)
  }

  private func export(_ path: String) throws -> [UInt8] {
    var sink = CollectingSink()
    let job = ExportJob(ExportJob.Request(format: .coreJSON))
    _ = try job.run(
      open: { try Snapshot(path: path, access: $0) },
      makeSink: { _ in
        sink = CollectingSink()
        return sink
      }, canStartAnew: true, progress: { _, _ in })
    return sink.bytes
  }
}

/// An export without the scores: what must stand between them in the export of each version.
private struct Frame {
  private let text: [UInt8]
  /// What stands in front of each score, and behind the last one.
  private let parts: [Range<Int>]

  init(of text: [UInt8]) {
    self.text = text
    let name = Array("\"score\":".utf8)
    var parts: [Range<Int>] = []
    var start = 0
    for i in text.indices.dropFirst(name.count)
    where text[i - 1] == name[name.count - 1] && text[(i - name.count)..<i].elementsEqual(name) {
      parts.append(start..<i)
      start = Frame.endOfScore(text, i)
    }
    self.parts = parts + [start..<text.count]
  }

  /// The one score that `other` has, or nil where it has several or differs in anything else.
  func version(of other: [UInt8]) -> String? {
    var first: Range<Int>?
    var position = 0
    for (i, part) in parts.enumerated() {
      guard isEqual(other, position, part, text) else { return nil }
      position += part.count
      guard i < parts.count - 1 else { break }
      let score = position..<Frame.endOfScore(other, position)
      if let first, !isEqual(other, score.lowerBound, first, other) { return nil }
      guard score.count == first?.count ?? score.count else { return nil }
      first = first ?? score
      position = score.upperBound
    }
    return position == other.count ? first.map { String(decoding: other[$0], as: UTF8.self) } : nil
  }

  /// Whether `a` has at `start` what `b` has in `range`.
  private func isEqual(_ a: [UInt8], _ start: Int, _ range: Range<Int>, _ b: [UInt8]) -> Bool {
    guard start + range.count <= a.count else { return false }
    return unsafe a.withUnsafeBytes { a in
      unsafe b.withUnsafeBytes { b in
        unsafe memcmp(a.baseAddress! + start, b.baseAddress! + range.lowerBound, range.count) == 0
      }
    }
  }

  private static func endOfScore(_ text: [UInt8], _ start: Int) -> Int {
    var end = start
    while end < text.count, text[end] != UInt8(ascii: ","), text[end] != UInt8(ascii: "}") {
      end += 1
    }
    return end
  }
}

private final class CollectingSink: OutputSink {
  private(set) var bytes: [UInt8] = []

  @unsafe
  func write(_ bytes: UnsafeRawBufferPointer) throws(RealmFileError) {
    unsafe self.bytes.append(contentsOf: bytes)
  }

  func publish() {}
}
