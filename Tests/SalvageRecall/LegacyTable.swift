import TestJobs
import TestSupport

/// The table for the realms of formats 2 to 9 in the corpus: how many of their values come back, and how many are wrong.
enum LegacyTable {
  /// Numbers of damaged blocks of 512 bytes.
  private static let blockCounts = [1, 10, 100]

  /// - Parameters:
  ///   - runs: number of seeds for each realm and kind of damage.
  ///   - isTelling: whether to print the runs with wrong values.
  static func print(runs: Int, isTelling: Bool) throws {
    let trials = try LegacyFile.all.compactMap { try LegacyTrial($0) }
    Swift.print(
      "| damaged blocks of 512 bytes | runs | nothing saved | values | saved | wrong | invented objects | unsound |"
    )
    Swift.print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for count in blockCounts {
      for damage in LegacyTrial.Damage.allCases {
        var (done, refused, values, saved, wrong, invented, unsound) = (0, 0, 0, 0, 0, 0, 0)
        for (i, trial) in trials.enumerated() {
          for seed in 0..<runs {
            let seed = UInt64(i * 1_000_003 + seed * 1009 + count)
            guard let bytes = trial.damaged(damage, blocks: count, seed: seed) else { continue }
            let outcome = try trial.salvage(bytes)
            done += 1
            refused += outcome.refusal == nil ? 0 : 1
            (values, saved) = (values + outcome.values, saved + outcome.saved)
            wrong += outcome.wrong.count
            invented += outcome.invented.count
            unsound += outcome.errors.isEmpty ? 0 : 1
            guard isTelling else { continue }
            let told = outcome.wrong + outcome.invented + outcome.errors
            if !told.isEmpty {
              Swift.print(
                "\(trial.file.name) \(damage) \(count) seed \(seed): \(told.count): \(told.prefix(3))"
              )
            }
          }
        }
        guard done > 0 else { continue }
        Swift.print(
          "| \(count) \(damage.rawValue) | \(done) | \(refused) | \(values) | \(share(saved, values)) | \(wrong) | \(invented) | \(unsound) |"
        )
      }
    }
  }
}
