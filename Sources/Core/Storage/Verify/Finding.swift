/// A place in a realm where a rule does not hold.
public struct Finding: Equatable, Sendable {
  public let rule: Rule
  /// That of the rule, or less where the reference writes such files.
  public let severity: Rule.Severity
  /// Byte offset in the (decrypted) file.
  public let offset: Int
  /// Name of the class that the place belongs to, without prefix.
  public var className: String?
  public var property: String?
  /// The first object concerned, if the place belongs to one.
  public var objectKey: Int64?
  /// One sentence: what was found.
  public let message: String

  public init(
    _ rule: Rule, _ severity: Rule.Severity? = nil, at offset: Int, className: String? = nil,
    property: String? = nil, objectKey: Int64? = nil, _ message: String? = nil
  ) {
    self.rule = rule
    self.severity = severity ?? rule.row.severity
    self.offset = offset
    self.className = className
    self.property = property
    self.objectKey = objectKey
    self.message = message ?? rule.expectation
  }

  /// What an error of a reader means for the file; nil for an error that says nothing about it, as
  /// one of the disk.
  public init?(_ error: RealmFileError) {
    let rule: Rule
    var message: String?
    switch error.kind {
    case .damaged(let broken):
      rule = broken
      message = error.detail
    case .damagedPage(let page):
      rule = .encryptionPage
      message = "page \(page) fails its checksum"
    case .truncated(let missing):
      rule = .fileTruncated
      message = missing.map { "at least \($0) bytes are missing at the end" }
    case .damagedHeader(let how):
      rule = .headerTop
      message = how
    default: return nil
    }
    self.init(
      rule, at: error.offset ?? 0, className: error.className, property: error.property,
      objectKey: error.objectKey, message)
  }
}

/// Findings of a check: all of them counted, the first of each severity kept.
public struct Findings: Sendable {
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

  public init(limit: Int) { self.limit = limit }

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

  /// Adds what an error of a reader means for the file.
  ///
  /// - Throws: the error itself where it says nothing about the file.
  public mutating func add(_ error: RealmFileError) throws(RealmFileError) {
    guard let finding = Finding(error) else { throw error }
    add(finding)
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

  /// The same with the class of all those that have none.
  public func naming(className: String) -> Findings {
    var named = self
    for i in named.list.indices where named.list[i].className == nil {
      named.list[i].className = className
    }
    return named
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
