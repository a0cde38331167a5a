import Testing

@testable import RealmQuery

@Suite("Bounds of a query")
struct BoundsTests {
  private func repeated(_ text: String, _ count: Int) -> String {
    String(repeating: text, count: count)
  }

  @Test("chains may have any length")
  func chains() throws {
    for operation in ["&&", "||"] {
      let text = repeated("n==1\(operation)", 100_000) + "n==1"
      switch try QuerySyntax(parsing: text).predicate {
      case .and(let terms), .or(let terms): #expect(terms.count == 100_001)
      default: Issue.record("\(operation)")
      }
    }
    let list = try QuerySyntax(parsing: "n IN {" + repeated("1,", 100_000) + "1}")
    guard case .comparison(let comparison) = list.predicate,
      case .list(let syntax) = comparison.right
    else {
      Issue.record("\(list.tree)")
      return
    }
    #expect(syntax.elements.count == 100_001)
  }

  @Test("any nesting 10,000 levels deep is an error")
  func nesting() {
    let count = 10_000
    let texts = [
      repeated("(", count) + "n == 1" + repeated(")", count),
      repeated("(", count) + "n" + repeated(")", count) + " == 1",
      repeated("(", count), repeated("!", count) + "n == 1", repeated("! (", count),
      repeated("SUBQUERY(a, $x, ", count) + "TRUEPREDICATE" + repeated(").@count > 0", count),
      repeated("SUBQUERY(a, $x, ", count),
      "n == 1" + repeated(" + 1", count), repeated("1 * ", count) + "n == 1",
      repeated("n == 1 && (n == 1 || (", count),
      repeated("((n + 1) * 2 + ", count),
    ]
    for text in texts {
      #expect(syntaxError(text)?.kind == .tooLarge, "\(text.prefix(20))")
    }
  }

  @Test("arithmetic in subqueries cannot add up to more than one of them")
  func height() {
    let sum = repeated(" + 1", 60) + " > 0"
    #expect(syntaxError("SUBQUERY(a, $x, n\(sum)).@count > 1") == nil)
    #expect(syntaxError("SUBQUERY(a, $x, n\(sum)).@count\(sum)")?.kind == .tooLarge)
  }

  @Test("nesting that people write is not an error")
  func usual() {
    let text = repeated("(n == 1 || ", 90) + "n == 2" + repeated(")", 90)
    #expect(syntaxError(text) == nil)
  }

  @Test("a path has at most 100 steps", arguments: [".n", "[0]", "[*]"])
  func steps(step: String) {
    #expect(syntaxError("n\(repeated(step, 99)) == 1") == nil)
    #expect(syntaxError("n\(repeated(step, 100)) == 1")?.kind == .tooLarge)
  }

  @Test("a query has at most a mebibyte")
  func length() {
    #expect(syntaxError("n == 1" + repeated(" ", 1 << 20))?.kind == .tooLarge)
    #expect(syntaxError("n == 1" + repeated(" ", (1 << 20) - 6)) == nil)
  }

  @Test("an argument, a position or a limit that is too large is as large as possible")
  func saturation() throws {
    let text = "a[99999999999999999999] == $99999999999999999999 LIMIT(99999999999999999999)"
    let most = "9223372036854775807"
    #expect(
      try QuerySyntax(parsing: text).tree == "(equal a/[\(most)] $\(most)) (limit \(most))")
  }
}
