/// The sums of the runs of a kind of damage.
struct Tally {
  var (runs, refused) = (0, 0)
  var (surviving, recovered) = (0, 0)
  /// The described ones among them: see ``Survivors``.
  var (described, describedRecovered) = (0, 0)
  /// Cells that differ although the report does not list them as lost, and objects that the original does not have.
  var (wrong, invented) = (0, 0)
  /// Such cells in a realm in which `verify` finds no error, so that nothing in it is doubted.
  var unseen = 0
  /// Both if an older version had them, in runs whose report says that tables are, or may be, of an older version.
  var older = 0
  /// Surviving cells that are not recovered, by the other losses.
  var causes: [String: Int] = [:]
  /// Described cells that are not recovered, by property and the rule that the report names.
  var rules: [String: Int] = [:]
  /// The first cells that are wrong, not recovered, or invented.
  private(set) var examples: [String] = []

  mutating func note(_ example: String) { if examples.count < 6 { examples.append(example) } }

  static func += (sum: inout Tally, other: Tally) {
    sum.runs += other.runs
    sum.refused += other.refused
    sum.surviving += other.surviving
    sum.recovered += other.recovered
    sum.described += other.described
    sum.describedRecovered += other.describedRecovered
    sum.wrong += other.wrong
    sum.invented += other.invented
    sum.unseen += other.unseen
    sum.older += other.older
    sum.causes.merge(other.causes, uniquingKeysWith: +)
    sum.rules.merge(other.rules, uniquingKeysWith: +)
    for example in other.examples { sum.note(example) }
  }

  /// The other losses of cells that are not recovered, most cells first.
  var causesText: String { Tally.text(causes) }

  /// The report on the described cells that are not recovered, most cells first.
  var rulesText: String { Tally.text(rules) }

  private static func text(_ counts: [String: Int]) -> String {
    counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(12).map {
      "\($0.value) \($0.key)"
    }.joined(separator: "; ")
  }
}
