import RealmModel
import RealmStorage

/// `TEXT` (chapter 6, section 4.15).
extension Resolver {
  mutating func textCondition(_ syntax: ComparisonSyntax) throws(QueryError) -> Condition {
    guard case .path(let pathSyntax) = syntax.left else {
      throw QueryError(
        .type, "TEXT needs a property on its left, not \(source(syntax.left.range))",
        at: syntax.left.range)
    }
    let path = try self.path(pathSyntax)
    guard path.path.reading == .values, case .property(_, let steps) = path.path.end, steps.isEmpty,
      path.property?.index == .fulltext
    else {
      throw QueryError(
        .type, "\(source(pathSyntax.range)) has no full-text index, which TEXT needs",
        at: pathSyntax.range)
    }
    let right = try operand(syntax.right, .string)
    guard case .constant(.value(.string(let text))) = right.operand else {
      throw QueryError(
        .type, "TEXT needs a text on its right, not \(source(right.range))", at: right.range)
    }
    do throws(TextSearch.Failure) {
      return .text(TextCondition(path: path.path, search: try TextSearch(text.bytes)))
    } catch {
      throw QueryError(.type, Resolver.message(error), at: right.range)
    }
  }

  private static func message(_ failure: TextSearch.Failure) -> String {
    switch failure {
    case .empty: "the search has no words"
    case .separated(let word):
      "'\(word)' is no single word: words have only letters and digits"
    case .includedAndExcluded(let word): "the search includes and excludes '\(word)'"
    }
  }
}
