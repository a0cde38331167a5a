import RealmJobs
import RealmQuery

/// A query as the shell takes it: `Person where age > 30 sort(name asc) limit(10)`.
///
/// The name of the class comes first, in quotes if it has spaces. The word `where` may be left out.
struct ShellQuery: Equatable {
  /// The line, for the excerpts of errors.
  let line: String
  let className: String
  /// The query for the class; empty if there is none.
  let text: String
  /// Where the name of the class, and the query, start in the line, in bytes.
  private let classOffset: Int
  let textOffset: Int
  /// The condition put before orderings that come without one, in bytes.
  private let addedByteCount: Int

  private static let allObjects = "TRUEPREDICATE "
  private static let orderings = ["sort", "distinct", "limit"]

  init(_ line: String) { self.init(line[...], of: line) }

  /// - Parameters:
  ///   - part: the part of the line with the class and the query.
  init(_ part: Substring, of line: String) {
    self.line = line
    var rest = part.drop(while: \.isWhitespace)
    var name: Substring
    if let quote = rest.first, quote == "'" || quote == "\"" {
      rest = rest.dropFirst()
      name = rest.prefix { $0 != quote }
      classOffset = ShellQuery.offset(of: name, in: line)
      rest = rest.dropFirst(name.count + 1)
    } else {
      name = rest.prefix { !$0.isWhitespace }
      classOffset = ShellQuery.offset(of: name, in: line)
      rest = rest.dropFirst(name.count)
    }
    className = String(name)
    rest = rest.drop(while: \.isWhitespace)
    let word = rest.prefix { !$0.isWhitespace && $0 != "(" }
    if word.lowercased() == "where" {
      rest = rest.dropFirst(word.count).drop(while: \.isWhitespace)
    }
    textOffset = ShellQuery.offset(of: rest, in: line)
    let first = rest.prefix { $0.isLetter }
    let next = rest.dropFirst(first.count).first { !$0.isWhitespace }
    let isOrdering = ShellQuery.orderings.contains(first.lowercased()) && next == "("
    text = (isOrdering ? ShellQuery.allObjects : "") + rest
    addedByteCount = isOrdering ? ShellQuery.allObjects.utf8.count : 0
  }

  static func offset(of part: Substring, in line: String) -> Int {
    line.utf8.distance(from: line.startIndex, to: part.startIndex)
  }

  /// An error of this query, with its place in the line.
  func placed(_ error: QueryTextError) -> QueryTextError {
    let shift: Int
    switch error.part {
    case .className: shift = classOffset
    case .query: shift = textOffset - addedByteCount
    default: return error
    }
    var error = error
    let range = error.error.range
    // An error in the condition that was added does not occur.
    error.error.range = max(0, range.lowerBound + shift)..<max(0, range.upperBound + shift)
    error.text = line
    return error
  }
}
