/// A place in a realm that breaks a rule.
public struct Finding: Equatable, Sendable {
  public let rule: Rule
  /// The severity of the rule, unless the exception of the rule applies.
  public let severity: Rule.Severity
  /// Byte offset in the (decrypted) file.
  public let offset: Int
  /// Name of the class at this place, without the prefix of its table.
  public var className: String?
  public var property: String?
  /// The first object concerned, if the finding concerns objects.
  public var objectKey: Int64?
  /// What was found and what was expected.
  public let message: String

  package init(
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

  /// The finding for an error of a reader; nil for an error that is not about damage, such as a disk
  /// error.
  package init?(_ error: RealmFileError) {
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
    case .changedAsText(let change):
      rule = .fileTextMode
      message = change.sentence
    default: return nil
    }
    self.init(
      rule, at: error.offset ?? 0, className: error.className, property: error.property,
      objectKey: error.objectKey, message)
  }
}

extension RealmFileError {
  /// Whether the error is about damage in the file, and not about the disk, a key or another process.
  package var isDamage: Bool { Finding(self) != nil }
}
