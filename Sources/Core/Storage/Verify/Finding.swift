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

extension RealmFileError {
  /// True where the error says something about the file, and not about a disk or a key.
  package var isDamage: Bool { Finding(self) != nil }
}
