import Foundation
import RealmModel
import RealmStorage
import TestSupport
import Testing

@testable import RealmQuery

/// The 893 queries that were run with the reference, on its own realm (chapter 6, section 5).
@Suite("Measured results")
struct MeasuredResultsTests {
  /// The results of the reference.
  enum Outcome: Equatable, CustomStringConvertible {
    case keys([String])
    case syntaxError
    case error

    var description: String {
      switch self {
      case .keys(let keys): "[\(keys.joined(separator: ","))]"
      case .syntaxError: "error(syntax)"
      case .error: "error"
      }
    }
  }

  struct Case {
    var className: String
    var query: String
    var outcome: Outcome
  }

  private static func cases() throws -> [Case] {
    try MeasuredQuery.all().map { query in
      let outcome: Outcome =
        switch query.result {
        case "error(syntax)": .syntaxError
        case "error", "crash": .error
        default:
          .keys(
            query.result.dropFirst().dropLast().split(separator: ",").map {
              $0.trimmingCharacters(in: CharacterSet(charactersIn: "\""))
            })
        }
      return Case(className: query.className, query: query.text, outcome: outcome)
    }
  }

  /// The arguments of section 5.1; Dog rex has object key 0 of Dog, and persons have theirs by primary
  /// key.
  private static func arguments(_ realm: Realm) throws -> [QueryArgument] {
    let schema = realm.schema.objects
    let (person, dog) = (try position(of: "Person", schema), try position(of: "Dog", schema))
    func link(_ position: Int, _ primaryKey: RealmValue) -> QueryArgument {
      .value(.link(RealmLink(classPosition: position, primaryKey: primaryKey)))
    }
    let second = try Query("_id == 2", ofClass: "Person", in: schema).run(in: realm)
    return [
      .value(.int(30)), .value(.string("Ann")), .value(.list([.int(20), .int(40), .null])),
      .value(.null), link(dog, .string("rex")), .value(.string("dog.name")), .value(.double(1.5)),
      .value(.bool(true)), .objectKey(try #require(second.keys.first)),
      .value(.date(seconds: 1_000_000_000, nanoseconds: 0)), .value(.string("age")),
      link(person, .int(1)), .value(.int(2)), .value(.string("eye")),
    ]
  }

  private static func position(of name: String, _ schema: ObjectSchema) throws -> Int {
    try #require(schema.classes.firstIndex { !$0.isInternal && $0.name.text == name })
  }

  /// The primary keys of the objects of a class, or their object keys, by object key.
  private static func names(_ realm: Realm, _ className: String) throws -> [ObjectKey: String] {
    let objects = try #require(try realm.objects(ofClass: className))
    var names: [ObjectKey: String] = [:]
    while let object = try objects.next() {
      switch try object.value(of: "_id") {
      case .int(let number): names[object.key] = "\(number)"
      case .string(let text): names[object.key] = text
      default: names[object.key] = "\(object.key.raw)"
      }
    }
    return names
  }

  /// Results that deliberately differ from the reference, which reads backlinks as links and finds the right
  /// objects only by chance.
  private static let corrected = [
    "@links.Person.dogs == obj('Person', 1)": Outcome.keys(["rex", "fido"])
  ]

  @Test(
    "each query finds what the reference finds, or is an error in both",
    arguments: [true, false])
  func all(usesShortcuts: Bool) throws {
    let realm = try Realm(path: MeasuredQuery.realm)
    let schema = realm.schema.objects
    let arguments = try MeasuredResultsTests.arguments(realm)
    var names: [String: [ObjectKey: String]] = [:]
    for name in ["Person", "Dog", "Note"] {
      names[name] = try MeasuredResultsTests.names(realm, name)
    }
    let cases = try MeasuredResultsTests.cases()
    #expect(cases.count == 893)
    for item in cases {
      let expected = MeasuredResultsTests.corrected[item.query] ?? item.outcome
      var found: Outcome
      var message = ""
      do {
        let query = try Query(
          item.query, ofClass: item.className, in: schema, arguments: arguments)
        let result = try QueryRun(
          realm, query.resolved, jobs: 2, usesShortcuts: usesShortcuts
        ).run()
        found = .keys(result.keys.map { names[item.className]?[$0] ?? "?" })
      } catch let error as QueryError {
        found = error.kind == .syntax ? .syntaxError : .error
        message = error.message
      }
      // It does not matter whether the parser or a later step reports an error.
      let isExpected =
        switch (expected, found) {
        case (.keys, _), (_, .keys): expected == found
        default: true
        }
      #expect(
        isExpected, "\(item.className): \(item.query) --> \(found), not \(expected) \(message)")
    }
  }
}
