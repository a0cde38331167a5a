/// The objects to change, and when to change nothing.
public struct EditRequest: Sendable {
  public var className: String
  /// A query in the Realm Query Language; empty for all objects.
  public var query = ""
  /// What `$0`, `$1`, … stand for: values of Realm JSON, or bare words, which are strings.
  public var arguments: [String] = []
  /// If another number of objects would change, nothing is written; nil for any number.
  public var expected: Int?
  /// The most objects to show in the report.
  public var sampleCount = 0
  /// Number of threads.
  public var jobs = 1

  public init(className: String) { self.className = className }
}
