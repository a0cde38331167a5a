import RealmStorage

/// What is wrong with a node although it can be read; who asked for the check knows the class and the
/// objects.
struct Defect {
  let rule: Rule
  /// Nil for the severity of the rule.
  var severity: Rule.Severity?
  /// The node.
  let ref: Ref
  /// The first row concerned, where single rows are.
  var row: Int?
  var message: String?

  init(
    _ rule: Rule, _ severity: Rule.Severity? = nil, at ref: Ref, row: Int? = nil,
    _ message: String? = nil
  ) {
    (self.rule, self.severity, self.ref, self.row) = (rule, severity, ref, row)
    self.message = message
  }

  /// One defect for all of `rows`, nothing where there are none.
  init?(
    _ rule: Rule, _ severity: Rule.Severity? = nil, at ref: Ref, rows: [Int], of count: Int,
    _ what: String
  ) {
    guard let first = rows.first else { return nil }
    self.init(
      rule, severity, at: ref, row: first, "\(rows.count) of \(count) values \(what)")
  }
}

extension [Defect] {
  mutating func append(_ defect: Defect?) {
    if let defect { append(defect) as Void }
  }
}
