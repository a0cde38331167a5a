/// Collects what checks find: all findings are counted, the first of each severity kept.
///
/// Checks say with ``about(_:)`` what they look at, and then name rule, place and message only.
public struct Findings: Sendable {
  /// What is being checked.
  public struct Subject: Sendable {
    /// Offset of a finding that names no node.
    public var offset: Int
    public var className: String?
    public var property: String?
    /// Key of the object that holds all that is looked at; nil for a leaf with a row an object.
    public var owner: Int64?
    /// Key of the object in a row of a leaf.
    public var objectInRow: (@Sendable (Int) -> Int64?)?
    /// Findings of a rule that are kept, the others being counted: so that one broken node does not
    /// push everything else out of a report. Nil for no limit of its own.
    public var ruleLimit: Int?

    public init(
      at offset: Int = 0, className: String? = nil, property: String? = nil, ruleLimit: Int? = nil
    ) {
      (self.offset, self.className, self.property) = (offset, className, property)
      self.ruleLimit = ruleLimit
    }
  }

  /// What ``Subject/ruleLimit`` is for columns and histories.
  public static let columnRuleLimit = 10

  /// What tells two findings about the same defect apart from findings about two.
  private struct Place: Hashable {
    let rule: Rule
    let offset: Int
    let property: String?
    let objectKey: Int64?
  }

  /// Findings of each severity that are kept.
  private let limit: Int
  /// The kept ones, in the order in which they were found.
  public private(set) var list: [Finding] = []
  /// Number of findings of each rule and severity, kept or not.
  public private(set) var totals: [Rule: [Rule.Severity: Int]] = [:]
  private var kept: [Rule.Severity: Int] = [:]
  private var places: Set<Place> = []
  /// Why something was not checked, see ``addReason(_:)``.
  private var reasons: [Spot: Finding] = [:]

  /// A rule that is broken somewhere, whoever tells it.
  private struct Spot: Hashable {
    let rule: Rule
    let offset: Int

    init(_ finding: Finding) { (rule, offset) = (finding.rule, finding.offset) }
  }

  /// What findings are about until the next ``about(_:)``.
  public private(set) var subject = Subject()
  /// Findings of each rule about the subject, where it has a limit.
  private var ruleCounts: [Rule: Int] = [:]

  public init(limit: Int) { self.limit = limit }

  /// Says what the following findings are about.
  public mutating func about(_ subject: Subject) {
    self.subject = subject
    if !ruleCounts.isEmpty { ruleCounts.removeAll() }
  }

  /// Says which object holds what is looked at; nil for a leaf with a row an object.
  public mutating func about(owner: Int64?) { subject.owner = owner }

  /// Adds a finding about the subject.
  ///
  /// - Parameters:
  ///   - severity: nil for that of the rule.
  ///   - offset: nil for that of the subject.
  ///   - row: the first row concerned, where single rows are.
  ///   - object: key of the object concerned, where the subject does not tell it.
  ///   - message: what was found and what was expected. Asked for only where the finding is kept.
  public mutating func add(
    _ rule: Rule, _ severity: Rule.Severity?, at offset: Int? = nil, row: Int? = nil,
    object: Int64? = nil, property: String? = nil, _ message: @autoclosure () -> String
  ) {
    if let ruleLimit = subject.ruleLimit {
      let count = ruleCounts[rule, default: 0]
      ruleCounts[rule] = count + 1
      guard count < ruleLimit else { return self.count(rule, severity) }
    }
    let key = object ?? subject.owner ?? row.flatMap { subject.objectInRow?($0) }
    add(
      Finding(
        rule, severity, at: offset ?? subject.offset, className: subject.className,
        property: property ?? subject.property, objectKey: key, message()))
  }

  /// The same with the severity of the rule.
  public mutating func add(
    _ rule: Rule, at offset: Int? = nil, row: Int? = nil, object: Int64? = nil,
    property: String? = nil, _ message: @autoclosure () -> String
  ) {
    add(rule, nil, at: offset, row: row, object: object, property: property, message())
  }

  public mutating func add(_ finding: Finding) {
    let place = Place(
      rule: finding.rule, offset: finding.offset, property: finding.property,
      objectKey: finding.objectKey)
    guard !places.contains(place) else { return }
    totals[finding.rule, default: [:]][finding.severity, default: 0] += 1
    guard kept[finding.severity, default: 0] < limit else { return }
    kept[finding.severity, default: 0] += 1
    places.insert(place)
    list.append(finding)
  }

  /// Counts one more finding of `rule`, which is not kept.
  ///
  /// - Parameter severity: nil for that of the rule.
  public mutating func count(_ rule: Rule, _ severity: Rule.Severity? = nil) {
    totals[rule, default: [:]][severity ?? rule.row.severity, default: 0] += 1
  }

  /// Adds what an error of a reader means for the file, about the subject where the error does not say
  /// more.
  ///
  /// - Parameter row: the row in question, where it is one.
  /// - Throws: the error itself where it says nothing about the file.
  public mutating func add(_ error: RealmFileError, row: Int? = nil) throws(RealmFileError) {
    let key = subject.owner ?? row.flatMap { subject.objectInRow?($0) }
    let known = error.adding(
      className: subject.className, property: subject.property, objectKey: key)
    guard let finding = Finding(known) else { throw error }
    add(finding)
  }

  /// Tells by `rule` that something is not compared, and keeps the error that is to blame as the
  /// reason.
  ///
  /// - Throws: the error itself where it says nothing about the file.
  public mutating func addUnread(
    _ rule: Rule, _ text: String, because error: RealmFileError
  ) throws(RealmFileError) {
    add(rule, text)
    try addReason(error.adding(className: subject.className))
  }

  /// Adds what kept a check from doing its work. Another check should find it where it belongs;
  /// ``finish()`` makes sure that it is told, so that no realm is sound of which a part cannot be
  /// read.
  ///
  /// - Throws: the error itself where it says nothing about the file.
  public mutating func addReason(_ error: RealmFileError) throws(RealmFileError) {
    guard let finding = Finding(error) else { throw error }
    addReason(finding)
  }

  private mutating func addReason(_ finding: Finding) {
    // Any of them makes a realm unsound; with that many, some are told already.
    guard reasons.count < max(1, limit) else { return }
    reasons[Spot(finding)] = reasons[Spot(finding)] ?? finding
  }

  private var sortedReasons: [Finding] {
    reasons.values.sorted { ($0.offset, $0.rule.rawValue) < ($1.offset, $1.rule.rawValue) }
  }

  /// Adds the findings of another check.
  public mutating func add(contentsOf other: Findings) {
    var left = other.totals
    for reason in other.sortedReasons { addReason(reason) }
    for finding in other.list {
      add(finding)
      left[finding.rule]?[finding.severity]? -= 1
    }
    for (rule, severities) in left {
      for (severity, count) in severities where count > 0 {
        totals[rule, default: [:]][severity, default: 0] += count
      }
    }
  }

  /// Number of findings of `severity`.
  public func count(_ severity: Rule.Severity) -> Int {
    totals.values.reduce(0) { $0 + $1[severity, default: 0] }
  }

  /// Drops what a walk over nodes said of a place where a check of a class said the same and more,
  /// tells the reasons that no check told, and puts all in the order of the file.
  public mutating func finish() {
    let told = Set(list.filter { $0.property != nil || $0.objectKey != nil }.map { Spot($0) })
    let named = Set(list.filter { $0.className != nil }.map { Spot($0) })
    list.removeAll { finding in
      let isTold =
        finding.property == nil && finding.objectKey == nil && told.contains(Spot(finding))
        || finding.className == nil && named.contains(Spot(finding))
      if isTold { totals[finding.rule]?[finding.severity]? -= 1 }
      return isTold
    }
    // Where not all errors are kept, those that are not may be these.
    if count(.error) == list.count(where: { $0.severity == .error }) {
      let known = Set(list.filter { $0.severity == .error }.map { Spot($0) })
      for reason in sortedReasons where !known.contains(Spot(reason)) { add(reason) }
    }
    // The order is total for findings that differ in what a reader sees first.
    list.sort {
      $0.severity != $1.severity
        ? $0.severity > $1.severity
        : ($0.offset, $0.rule.rawValue, $0.objectKey ?? 0)
          < ($1.offset, $1.rule.rawValue, $1.objectKey ?? 0)
    }
  }
}
