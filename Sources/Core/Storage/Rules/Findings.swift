/// Collects the findings of checks. All findings are counted; the first ones of each severity are
/// kept.
///
/// A check sets its subject with ``about(_:)``; each finding then needs only a rule, a place and a message.
public struct Findings: Sendable {
  /// What is being checked.
  package struct Subject: Sendable {
    /// Offset of a finding that has no offset of its own.
    package var offset: Int
    package var className: String?
    package var property: String?
    /// Key of the object that all findings are about; nil in a leaf with one row per object.
    package var owner: Int64?
    /// Key of the object in a given row of a leaf.
    package var objectInRow: (@Sendable (Int) -> Int64?)?
    /// Maximum number of findings per rule that are kept, so that one broken node does not fill the
    /// whole report; the others are counted. Nil for no limit per rule.
    package var ruleLimit: Int?

    package init(
      at offset: Int = 0, className: String? = nil, property: String? = nil, ruleLimit: Int? = nil
    ) {
      (self.offset, self.className, self.property) = (offset, className, property)
      self.ruleLimit = ruleLimit
    }
  }

  /// The ``Subject/ruleLimit`` of columns and histories.
  package static let columnRuleLimit = 10

  /// Identifies a defect: two findings with equal places report the same defect.
  private struct Place: Hashable {
    let rule: Rule
    let offset: Int
    let property: String?
    let objectKey: Int64?
  }

  /// Maximum number of findings of each severity that are kept.
  private let limit: Int
  /// The kept findings, in the order in which they were found.
  public private(set) var list: [Finding] = []
  /// Number of findings of each rule and severity, kept or not.
  public private(set) var totals: [Rule: [Rule.Severity: Int]] = [:]
  private var kept: [Rule.Severity: Int] = [:]
  private var places: Set<Place> = []
  /// Errors that prevented a check, see ``addReason(_:)``.
  private var reasons: [Spot: Finding] = [:]

  /// A broken rule and its offset, whichever check reports it.
  private struct Spot: Hashable {
    let rule: Rule
    let offset: Int

    init(_ finding: Finding) { (rule, offset) = (finding.rule, finding.offset) }
  }

  /// The slots with refs that lead to no node, by what they hold.
  private var misplacedRefs = MisplacedRefs()

  /// The subject of findings until the next ``about(_:)``.
  private var subject = Subject()
  /// Number of findings of each rule about the subject, if the subject has a limit.
  private var ruleCounts: [Rule: Int] = [:]

  package init(limit: Int) { self.limit = limit }

  /// Sets the subject of the following findings.
  package mutating func about(_ subject: Subject) {
    self.subject = subject
    if !ruleCounts.isEmpty { ruleCounts.removeAll() }
  }

  /// Sets the ``Subject/owner`` of the subject.
  package mutating func about(owner: Int64?) { subject.owner = owner }

  /// Adds a finding about the subject.
  ///
  /// - Parameters:
  ///   - severity: nil for the severity of the rule.
  ///   - offset: nil for the offset of the subject.
  ///   - row: the first row concerned, if the finding concerns single rows.
  ///   - object: key of the object concerned, if the subject does not determine it.
  ///   - message: what was found and what was expected. Evaluated only if the finding is kept.
  package mutating func add(
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

  /// Like ``add(_:_:at:row:object:property:_:)``, with the severity of the rule.
  package mutating func add(
    _ rule: Rule, at offset: Int? = nil, row: Int? = nil, object: Int64? = nil,
    property: String? = nil, _ message: @autoclosure () -> String
  ) {
    add(rule, nil, at: offset, row: row, object: object, property: property, message())
  }

  package mutating func add(_ finding: Finding) {
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

  /// Counts one more finding of `rule` without keeping it.
  ///
  /// - Parameter severity: nil for the severity of the rule.
  private mutating func count(_ rule: Rule, _ severity: Rule.Severity?) {
    totals[rule, default: [:]][severity ?? rule.row.severity, default: 0] += 1
  }

  /// Adds the finding for an error of a reader. The subject supplies the facts that the error
  /// lacks.
  ///
  /// - Parameter row: the row concerned, if any.
  /// - Throws: the error itself if it is not about damage.
  package mutating func add(_ error: RealmFileError, row: Int? = nil) throws(RealmFileError) {
    let key = subject.owner ?? row.flatMap { subject.objectInRow?($0) }
    let known = error.adding(
      className: subject.className, property: subject.property, objectKey: key)
    guard let finding = Finding(known) else { throw error }
    add(finding)
  }

  /// Adds the finding that something cannot be compared, and records the error as the reason.
  ///
  /// - Throws: the error itself if it is not about damage.
  package mutating func addUnread(
    _ rule: Rule, _ message: String, because error: RealmFileError
  ) throws(RealmFileError) {
    add(rule, message)
    try addReason(error.adding(className: subject.className))
  }

  /// Records an error that prevented a check. Another check should report the error at its place.
  /// If none did, ``finish()`` adds it, so a realm with unreadable parts always has an error.
  ///
  /// - Throws: the error itself if it is not about damage.
  mutating func addReason(_ error: RealmFileError) throws(RealmFileError) {
    guard let finding = Finding(error) else { throw error }
    addReason(finding)
  }

  private mutating func addReason(_ finding: Finding) {
    // One reason is enough for an error; if there are this many, checks have reported some of them.
    guard reasons.count < max(1, limit) else { return }
    reasons[Spot(finding)] = reasons[Spot(finding)] ?? finding
  }

  private var sortedReasons: [Finding] {
    reasons.values.sorted { ($0.offset, $0.rule.rawValue) < ($1.offset, $1.rule.rawValue) }
  }

  /// Records a slot with a ref that leads to no node. ``finish()`` gives its place to the findings about this
  /// ref: readers know only what the slot holds.
  package mutating func add(_ ref: MisplacedRef) { misplacedRefs.add(ref) }

  /// The finding, at the node that holds the ref if it is about a ref that leads to no node.
  private func placed(_ finding: Finding) -> Finding {
    guard finding.rule == .nodeRef || finding.rule == .nodeBounds,
      let ref = misplacedRefs.first(holding: finding.offset, className: finding.className)
    else { return finding }
    return Finding(
      finding.rule, finding.severity, at: ref.node, className: finding.className,
      property: finding.property, objectKey: finding.objectKey, ref.message)
  }

  /// Adds the findings of another check.
  package mutating func add(contentsOf other: Findings) {
    misplacedRefs.add(contentsOf: other.misplacedRefs)
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

  /// Names the slots of refs that lead to no node, drops each finding of the node walk that another check
  /// reports with more facts, adds the reasons that no check reported, and sorts all findings.
  package mutating func finish() {
    list = list.map(placed)
    let placedReasons = reasons.values.map(placed)
    reasons = Dictionary(placedReasons.map { (Spot($0), $0) }) { first, _ in first }
    let detailed = Set(list.filter { $0.property != nil || $0.objectKey != nil }.map { Spot($0) })
    let named = Set(list.filter { $0.className != nil }.map { Spot($0) })
    list.removeAll { finding in
      let isRepeated =
        finding.property == nil && finding.objectKey == nil && detailed.contains(Spot(finding))
        || finding.className == nil && named.contains(Spot(finding))
      if isRepeated { totals[finding.rule]?[finding.severity]? -= 1 }
      return isRepeated
    }
    // If not all errors were kept, the reasons may be among the dropped ones.
    if count(.error) == list.count(where: { $0.severity == .error }) {
      let known = Set(list.filter { $0.severity == .error }.map { Spot($0) })
      for reason in sortedReasons where !known.contains(Spot(reason)) { add(reason) }
    }
    // The result does not depend on the order of the checks: findings differ in one of these.
    list.sort {
      $0.severity != $1.severity
        ? $0.severity > $1.severity
        : ($0.offset, $0.rule.rawValue, $0.objectKey ?? 0)
          < ($1.offset, $1.rule.rawValue, $1.objectKey ?? 0)
    }
  }
}
