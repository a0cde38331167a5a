package import RealmStorage

/// The findings about one column or history: of each rule the first few are told one by one and the
/// rest is counted, so that one broken node does not push everything else out of a report.
package struct ColumnFindings {
  /// Findings of a rule that are told one by one.
  private static let limit = 10

  /// Where a finding is that has no node of its own.
  private let offset: Int
  private let className: String?
  private let property: String?
  /// What was found.
  package private(set) var findings: Findings
  private var counts: [Rule: Int] = [:]

  package init(at offset: Int, className: String? = nil, property: String? = nil, limit: Int) {
    (self.offset, self.className, self.property) = (offset, className, property)
    findings = Findings(limit: limit)
  }

  /// - Parameters:
  ///   - text: only asked for where the finding is told by itself.
  ///   - severity: nil for that of the rule.
  package mutating func add(
    _ rule: Rule, _ text: @autoclosure () -> String, at offset: Int? = nil,
    object: ObjectKey? = nil, severity: Rule.Severity? = nil
  ) {
    let count = counts[rule, default: 0]
    counts[rule] = count + 1
    guard count < ColumnFindings.limit else { return findings.count(rule, severity) }
    findings.add(
      Finding(
        rule, severity, at: offset ?? self.offset, className: className, property: property,
        objectKey: object?.raw, text()))
  }

  /// Adds what an error of a reader means for the file.
  ///
  /// - Throws: the error itself where it says nothing about the file.
  package mutating func add(_ error: RealmFileError) throws(RealmFileError) {
    try findings.add(error)
  }

  /// Tells by `rule` that something is not compared, and keeps the error that is to blame as the
  /// reason.
  ///
  /// - Throws: the error itself where it says nothing about the file.
  mutating func addUnread(
    _ rule: Rule, _ text: String, because error: RealmFileError
  ) throws(RealmFileError) {
    add(rule, text)
    try findings.addReason(error.adding(className: className))
  }
}

extension RealmFileError {
  /// This error or `other`, whichever is nearer to the start of the file: the same one in whatever
  /// order threads come to them.
  func first(of other: RealmFileError?) -> RealmFileError {
    guard let other, other.place <= place else { return self }
    return other
  }

  private var place: (Int, String, String, String) {
    (offset ?? 0, "\(kind)", className ?? "", property ?? "")
  }
}
