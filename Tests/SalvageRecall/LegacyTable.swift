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
    printHead("damaged blocks of 512 bytes")
    for count in blockCounts {
      for damage in LegacyTrial.Damage.allCases where damage.rawValue.hasPrefix(only) {
        var sum = Sums()
        for (i, trial) in trials.enumerated() {
          for seed in seeds {
            let seed = UInt64(i * 1_000_003 + seed * 1009 + count)
            guard let bytes = trial.damaged(damage, blocks: count, seed: seed) else { continue }
            let outcome = try trial.salvage(bytes)
            sum.add(outcome)
            let told = outcome.wrong + outcome.invented + outcome.errors
            guard !told.isEmpty else { continue }
            let name = "\(trial.file.name) \(damage) \(count) seed \(seed)"
            if isTelling {
              Swift.print("\(name): \(told.count): \(told.prefix(3).map { $0.prefix(toldLength) })")
            }
            if let kept { try keep(bytes, in: kept, as: name) }
          }
        }
        guard sum.runs > 0 else { continue }
        Swift.print("| \(count) \(damage.rawValue) \(sum.row)")
      }
    }
  }

  /// The table for other realms, by their size: three zeroed blocks in each.
  ///
  /// - Parameters:
  ///   - paths: realms; those of other formats are skipped.
  ///   - seeds: the seeds for each realm.
  ///   - isTelling: whether to print what each run that does not save everything gives.
  ///   - kept: the folder for the damaged realms of these runs; nil if they are not kept.
  static func printBySize(
    _ paths: ArraySlice<String>, seeds: Range<Int>, isTelling: Bool, kept: String?
  ) throws {
    let limits = [8, 16, 32, 64, 1024]
    var sums = Array(repeating: Sums(), count: limits.count)
    for path in paths.sorted() {
      let file = LegacyFile(path: path)
      guard let trial = try? LegacyTrial(file), trial.valueCount > 0,
        let size = limits.firstIndex(where: { trial.bytes.count <= $0 << 10 })
      else { continue }
      for seed in seeds {
        guard let bytes = trial.damaged(LegacyTrial.Damage.zeroed, blocks: 3, seed: UInt64(seed))
        else { continue }
        let outcome = try trial.salvage(bytes)
        sums[size].add(outcome)
        guard outcome.saved < outcome.values || !outcome.wrong.isEmpty else { continue }
        if isTelling {
          let told = (outcome.wrong + outcome.invented + outcome.errors).prefix(3)
          Swift.print(
            "\(file.name) seed \(seed): \(outcome.saved) of \(outcome.values); \(outcome.refusal ?? "") "
              + "\(told.map { $0.prefix(toldLength) })")
        }
        if let kept { try keep(bytes, in: kept, as: "\(file.name) seed \(seed)") }
      }
    }
    printHead("size of the realm")
    for (sum, limit) in zip(sums, limits) where sum.runs > 0 {
      Swift.print("| to \(limit) kB \(sum.row)")
    }
  }

  /// What several runs gave.
  private struct Sums {
    private(set) var runs = 0
    private var (refused, values, saved, wrong, unseen) = (0, 0, 0, 0, 0)
    private var (invented, unsound) = (0, 0)

    mutating func add(_ outcome: LegacyTrial.Outcome) {
      runs += 1
      refused += outcome.refusal == nil ? 0 : 1
      (values, saved) = (values + outcome.values, saved + outcome.saved)
      wrong += outcome.wrong.count
      unseen += outcome.unseen.count
      invented += outcome.invented.count
      unsound += outcome.errors.isEmpty ? 0 : 1
    }

    var row: String {
      "| \(runs) | \(refused) | \(values) | \(share(saved, values)) | \(wrong) | \(unseen) | \(invented) | \(unsound) |"
    }
  }

  private static func printHead(_ first: String) {
    Swift.print(
      "| \(first) | runs | nothing saved | values | saved | wrong | unseen | invented objects | unsound |"
    )
    Swift.print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
  }

  private static func keep(_ bytes: [UInt8], in folder: String, as name: String) throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let name = name.replacing("/", with: "_")
    try Data(bytes).write(to: URL(filePath: "\(folder)/\(name).realm"))
  }
}
