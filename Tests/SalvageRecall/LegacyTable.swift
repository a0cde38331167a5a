import Foundation
import TestJobs
import TestSupport

/// The table for the realms of formats 2 to 9 in the corpus: how many of their values come back, and how many are wrong.
enum LegacyTable {
  /// Numbers of damaged blocks of 512 bytes.
  private static let blockCounts = [1, 10, 100]
  /// The characters of each wrong value that are printed.
  private static let toldLength = 100

  /// - Parameters:
  ///   - seeds: the seeds for each realm and kind of damage.
  ///   - only: how the names of the kinds of damage begin.
  ///   - isTelling: whether to print the runs with wrong values.
  ///   - kept: the folder for the damaged realms of these runs; nil if they are not kept.
  static func print(seeds: Range<Int>, only: String, isTelling: Bool, kept: String?) throws {
    let trials = try LegacyFile.all.compactMap { try LegacyTrial($0) }
    Swift.print(
      "| damaged blocks of 512 bytes | runs | nothing saved | values | saved | wrong | unseen | invented objects | unsound |"
    )
    Swift.print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for count in blockCounts {
      for damage in LegacyTrial.Damage.allCases where damage.rawValue.hasPrefix(only) {
        var (done, refused, values, saved, wrong, unseen) = (0, 0, 0, 0, 0, 0)
        var (invented, unsound) = (0, 0)
        for (i, trial) in trials.enumerated() {
          for seed in seeds {
            let seed = UInt64(i * 1_000_003 + seed * 1009 + count)
            guard let bytes = trial.damaged(damage, blocks: count, seed: seed) else { continue }
            let outcome = try trial.salvage(bytes)
            done += 1
            refused += outcome.refusal == nil ? 0 : 1
            (values, saved) = (values + outcome.values, saved + outcome.saved)
            wrong += outcome.wrong.count
            unseen += outcome.unseen.count
            invented += outcome.invented.count
            unsound += outcome.errors.isEmpty ? 0 : 1
            let told = outcome.wrong + outcome.invented + outcome.errors
            guard !told.isEmpty else { continue }
            let name = "\(trial.file.name) \(damage) \(count) seed \(seed)"
            if isTelling {
              Swift.print("\(name): \(told.count): \(told.prefix(3).map { $0.prefix(toldLength) })")
            }
            if let kept { try keep(bytes, in: kept, as: name) }
          }
        }
        guard done > 0 else { continue }
        Swift.print(
          "| \(count) \(damage.rawValue) | \(done) | \(refused) | \(values) | \(share(saved, values)) | \(wrong) | \(unseen) | \(invented) | \(unsound) |"
        )
      }
    }
  }

  private static func keep(_ bytes: [UInt8], in folder: String, as name: String) throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let name = name.replacing("/", with: "_")
    try Data(bytes).write(to: URL(filePath: "\(folder)/\(name).realm"))
  }
}
