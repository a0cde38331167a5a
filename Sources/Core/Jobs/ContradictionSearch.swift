import RealmSalvage
import RealmStorage
import RealmVerify

/// Asks the rules of the format about a version in which each node can be read.
///
/// Wrong bytes can look like right ones. Then other nodes may contradict them: a backlink, an index, a count, the order of
/// a set.
enum ContradictionSearch {
  /// Maximum number of findings that are reported one by one.
  private static let findingLimit = 100

  /// The findings about the classes and objects of the version.
  ///
  /// - Parameters:
  ///   - stored: the version as it is in the file.
  ///   - progress: receives the number of pieces done and the total, on any thread.
  /// - Returns: nil if an upgrade of the version did not finish, so that its tables follow the rules of no format.
  /// - Throws: errors that are not damage.
  static func run(
    in stored: Snapshot, jobs: Int, _ progress: @escaping @Sendable (Int, Int) -> Void
  ) throws(RealmFileError) -> SalvageReading.Contradictions? {
    let report: VerifyReport
    do throws(RealmFileError) {
      let context = try VerifyContext(stored, version: .latest, classes: nil, limit: findingLimit)
      report = try Verification(context, isQuick: false, now: nil)
        .run(path: stored.path, jobs: jobs, progress: progress)
    } catch {
      guard case .halfUpgraded = error.kind else { throw error }
      return nil
    }
    let rules = Set(report.totals.filter { $0.severity == .error }.map(\.rule))
    let isIndexWhole =
      rules.intersection(wrongEntries).count == wrongEntries.count
      && rules.allSatisfy { !$0.rawValue.hasPrefix("index.") || wrongEntries.contains($0) }
    func concernsValues(_ rule: Rule) -> Bool {
      switch rule {
      case .indexMissingEntry, .indexExtraEntry: isIndexWhole
      // Libraries of these formats did not ensure that keys are unique.
      case .keyDuplicate: !stored.isLegacy
      default: !elsewhere.contains { rule.rawValue.hasPrefix($0) }
      }
    }
    return SalvageReading.Contradictions(
      findings: report.findings.filter { $0.severity == .error && concernsValues($0.rule) },
      count: report.totals.reduce(0) {
        $0 + ($1.severity == .error && concernsValues($1.rule) ? $1.count : 0)
      })
  }

  /// An index that is sound itself, but lacks a value and has another one: one of its objects has a wrong value.
  private static let wrongEntries: Set<Rule> = [.indexMissingEntry, .indexExtraEntry]

  /// The first parts of the names of rules about what is not in the result.
  private static let elsewhere = [
    "header.", "file.", "top.", "free.", "encryption.", "history.", "index.", "schema.",
  ]
}
