import Foundation
import RealmJobs
import RealmStorage
import RealmVerify
import TestSupport
import Testing

/// In a damaged realm, too, the findings must not depend on the number of threads.
@Suite("Verifying mutations with one thread and with eight")
struct MutatedJobsTests {
  private func findings(_ path: String, jobs: Int) throws -> ([Finding], [String]) {
    do {
      let report = try VerifyJob(VerifyJob.Request(path: path, jobs: jobs)).run()
      return (
        report.findings,
        report.damage.map { "\($0)" } + report.totals.map { "\($0)" }
          + ["\(report.objectCount) \(report.nodeCount) \(report.byteCount)"]
      )
    } catch {
      return ([], ["\(error)"])
    }
  }

  @Test(
    "the findings are the same",
    arguments: ["links", "nested-mixed", "indexes", "primary-keys", "people", "all-types"])
  func sameFindings(name: String) throws {
    let folder = try TemporaryFolder()
    let bytes = try Golden.bytes(name + ".realm")
    var random = SplitMix64(seed: UInt64(bytes.count))
    var damagedCount = 0
    for _ in 0..<60 {
      var mutated = bytes
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let place = Int.random(in: 24..<bytes.count, using: &random)
        mutated[place] ^= UInt8.random(in: 1...255, using: &random)
      }
      let path = try folder.write(mutated, to: "mutated.realm")
      let (one, eight) = (try findings(path, jobs: 1), try findings(path, jobs: 8))
      #expect(one.0 == eight.0)
      #expect(one.1 == eight.1)
      if !one.0.isEmpty { damagedCount += 1 }
    }
    #expect(damagedCount > 5)
  }
}
