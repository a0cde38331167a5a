import Foundation
import RealmModel
import RealmQuery
import TestSupport
import Testing

@Suite("Errors of queries")
struct QueryErrorTests {
  private let schema: ObjectSchema

  init() throws {
    schema = try Realm(
      path: packageFolder.appending(path: "Tests/Fixtures/query/people.realm").path
    ).schema.objects
  }

  private func error(
    _ text: String, ofClass name: String = "Person", _ arguments: [QueryArgument] = []
  ) -> QueryError? {
    do throws(QueryError) {
      _ = try Query(text, ofClass: name, in: schema, arguments: arguments)
      return nil
    } catch {
      return error
    }
  }

  @Test("an unknown name is shown with its place and the most similar name")
  func names() {
    #expect(
      error("n == 1 && nmae == 'Ann'")
        == QueryError(
          .unknownName, "Person has no property 'nmae'", at: 10..<14, hint: "did you mean 'name'?"))
    #expect(
      error("AGE == 30")
        == QueryError(
          .unknownName, "Person has no property 'AGE'", at: 0..<3, hint: "did you mean 'age'?"))
    #expect(
      error("dog.nam == 'x'")
        == QueryError(
          .unknownName, "Dog has no property 'nam'", at: 4..<7, hint: "did you mean 'name'?"))
    #expect(
      error("@links.Persn.dog.age > 3", ofClass: "Dog")
        == QueryError(
          .unknownName, "there is no class 'Persn'", at: 7..<12, hint: "did you mean 'Person'?"))
    #expect(error("", ofClass: "person")?.hint == "did you mean 'Person'?")
    #expect(error("mix.@type == 'strng'")?.hint == "did you mean 'string'?")
  }

  /// Expressions of migration plans translate escapes, and have no arguments.
  @Test(
    "the hints about strings in an expression are those of expressions, not of queries",
    arguments: [
      (#"'\q'"#, #"write \\ for a backslash"#), ("'it", #"write a quote in a string as \" or \'"#),
    ])
  func expressionHint(text: String, hint: String) {
    #expect(expressionError(text)?.hint == hint)
  }

  @Test("an expression that is too long is not called a query")
  func longExpression() {
    #expect(
      expressionError(String(repeating: " ", count: 1 << 20) + "1")
        == QueryError(
          .tooLarge, "found an expression of 1048577 bytes, expected at most 1048576", at: 0..<0,
          hint: "divide the expression between several steps"))
  }

  private func expressionError(_ text: String) -> QueryError? {
    do throws(QueryError) {
      _ = try Formula(text, ofClass: 0, in: schema)
      return nil
    } catch {
      return error
    }
  }

  @Test("types that do not compare are shown for both sides")
  func types() {
    #expect(
      error("name == 5")
        == QueryError(
          .type, "`name` (string) cannot be compared with `5` (int)", at: 5..<7,
          hint: "write strings in quotes"))
    #expect(
      error("boss == obj('Dog', 'rex')")?.message
        == "`boss` (Person object) cannot be compared with `obj('Dog', 'rex')` (Dog object)")
    #expect(
      error("scores == friends.scores")?.message
        == "`scores` and `friends.scores` are both collections of values; one side must have a single "
        + "value")
    #expect(
      error("name + 1 == 2")?.message == "`+` needs numbers, but `name` is string")
    #expect(error("1 == 1")?.hint == "one side must be a property")
    #expect(
      error("ANY name == 'Ann'")?.hint
        == "ANY, ALL and NONE need a list, a set, a dictionary or @links")
  }

  @Test("a missing or wrong argument is named")
  func arguments() {
    #expect(error("age == $0")?.message == "argument $0 is missing: none was given")
    #expect(
      error("age == $2", [.value(.int(1)), .value(.int(2))])?.message
        == "argument $2 is missing: only $0 to $1 were given")
    #expect(
      error("$K0 == 1", [.value(.int(1))])?.message
        == "argument $K0 is not a string with a key path")
    #expect(
      error("location geoWithin $0", [.value(.string("nowhere"))])?.message
        == "argument $0 is not a shape: 'nowhere'")
  }

  @Test("shapes and searches that cannot be right are errors")
  func values() {
    #expect(
      error("location geoWithin geoBox([200.0, 15], [15, 25])")?.message
        == "the longitude 200.0 is not between -180 and 180")
    #expect(
      error("bio TEXT 'fox -fox'")?.message == "the search includes and excludes 'fox'")
    #expect(error("name TEXT 'Ann'")?.message == "`name` has no full-text index, which TEXT needs")
  }

  // MARK: Hints

  /// Queries about persons that the parser or the resolver refuses, one for each message, with a part of the hint.
  static let refused: [(query: String, hint: String)] = [
    // The parser.
    ("age >> 5", "the comparisons are ==, !=, <, <=, > and >="),
    ("age <> = 5", "the comparisons are"),
    ("age", "compare the value with another one: age > 30"),
    ("(age) 5", "compare the value with another one"),
    ("(age > 5", "close the parenthesis with )"),
    ("(age 5", "close the parenthesis"),
    ("age == 5 )", "join conditions with && or ||"),
    ("age ==", "write for example age == 30"),
    ("age == 5 AND", "write for example age == 30"),
    ("ANY 3 == 3", "ANY, ALL and NONE take a path"),
    ("ANY scores.@max == 3", "do not apply to an aggregate"),
    ("age IN {1, ]", "a constant is a number"),
    ("age IN {1 2}", "write commas between the constants"),
    ("scores.", "after a link, name a property"),
    ("scores[x] == 1", "write scores[0], scores[LAST] or attrs['key']"),
    ("scores[0 == 1", "write scores[0], scores[LAST] or attrs['key']"),
    ("age BETWEEN 1", "write BETWEEN {1, 5}"),
    ("age BETWEEN {1}", "write BETWEEN {1, 5}"),
    ("SUBQUERY(friends, 1, age > 5).@count > 0", "write SUBQUERY(dogs, $d, $d.age > 5).@count > 0"),
    ("SUBQUERY friends", "write SUBQUERY("),
    ("SUBQUERY(friends", "write SUBQUERY("),
    ("SUBQUERY(friends, $f, $f.age > 5) > 0", "SUBQUERY gives a number of objects"),
    ("dog == obj Dog", "write obj('Dog', 1)"),
    ("dog == obj(Dog, 1)", "write obj('Dog', 1)"),
    ("dog == obj('Dog' 1)", "write obj('Dog', 1)"),
    ("dog == obj('Dog', true)", "write obj('Dog', 1)"),
    ("dog == obj('Dog', 1", "write obj('Dog', 1)"),
    ("bin == binary(1)", "write binary('text')"),
    ("bin == binary('x'", "write binary('text')"),
    ("TRUEPREDICATE SORT age", "write SORT(age DESC)"),
    ("TRUEPREDICATE SORT(age)", "write SORT(age ASC)"),
    ("TRUEPREDICATE SORT(age.@count ASC)", "a path is a property"),
    ("TRUEPREDICATE SORT(age ASC", "write SORT(age DESC)"),
    ("TRUEPREDICATE LIMIT(x)", "write LIMIT(10)"),
    ("TRUEPREDICATE LIMIT(5", "write SORT(age DESC), DISTINCT(name) or LIMIT(10)"),
    ("location geoWithin 'x'", "write geoBox("),
    ("location geoWithin geoBox(1, 2)", "write [10.5, 20.5]"),
    ("location geoWithin geoBox [1, 2]", "write geoBox("),
    ("location geoWithin geoBox([1, 2]", "write geoBox("),
    ("location geoWithin geoCircle([1, 2])", "write geoCircle("),
    ("location geoWithin geoCircle([1, 2], 'x')", "divide a distance in kilometers"),
    ("location geoWithin geoPolygon(1)", "write geoPolygon("),
    ("location geoWithin geoPolygon({[1, 2]", "write geoPolygon("),
    ("location geoWithin geoBox([x, 2], [3, 4])", "write [10.5, 20.5]"),
    ("location geoWithin geoBox([1 2], [3, 4])", "write [10.5, 20.5]"),
    ("location geoWithin geoBox([1, 2, 3], [3, 4])", "leave the altitude out"),
    ("age == 5 !", "join conditions"),
    ("age == ?", "write strings in quotes"),
    ("age == 5 ^ 6", "write strings in quotes"),
    ("name == 'x", "both kinds of quotes"),
    ("born == T1:-1", "before 1970, both are negative"),
    ("born == T1:1000000000", "carry whole seconds over"),
    ("born == 9999999999-01-01@00:00:00", "write a date as 2025-12-31@23:59:59"),
    ("dog == L99999999999:1", "name the object with obj('Class', key) instead"),
    ("1 + (age == 1) == 2", "conditions are joined with && and ||"),
    // The resolver.
    ("dog.weight.x == 1", "the properties are"),
    ("name.x == 1", "end the path with name"),
    ("scores.x == 1", "pick an element of a list with scores[0]"),
    ("age.@count == 1", "collections and mixed values have a size"),
    ("scores.@type == 'int'", "the type of a property is known"),
    ("[0] == 1", "write a list of values in braces"),
    ("age == $0", "give a value for each of $0, $1 and so on"),
    ("$K0 == 1", "give a value for each of $0, $1 and so on"),
    ("dog[0].age == 1", "leaving the brackets out"),
    ("friends[0] == null", "one element of a list of links"),
    ("@links == 1", "@links.Class.property"),
    ("@links.Person.age == 1", "the links to Person are @links.Person.boss"),
    ("age IN 5", "write ==, or a list in braces: IN {1, 2}"),
    ("name CONTAINS 5", "write a string in quotes"),
    ("dog > obj('Dog', 'rex')", "only ==, != and IN are possible"),
    ("age ==[c] scores", "leave [c] out"),
    ("name == 5", "write strings in quotes"),
    ("age == true", "write a number"),
    ("dog == 5", "compare a property of the object"),
    ("name == age", "compare properties of one type"),
    ("scores == friends.scores", "compare one of them with a constant"),
    ("scores BETWEEN {1, 2}", "write ALL scores BETWEEN {…}"),
    ("age BETWEEN {null, 2}", "use >= or <= instead"),
    ("1 == 1", "one side must be a property"),
    ("'x' TEXT 'fox'", "write the property first"),
    ("name TEXT 'fox'", "write CONTAINS[c]"),
    ("bio TEXT 5", "write the words in quotes"),
    ("bio TEXT ''", "write at least one word"),
    ("bio TEXT 'a-b'", "write several words with spaces"),
    ("bio TEXT 'fox -fox'", "write fox once"),
    ("age == O5", "compare a link with an object"),
    ("age == obj('Note', 5)", "compare a property of the object"),
    ("dog == obj('Dog', 5)", "write a primary key of the type string"),
    ("ANY $0 == age", "give a value for each of $0"),
    ("age.@max == 3", "through links, name the property"),
    ("age.@max.x == 3", "name links before the aggregate"),
    ("friends.@max.scores == 3", "a single number"),
    ("friends.@max.name == 'x'", "compare each value with ANY, or count the values with @count"),
    ("SUBQUERY(dog, $d, $d.age > 1).@count > 0", "SUBQUERY needs a list of links"),
    ("SUBQUERY(friends, x, age > 1).@count > 0", "write SUBQUERY("),
    (
      "SUBQUERY(friends, $f, SUBQUERY(friends, $f, age > 1).@count > 0).@count > 0",
      "give the inner SUBQUERY another variable"
    ),
    ("name + 1 == 2", "calculate with properties that hold numbers"),
    ("scores + friends.scores == 2", "one side of the calculation"),
    ("TRUEPREDICATE SORT(scores ASC)", "follow links that have one target"),
    ("TRUEPREDICATE SORT($K0 ASC)", "write the path itself"),
    ("mix.@type == 'x'", "the types are"),
    ("location geoWithin geoBox([200.0, 15], [15, 25])", "a point is [longitude, latitude]"),
    ("location geoWithin geoBox([20, 95], [15, 25])", "a point is [longitude, latitude]"),
    ("location geoWithin geoCircle([1, 2], -1.0)", "divide a distance in kilometers"),
    ("location geoWithin geoPolygon({[0, 0], [1, 1]})", "repeat the first point at the end"),
    ("location geoWithin geoPolygon({[0, 0], [1, 1], [0, 0]})", "give each corner once"),
    (
      "location geoWithin geoPolygon({[0, 0], [1, 0], [1, 1], [0, 0]}, {[5, 5], [6, 5], [6, 6], [5, 5]})",
      "the first ring is the outer one"
    ),
    ("dog geoWithin geoBox([1, 2], [3, 4])", "GEOWITHIN needs an embedded object"),
  ]

  @Test("every error has a message, a place in the query and a hint", arguments: refused.indices)
  func hints(index: Int) throws {
    let (query, hint) = QueryErrorTests.refused[index]
    let error = try #require(self.error(query), "\(query)")
    #expect(!error.message.isEmpty)
    #expect(error.range.lowerBound >= 0 && error.range.upperBound <= query.utf8.count)
    #expect(error.hint.contains(hint), "\(query): \(error.message): \(error.hint)")
  }

  @Test("errors about arguments have hints")
  func argumentHints() {
    #expect(
      error("age == $0", [.value(.list([.list([])]))])?.hint
        == "pass one value for each argument; a list can follow IN")
    #expect(
      error("scores[$0] == 1", [.value(.bool(true))])?.hint
        == "pass a number from 0 for a list, or a string for a dictionary")
    #expect(
      error("$K0 == 1", [.value(.int(1))])?.hint == "pass the path as a string, such as dog.name")
    #expect(
      error("$K0.x == 1", [.value(.string("dog"))])?.hint
        == "pass the whole path as the argument: $K0 with dog.name")
    #expect(
      error("ANY $0 == age", [.value(.int(1))])?.hint
        == "pass a list for the argument, or leave the quantifier out")
    #expect(
      error("location geoWithin geoCircle([1, 2], $0)", [.value(.string("x"))])?.hint
        == "pass a number for a coordinate or a radius")
    #expect(
      error("location geoWithin $0", [.value(.string("$1"))])?.hint
        == "pass geoBox(…), geoCircle(…) or geoPolygon(…)")
    #expect(
      error("location geoWithin $0", [.value(.string("geoBox([200.0, 1], [1, 2])"))])?.hint
        == "a point is [longitude, latitude], in degrees")
  }
}
