/// A rule of the format that a file can break.
public struct IntegrityRule: Sendable {
  /// What a broken rule means for the file.
  public enum Severity: Int, Comparable, Sendable {
    /// Worth knowing; nothing is wrong.
    case note
    /// Irregular, but written by the reference itself or harmless to it.
    case warning
    /// An SDK would misread, lose data or crash.
    case error

    public static func < (a: Severity, b: Severity) -> Bool { a.rawValue < b.rawValue }
  }

  /// Group and name, as `index.missing-entry`.
  public let id: String
  public let severity: Severity
  /// What must hold, or for a note what is told; one sentence.
  public let text: String
  /// Where the specification says so, as "3 §5.3".
  public let chapter: String

  public init(_ id: String, _ severity: Severity, _ text: String, chapter: String) {
    self.id = id
    self.severity = severity
    self.text = text
    self.chapter = chapter
  }
}

/// A place in a file that breaks a rule.
public struct Defect: Sendable, Equatable {
  /// ``IntegrityRule/id`` of the rule.
  public let ruleID: String
  /// What is wrong; no full sentence.
  public let text: String
  /// Byte offset of the node concerned, nil where there is none.
  public let offset: Int?
  /// The table concerned.
  public let table: TableKey?
  /// The column of that table.
  public let column: ColumnKey?
  /// The object of that table.
  public let objectKey: ObjectKey?
  /// How many places the defect stands for: more than one where those after the first few are summed
  /// up.
  public let count: Int

  public init(
    _ ruleID: String, _ text: String, offset: Int? = nil, table: TableKey? = nil,
    column: ColumnKey? = nil, objectKey: ObjectKey? = nil, count: Int = 1
  ) {
    self.ruleID = ruleID
    self.text = text
    self.offset = offset
    self.table = table
    self.column = column
    self.objectKey = objectKey
    self.count = count
  }
}
