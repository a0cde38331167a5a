import Commands
import RealmJobs
import RealmQuery
import Testing

/// The lines that a user sees, without the prefix `realm-cli: query: `.
private func lines(_ query: String) -> [String] {
  do throws(QueryError) {
    _ = try QuerySyntax(parsing: query)
    return []
  } catch {
    let report = ErrorReport(QueryTextError(error, in: query, of: .query))
    let lines = report.text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    return lines.map {
      String($0.hasPrefix("realm-cli: query: ") ? $0.dropFirst(18) : $0[...])
    }
  }
}

@Suite("Errors of queries, as people see them")
struct QueryErrorTextTests {
  @Test(
    "an error shows the place, what was found and what was expected",
    arguments: [
      [
        "found the end of the query, expected a value: a property, a constant or a list",
        "  ", "  ^",
      ],
      [
        "found the end of the query, expected an operator such as == or CONTAINS", "  age",
        "     ^",
      ],
      [
        "found the end of the query, expected a value: a property, a constant or a list",
        "  age == 30 AND", "               ^",
      ],
      ["found 'age', expected &&, || or ')'", "  (n == 1 age", "          ^~~"],
      ["found '}', expected an operator such as == or +, or ')'", "  (n}", "    ^"],
    ])
  func places(expected: [String]) {
    let query = String(expected[1].dropFirst(2))
    #expect(Array(lines(query).prefix(3)) == expected)
  }

  /// A query, the message, the marks below the query, and the hint.
  static let mistakes: [(query: String, message: String, marks: String, hint: String)] = [
    (
      "n -1 == 6", "found '-1', expected an operator such as == or CONTAINS", "  ^~",
      "a sign belongs to its number; write spaces on both sides of an operator: n - 1"
    ),
    (
      "age == 10 -5",
      "found '-5', expected &&, ||, SORT, DISTINCT, LIMIT or the end of the query", "          ^~",
      "a sign belongs to its number; write spaces on both sides of an operator: n - 5"
    ),
    (
      "-n == 7", "found '-', expected a value: a property, a constant or a list", "^",
      "there is no minus before a property; write 0 - n"
    ),
    (
      "name == “Ann B”",
      "found 'B”', expected &&, ||, SORT, DISTINCT, LIMIT or the end of the query",
      "             ^~",
      "write strings in straight quotes, ' or \""
    ),
    (
      "name == 'Ann", "found a string without an end, expected a closing '", "        ^",
      "write a string with both kinds of quotes as B64\"…\" or as an argument such as $0"
    ),
    (
      "name LIKE '*\\*'",
      "found '\\*', expected one of \\\" \\' \\/ \\\\ \\b \\f \\n \\r \\t \\0, or \\u and four "
        + "hexadecimal digits", "            ^~",
      "no escape is translated: \\\\ is two backslashes; B64\"…\" or an argument such as $0 can "
        + "hold any string"
    ),
    (
      "age === 30", "found '=', expected a value: a property, a constant or a list", "      ^",
      "write == for equality"
    ),
    (
      "TRUEPREDICATE SORT(dog.age)", "found ')', expected ASC or DESC",
      "                          ^", "write SORT(age ASC), or DESC to begin with the largest"
    ),
    (
      "SORT(age ASC)", "found '(', expected an operator such as == or CONTAINS", "    ^",
      "SORT follows a condition: TRUEPREDICATE SORT(…)"
    ),
    (
      "TRUEPREDICATE LIMIT($12)", "found '$12', expected a number of objects",
      "                    ^~~", "LIMIT takes a number, not an argument"
    ),
    (
      "age <[c] 30", "found '[c]', expected a value: a property, a constant or a list", "     ^~~",
      "[c] follows ==, !=, IN, BEGINSWITH, ENDSWITH, CONTAINS or LIKE"
    ),
    (
      "bio TEXT[c] 'quick'", "found '[c]', expected a value: a property, a constant or a list",
      "        ^~~", "[c] follows ==, !=, IN, BEGINSWITH, ENDSWITH, CONTAINS or LIKE"
    ),
    (
      "age NOT IN {1}", "found 'NOT', expected an operator such as == or CONTAINS", "    ^~~",
      "write NOT before the whole comparison: NOT age IN {1, 2}"
    ),
    (
      "name IS NULL", "found 'IS', expected an operator such as == or CONTAINS", "     ^~",
      "write == null or != null"
    ),
    (
      "age In {20}", "found 'In', expected an operator such as == or CONTAINS", "    ^~",
      "write IN or in"
    ),
    (
      "Any scores == 3", "found 'scores', expected an operator such as == or CONTAINS",
      "    ^~~~~~",
      "write ANY or any"
    ),
    (
      "name startsWith 'A'", "found 'startsWith', expected an operator such as == or CONTAINS",
      "     ^~~~~~~~~~", "write BEGINSWITH"
    ),
    (
      "name MATCHES 'A.*'", "found 'MATCHES', expected an operator such as == or CONTAINS",
      "     ^~~~~~~", "there are no regular expressions; LIKE takes * and ?"
    ),
    (
      "first name == 'x'", "found 'name', expected an operator such as == or CONTAINS",
      "      ^~~~", "write a space in the name of a property as \"\\ \": first\\ name"
    ),
    (
      "name IN ('a', 'b')", "found ',', expected an operator such as == or +, or ')'",
      "            ^", "write a list of values in braces: IN {1, 2}"
    ),
    (
      "name IN ['a', 'b']", "found '[', expected a value: a property, a constant or a list",
      "        ^", "write a list of values in braces: {1, 2}"
    ),
    (
      "name IN {'a', b}", "found 'b', expected a constant", "              ^",
      "a list holds only constants; write strings in quotes"
    ),
    (
      "name IN {'a'", "found the end of the query, expected ',' or '}'", "            ^",
      "close the list with }"
    ),
    (
      "age BETWEEN 1 AND 5", "found '1', expected two constants in braces, such as {1, 5}",
      "            ^", "write BETWEEN {1, 5}; the bounds can be arguments: BETWEEN {$0, $1}"
    ),
    (
      "n % 2 == 0", "found '%', which is not part of the language", "  ^",
      "there is no remainder operator, and LIKE takes * and ?"
    ),
    (
      "n == 1 & m == 2", "found '&', which is not part of the language", "       ^",
      "write && or AND"
    ),
    (
      "age == 30;", "found ';', which is not part of the language", "         ^",
      "a query ends without ;"
    ),
    (
      "age == 30 -- old", "found '-', expected a value: a property, a constant or a list",
      "           ^", "there are no comments in a query"
    ),
    (
      "a == 1 b == 2", "found 'b', expected &&, ||, SORT, DISTINCT, LIMIT or the end of the query",
      "       ^", "join conditions with && or ||"
    ),
    (
      "1 < n < 5", "found '<', expected &&, ||, SORT, DISTINCT, LIMIT or the end of the query",
      "      ^", "one comparison has two sides; join several with &&"
    ),
    (
      "(name) CONTAINS 'a'", "found 'CONTAINS', expected one of == != < <= > >= IN + - * /",
      "       ^~~~~~~~",
      "this operator takes a property or a constant, without parentheses and arithmetic"
    ),
    (
      "any == 1", "found '==', expected a path, a list in braces or an argument", "    ^~",
      "the words any, some, all and none cannot be names; write a property of such a name as $K0, "
        + "with its name as argument"
    ),
    (
      "ANY 3 == scores", "found '3', expected a path, a list in braces or an argument", "    ^",
      "ANY, ALL and NONE take a path with a collection, or a list"
    ),
    (
      "ANY scores.@max == 3", "found '@max', expected a path, a list in braces or an argument",
      "           ^~~~", "ANY, ALL and NONE do not apply to an aggregate"
    ),
    (
      "dog.any == 1", "found 'any', expected the name of a property, or a word such as @count",
      "    ^~~",
      "this word cannot be a name; write such a property as $K0, with its path as argument"
    ),
    (
      "dogs.$K0 == 3", "found '$K0', expected the name of a property, or a word such as @count",
      "     ^~~",
      "write an argument for a key in brackets, attrs[$0], and one for a path alone, $K0"
    ),
    (
      "scores[-1] == 3",
      "found '-1', expected a number, a string, an argument, FIRST, LAST, SIZE or *",
      "       ^~", "positions count from 0; the last one is [LAST]"
    ),
    (
      "SUBQUERY(dogs, $d, $d.age > 5) > 0", "found '>', expected '.@count' after SUBQUERY(…)",
      "                               ^",
      "SUBQUERY gives a number of objects: SUBQUERY(dogs, $d, $d.age > 5).@count > 0"
    ),
    (
      "SUBQUERY(dogs, 1, age > 5).@count > 0", "found '1', expected a variable such as $x",
      "               ^", "write SUBQUERY(dogs, $d, $d.age > 5).@count > 0"
    ),
    (
      "loc geoWithin geoCircle([-10, 20], 1)",
      "found '-10', expected a coordinate such as 10 or -10.5, or an argument",
      "                         ^~~", "a negative coordinate needs a decimal point: -10.0"
    ),
    (
      "loc geoWithin 'a'",
      "found the string 'a', expected geoBox, geoCircle, geoPolygon or an argument",
      "              ^~~",
      "write geoBox([5.0, 15.0], [15.0, 25.0]), geoCircle([10.0, 20.0], 0.1) or "
        + "geoPolygon({[0, 0], [1, 0], [1, 1], [0, 0]})"
    ),
    (
      "d.@count.@count == 1", "found '.', expected an operator such as == or CONTAINS", "        ^",
      "compare the value with another one: age > 30"
    ),
    (
      "TRUEPREDICATE SORT(a.@count ASC)",
      "found '.@count', expected the path of a property, such as name or dog.name",
      "                    ^~~~~~~", "a path is a property, or reaches one through links: dog.name"
    ),
    (
      "true", "found the end of the query, expected an operator such as == or CONTAINS", "    ^",
      "TRUEPREDICATE matches every object, FALSEPREDICATE none"
    ),
    (
      "1 + (n == 1) == 2", "found the condition '(n == 1)', expected a value", "    ^~~~~~~~",
      "conditions are joined with && and ||, not calculated with or compared"
    ),
    (
      "dog == obj(Dog, 1)", "found 'Dog', expected the name of a class in quotes", "           ^~~",
      "write obj('Dog', 1)"
    ),
    (
      "born == T1:-1", "found 1 s and -1 ns, expected the same sign for both", "        ^~~~~",
      "before 1970, both are negative: T-1:-500000000"
    ),
    (
      "born > 1850-01-01@00:00:00", "found a date in the year 1850, expected 1900 or later",
      "       ^~~~~~~~~~~~~~~~~~~",
      "write earlier dates as T<seconds since 1970>:<nanoseconds>, such as T-2208988801:0"
    ),
    (
      "age >> 5", "found '>', expected a value: a property, a constant or a list", "     ^",
      "the comparisons are ==, !=, <, <=, > and >="
    ),
    (
      "name == B64\"QQQ=Q\"", "found 'B64\"QQQ=Q\"', expected base64 in groups of four characters",
      "        ^~~~~~~~~~", "encode it again, for example with `base64 -w0`"
    ),
  ]

  @Test("an error has a message, marks and a hint", arguments: mistakes.indices)
  func hints(index: Int) {
    let mistake = QueryErrorTextTests.mistakes[index]
    #expect(
      lines(mistake.query) == [mistake.message, "  " + mistake.query, "  " + mistake.marks]
        + ["  hint: " + mistake.hint])
  }

  @Test("marks stand below wide characters and escapes")
  func width() {
    #expect(
      Array(lines("名前 == 'é' 名前 == 1").prefix(3)) == [
        "found '名前', expected &&, ||, SORT, DISTINCT, LIMIT or the end of the query",
        "  名前 == 'é' 名前 == 1",
        "              ^~~~",
      ])
    #expect(
      Array(lines("a\t== 1\nb == 'x\u{1B}'").prefix(3)) == [
        "found 'b', expected &&, ||, SORT, DISTINCT, LIMIT or the end of the query",
        "  a\\t== 1\\nb == 'x\\u{1b}'",
        "           ^",
      ])
  }

  @Test("a long query is cut around the place")
  func cut() {
    let list = (100..<200).map(String.init).joined(separator: ", ")
    let query = "n IN {" + list + "} AND OR m IN {" + list + "}"
    #expect(
      lines(query) == [
        "found 'OR', expected a value: a property, a constant or a list",
        "  … 195, 196, 197, 198, 199} AND OR m IN {100, 101, 102, 103, 104, 105, 106, 10…",
        "                                 ^~",
        "  hint: write for example age == 30 or name IN {'Ann', 'Bob'}",
      ])
    #expect(
      lines("n IN {" + list) == [
        "found the end of the query, expected ',' or '}'",
        "  …" + list.suffix(76),
        "  " + String(repeating: " ", count: 77) + "^",
        "  hint: close the list with }",
      ])
    #expect(
      Array(lines("n IN " + list + "}").prefix(3)) == [
        "found ',', expected &&, ||, SORT, DISTINCT, LIMIT or the end of the query",
        "  " + ("n IN " + list).prefix(76) + "…",
        "          ^",
      ])
  }

  @Test("a program gets the code, the offset in bytes, the line and the column")
  func json() throws {
    let query = "größe == 1\n&& é == ;"
    do throws(QueryError) {
      _ = try QuerySyntax(parsing: query)
      Issue.record("parsed")
    } catch {
      let report = ErrorReport(
        QueryTextError(error, in: query, of: .condition, path: "a.realm"))
      #expect(report.status == .wrongUsage)
      #expect(
        try JSONText.line(["error": report]) == """
          {"error":{"code":"badQuery","column":9,"hint":"a query ends without ;","line":2,\
          "message":"--where: found ';', which is not part of the language","offset":22,\
          "path":"a.realm"}}

          """)
    }
  }
}
