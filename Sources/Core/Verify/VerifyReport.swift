public import RealmStorage

/// The result of checking a realm.
public struct VerifyReport: Sendable {
  /// A class with objects that cannot be read.
  public struct ClassDamage: Equatable, Sendable {
    public var name: String
    /// Nil if nothing of the class can be read.
    public var unreadableObjects: Int?
    public var objectCount: Int?
  }

  public var path: String
  /// Nil if the realm cannot be opened.
  public var fileFormat: Int?
  public var version: Int?
  /// The most serious ones first, then in the order of the file.
  public var findings: [Finding]
  /// Number of findings of each rule and severity, in the order of the rules.
  public var totals: [(rule: Rule, severity: Rule.Severity, count: Int)]
  /// What a program that took the file for text did to it; nil for nothing.
  public private(set) var textChange: TextChange?
  public var damage: [ClassDamage] = []
  public var objectCount = 0
  public var nodeCount = 0
  /// Bytes of the reachable nodes.
  public var byteCount = 0

  init(_ findings: Findings, path: String) {
    self.path = path
    self.findings = findings.list
    totals = Rule.allCases.flatMap { rule in
      Rule.Severity.allCases.reversed().compactMap { severity in
        findings.totals[rule]?[severity].flatMap { $0 > 0 ? (rule, severity, $0) : nil }
      }
    }
  }

  /// The report on a realm that cannot be opened.
  ///
  /// - Parameter limit: maximum number of findings of each severity that are kept.
  /// - Throws: the error itself if it is not about damage.
  package init(on error: RealmFileError, path: String, limit: Int) throws(RealmFileError) {
    var findings = Findings(limit: limit)
    if let finding = FilePass.replacement(for: error, path: path) {
      findings.add(finding)
    } else {
      try findings.add(error)
    }
    self.init(findings, path: path)
    if case .changedAsText(let change) = error.kind { textChange = change }
  }

  /// Adds the change that explains the other findings as the first one.
  package mutating func add(_ cause: TextChange) {
    let finding = Finding(.fileTextMode, at: 0, cause.sentence)
    findings.insert(finding, at: 0)
    totals.insert((finding.rule, finding.severity, 1), at: 0)
    textChange = cause
  }

  /// Number of findings of `severity`.
  public func count(_ severity: Rule.Severity) -> Int {
    totals.reduce(0) { $0 + ($1.severity == severity ? $1.count : 0) }
  }
}
