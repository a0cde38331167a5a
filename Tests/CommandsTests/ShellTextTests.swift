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

  @Test(
    "an update has its class, its condition and its assignments",
    arguments: [
      ("update P where a < 0 set a = null", "P", "a < 0 ", ["a = null"]),
      (
        " update  'My P' a < 0 SET a=1,b = 'x, set y = 1' , c = f(a, 2)", "My P", "a < 0 ",
        ["a=1", "b = 'x, set y = 1' ", "c = f(a, 2)"]
      ),
      ("update P set a = 1", "P", "", ["a = 1"]),
      ("update P where set = 1 set set = 2", "P", "set = 1 ", ["set = 2"]),
      (
        "update P where a == 'it\\'s set b = 1' set b = 2", "P", "a == 'it\\'s set b = 1' ",
        ["b = 2"]
      ),
      (
        "update P where a IN {1, 2} set b = a == 1 ? 2 : 3", "P", "a IN {1, 2} ",
        ["b = a == 1 ? 2 : 3"]
      ),
      ("update P where a\\ set = 1 set a\\ set = 2", "P", "a\\ set = 1 ", ["a\\ set = 2"]),
      ("update P where (a == 1)set b = 2", "P", "(a == 1)", ["b = 2"]),
      ("update P where a = set set = 1", "P", "a = ", ["set = 1"]),
      ("update where set a = 1", "where", "", ["a = 1"]),
    ] as [(String, String, String, [String])])
  func updates(line: String, className: String, text: String, assignments: [String]) throws {
    #expect(ShellLine(line) == .statement(.update))
    let statement = try ShellStatement(.update, line)
    #expect(statement.query.className == className)
    #expect(statement.query.text == text)
    #expect(statement.assignments.map(\.text) == assignments)
    for part in statement.assignments {
      #expect(line.utf8.dropFirst(part.offset).starts(with: part.text.utf8))
    }
  }

  @Test("deletions and insertions have their class, and what follows")
  func deletions() throws {
    let deletion = try ShellStatement(.delete, "delete 'P' where a set b = 1")
    #expect(deletion.query.className == "P" && deletion.query.text == "a set b = 1")
    let insertion = try ShellStatement(.insert, "insert P {\"a\": \"set a = 1\"}")
    #expect(insertion.query.className == "P")
    #expect(insertion.query.text == "{\"a\": \"set a = 1\"}")
    #expect(insertion.placed("x", at: 1).error.range == 10..<10)
  }

  @Test(
    "a statement that lacks a part is an error at its end",
    arguments: [
      "update", "update P", "update P where a = 1", "update P where a == 1 set a == 2",
      "update P set",
      "update P set a", "delete", "delete P", "delete P where ", "insert", "insert P", "insert  P ",
    ])
  func incomplete(line: String) throws {
    guard case .statement(let kind) = ShellLine(line) else {
      Issue.record("no statement")
      return
    }
    do throws(QueryTextError) {
      _ = try ShellStatement(kind, line)
      Issue.record("accepted")
    } catch {
      #expect(error.text == line && error.error.range == line.utf8.count..<line.utf8.count)
      #expect(error.error.hint.hasPrefix("such as ") || error.error.hint.hasPrefix("write "))
    }
  }

  @Test("lines about classes of other names are queries")
  func noStatements() {
    for line in ["Update where a = 1", "'update' where a = 1", "updates", "deleted a", "INSERT x"] {
      guard case .query = ShellLine(line) else {
        Issue.record("\(line)")
        continue
      }
    }
  }

  @Test("an error of an assignment is placed in the line")
  func assignmentPlaces() throws {
    let line = "update Pé where a = 1 set a = 1, bé = x"
    let statement = try ShellStatement(.update, line)
    let error = QueryTextError(
      QueryError(.syntax, "", at: 6..<7, hint: ""), in: "bé = x", of: .assignment)
    let placed = statement.placed(error)
    #expect(placed.text == line && placed.error.range == 40..<41)
    #expect(Array(line.utf8)[40] == UInt8(ascii: "x"))
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
