import Foundation

/// A line of chapter 6, section 5.2 of the file format: a query and the answer of the reference implementation
/// on `Tests/Fixtures/query/people.realm`.
public struct MeasuredQuery: Sendable {
  /// The class of the query.
  public var className: String
  public var text: String
  /// Primary keys as a JSON array; `error(syntax)`, `error`, or `crash`, which should be an error.
  public var result: String

  /// The queried realm, written by the reference.
  public static let realm = packageFolder.appending(path: "Tests/Fixtures/query/people.realm").path

  /// All lines, in order.
  public static func all() throws -> [MeasuredQuery] {
    let page = packageFolder.appending(path: "docs/file-format/06-json-and-query.md")
    let lines = try String(contentsOf: page, encoding: .utf8).components(separatedBy: "\n")
    var (isSection, isBlock) = (false, false)
    var queries: [MeasuredQuery] = []
    for line in lines {
      if line.hasPrefix("### ") { isSection = line.hasPrefix("### 5.2 ") }
      if line.hasPrefix("```") {
        isBlock.toggle()
      } else if isSection, isBlock, let query = MeasuredQuery(line) {
        queries.append(query)
      }
    }
    return queries
  }

  private init?(_ line: String) {
    guard let arrow = line.range(of: " --> ") else { return nil }
    var query = line[..<arrow.lowerBound]
    className = "Person"
    for name in ["Dog", "Note"] where query.hasPrefix(name + ": ") {
      className = name
      query = query.dropFirst(name.count + 2)
    }
    // A line feed in a query.
    text = query.replacingOccurrences(of: "␤", with: "\n")
    result = String(line[arrow.upperBound...])
  }
}
