import Foundation
import RealmInterchange
import RealmJobs
import RealmModel
import RealmStorage
import RealmVerify
import TestSupport

/// Flips single bits of reachable nodes, and counts those that `verify` finds.
struct BitFlips {
  /// The effects of the flips in one kind of place.
  private struct Tally {
    var flips = 0
    /// An export fails.
    var failing = 0
    /// An export succeeds and differs.
    var changing = 0
    /// The number of these flips that `verify` finds.
    var changingFound = 0
    /// An export is the same.
    var harmless = 0
    var harmlessFound = 0
  }

  /// - Returns: false if a flip made an export fail and was not found.
  static func run(_ options: BitFlipOptions) throws -> Bool {
    var missed = 0
    for realm in options.realms {
      let flips = try BitFlips(realm, isTellingAll: options.isTellingAll)
      missed += try flips.run(count: options.flips, seed: options.seed)
    }
    return missed == 0
  }

  private let name: String
  private let original: [UInt8]
  /// Reachable nodes by kind, in order.
  private let places: [(range: Range<Int>, kind: String)]

  /// Whether there is a line for each flip.
  private let isTellingAll: Bool

  private init(_ path: String, isTellingAll: Bool) throws {
    self.isTellingAll = isTellingAll
    name = URL(fileURLWithPath: path).lastPathComponent
    original = try readFile(path)
    places = try NodeKinds(try Realm(try Snapshot(path: path))).places
  }

  private func run(count: Int, seed: UInt64) throws -> Int {
    let folder = try TemporaryFolder()
    let path = folder.path("x.realm")
    try Data(original).write(to: URL(fileURLWithPath: path))
    let expected = try export(path)
    let total = places.reduce(0) { $0 + $1.range.count }
    var random = SplitMix64(seed: seed)
    var tallies: [String: Tally] = [:]
    var missed = 0
    for _ in 0..<count {
      var offset = Int.random(in: 0..<total, using: &random)
      let bit = Int.random(in: 0..<8, using: &random)
      guard
        let place = places.first(where: { place in
          if offset < place.range.count { return true }
          offset -= place.range.count
          return false
        })
      else { continue }
      offset += place.range.lowerBound
      var bytes = original
      bytes[offset] ^= 1 << UInt8(bit)
      try Data(bytes).write(to: URL(fileURLWithPath: path))
      let worst = worst(path)
      let isFound = (worst ?? .note) > .note
      let kind = offset - place.range.lowerBound < 8 ? "node headers" : place.kind
      if isTellingAll {
        let verdict = worst.map(\.rawValue) ?? "sound"
        print("flip", name, offset, bit, verdict, kind, separator: "\t")
      }
      var tally = tallies[kind, default: Tally()]
      tally.flips += 1
      do {
        let isSame = try export(path) == expected
        if isSame {
          tally.harmless += 1
          if isFound { tally.harmlessFound += 1 }
        } else {
          tally.changing += 1
          if isFound {
            tally.changingFound += 1
          } else if offset - place.range.lowerBound < 8 {
            print("\(name), byte \(offset), bit \(bit): a header in \(place.kind), not found")
          }
        }
      } catch {
        tally.failing += 1
        if !isFound {
          missed += 1
          print("\(name), byte \(offset), bit \(bit) (\(kind)): not found, but \(error)")
        }
      }
      tallies[kind] = tally
    }
    show(tallies, count, missed)
    withExtendedLifetime(folder) {}
    return missed
  }

  private func show(_ tallies: [String: Tally], _ count: Int, _ missed: Int) {
    let failing = tallies.values.reduce(0) { $0 + $1.failing }
    print("\(name): \(count) flips, \(failing) make an export fail, \(missed) of them not found")
    print("| place | flips | export fails | value changes | of these found | no change | found |")
    print("| --- | --: | --: | --: | --: | --: | --: |")
    for (kind, tally) in tallies.sorted(by: { $0.key < $1.key }) {
      let share =
        tally.changing == 0 ? "" : " (\(tally.changingFound * 100 / tally.changing) %)"
      print(
        "| \(kind) | \(tally.flips) | \(tally.failing) | \(tally.changing) |"
          + " \(tally.changingFound)\(share) | \(tally.harmless) | \(tally.harmlessFound) |")
    }
  }

  /// The severity of the worst finding: an error if the file cannot be opened, nil if
  /// there are none.
  private func worst(_ path: String) -> Rule.Severity? {
    guard let report = try? VerifyJob(VerifyJob.Request(path: path, maxFindings: 1)).run() else {
      return .error
    }
    return report.totals.map(\.severity).max()
  }

  private func export(_ path: String) throws -> UInt64 {
    let sink = HashingSink()
    _ = try ExportJob(ExportJob.Request(format: .text(.coreXJSONPlus))).run(
      open: { access in try Snapshot(path: path, access: access) },
      makeOutput: { _ in .text(sink) },
      canStartOver: true, progress: { _, _ in })
    return sink.hash
  }
}

/// Hashes its input (Fowler, Noll and Vo).
private final class HashingSink: OutputSink {
  private(set) var hash: UInt64 = 0xCBF2_9CE4_8422_2325

  @unsafe
  func write(_ bytes: UnsafeRawBufferPointer) throws(RealmFileError) {
    var hash = hash
    for i in 0..<bytes.count { hash = (hash ^ UInt64(unsafe bytes[i])) &* 0x100_0000_01B3 }
    self.hash = hash
  }

  func publish() {}
}
