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
          .tooLarge, "found an expression of 1048577 bytes, expected at most 1048576", at: 0..<0))
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
        == QueryError(.type, "`name` (string) cannot be compared with `5` (int)", at: 5..<7))
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
}
