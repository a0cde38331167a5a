public import Foundation

/// A line of `Tests/Fixtures/query/results.txt`: a query and what the reference implementation
/// answers on the data of `people.realm` beside it.
public struct MeasuredQuery: Sendable {
  /// The class whose objects are asked for.
  public var className: String
  public var text: String
  /// Primary keys as a JSON array; `error(syntax)`, `error`, or `crash`, which should be an error.
  public var result: String

  /// The folder of the measured results.
  public static let folder = packageFolder.appending(path: "Tests/Fixtures/query")

  /// All lines, in order.
  public static func all() throws -> [MeasuredQuery] {
    let text = try String(contentsOf: folder.appending(path: "results.txt"), encoding: .utf8)
    return text.components(separatedBy: "\n").filter { !$0.hasPrefix("# ") }
      .compactMap(MeasuredQuery.init)
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
