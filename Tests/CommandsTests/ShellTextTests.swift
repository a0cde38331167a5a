import RealmJobs
import RealmQuery
import Testing

@testable import Commands

@Suite("Lines of the shell")
struct ShellTextTests {
  @Test(
    "a class with a query is found in a line",
    arguments: [
      ("Person", "Person", ""), ("Person where", "Person", ""),
      (" Person  where  a == 1 ", "Person", "a == 1 "),
      ("'My Class' a == 1", "My Class", "a == 1"), ("\"x\"where a", "x", "a"),
      ("P limit(2)", "P", "TRUEPREDICATE limit(2)"),
      ("P sort (a asc)", "P", "TRUEPREDICATE sort (a asc)"),
      ("P limit > 3", "P", "limit > 3"), ("P wherever == 1", "P", "wherever == 1"),
    ] as [(String, String, String)])
  func lines(line: String, className: String, text: String) {
    let query = ShellQuery(line)
    #expect(query.className == className)
    #expect(query.text == text)
  }

  @Test("an error of a query is placed in the line")
  func places() {
    func placed(_ line: String, _ range: Range<Int>) -> Range<Int> {
      let query = ShellQuery(line)
      let error = QueryError(.syntax, "", at: range, hint: "")
      return query.placed(QueryTextError(error, in: query.text, of: .query)).error.range
    }
    #expect(placed("Pé where x > 1", 0..<1) == 10..<11)
    // After the condition that the shell adds, which has 14 bytes.
    #expect(placed("P sort(x asc)", 19..<20) == 7..<8)
  }

  @Test("arguments are divided into words")
  func words() {
    #expect(ShellLine.words("-o 'a b' \"c'd\" e\"f g\"") == ["-o", "a b", "c'd", "ef g"])
    #expect(ShellLine.words("''") == [""])
    #expect(ShellLine.words("'a") == nil)
  }

  @Test("completions insert what all words have in common, or list them in columns")
  func completions() {
    #expect(Completion("na", ["name"], startingWith: "na").insertion == "name")
    #expect(Completion("na", ["nameA", "nameB"], startingWith: "NA").insertion == "name")
    #expect(Completion("name", ["nameA", "nameB"], startingWith: "name").insertion == nil)
    #expect(Completion("x", ["name"], startingWith: "x").insertion == nil)
    // Two words of at most six columns fit in a line; they go down, then right.
    let listing = Completion("", ["aa", "日本", "c", "d", "e"]).listing(width: 13)
    #expect(listing == "aa    e\nc     日本\nd\n")
  }
}
