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
    self.message = message ?? "it does not hold that \(rule.row.sentence)"
  }

  /// What an error of a reader means for the file; nil for an error that says nothing about it, as
  /// one of the disk.
  public init?(_ error: RealmFileError) {
    let rule: Rule
    var message: String?
    switch error.kind {
    case .damaged(let name):
      // Every name is one of a rule: a test looks through the sources.
      rule = Rule(rawValue: name) ?? .nodeBounds
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
  public mutating func count(_ rule: Rule) {
    totals[rule, default: [:]][rule.row.severity, default: 0] += 1
  }

  /// Adds what an error of a reader means for the file.
  ///
  /// - Throws: the error itself where it says nothing about the file.
  public mutating func add(_ error: RealmFileError) throws(RealmFileError) {
    guard let finding = Finding(error) else { throw error }
    add(finding)
  }

  /// Adds the findings of another check.
  public mutating func add(contentsOf other: Findings) {
    var left = other.totals
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
  /// and puts the rest in the order of the file.
  public mutating func finish() {
    struct Spot: Hashable {
      let rule: Rule
      let offset: Int
    }
    func spot(_ finding: Finding) -> Spot { Spot(rule: finding.rule, offset: finding.offset) }
    let told = Set(list.filter { $0.property != nil || $0.objectKey != nil }.map(spot))
    let named = Set(list.filter { $0.className != nil }.map(spot))
    list.removeAll { finding in
      let isTold =
        finding.property == nil && finding.objectKey == nil && told.contains(spot(finding))
        || finding.className == nil && named.contains(spot(finding))
      if isTold { totals[finding.rule]?[finding.severity]? -= 1 }
      return isTold
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
