import Foundation
import RealmModel
import RealmQuery
import RealmStorage
import TestSupport

/// Queries on an undamaged realm, and valid queries on damaged ones.
struct Queries: Sendable {
  private static let classNames = ["Person", "Dog", "Note"]

  private let realm: Realm
  /// The words and symbols of the measured queries.
  private let pool: [[UInt8]]

  init() throws {
    realm = try Realm(path: MeasuredQuery.realm)
    let texts = try MeasuredQuery.all().map { Array($0.text.utf8) }
    pool = Array(Set(texts.flatMap { QueryMutation.tokens(of: $0) }))
      .sorted { $0.lexicographicallyPrecedes($1) }
  }

  func mutation(of text: [UInt8], seed: UInt64) -> [UInt8] {
    var mutation = QueryMutation(of: text, pool: pool, seed: seed)
    return mutation.make()
  }

  private static let arguments: [QueryArgument] = [
    .value(.int(30)), .value(.string("Ann")), .value(.list([.int(20), .int(40), .null])),
    .value(.null), .value(.string("dog.name")), .value(.double(1.5)), .objectKey(ObjectKey(1)),
  ]

  /// Parses `bytes` without the first one, which selects the class, as a query and as paths, and runs it.
  func run(_ bytes: [UInt8]) throws {
    guard let first = bytes.first else { return }
    let name = Queries.classNames[Int(first) % Queries.classNames.count]
    let text = String(decoding: bytes.dropFirst(), as: UTF8.self)
    let schema = realm.schema.objects
    do throws(QueryError) {
      _ = try QueryPath.paths(text, ofClass: name, in: schema)
    } catch {
      try check(error, text)
    }
    do {
      let query = try Query(text, ofClass: name, in: schema, arguments: Queries.arguments)
      _ = try query.run(in: realm, jobs: 1)
    } catch let error as QueryError {
      try check(error, text)
    }
  }

  /// The place of an error is in the query, and there is a hint.
  private func check(_ error: QueryError, _ text: String) throws {
    guard error.range.upperBound <= text.utf8.count else {
      throw FuzzFailure("the place of the error is outside of the text: \(error)")
    }
    guard !error.hint.isEmpty else { throw FuzzFailure("the error has no hint: \(error)") }
  }

  /// Queries some properties of a realm.
  ///
  /// - Parameter choice: selects one of several ways.
  static func run(on path: String, key: RealmKey?, choice: Int) throws {
    let realm = try Realm(path: path, key: key)
    let schema = realm.schema.objects
    for position in schema.appClasses {
      let objectClass = schema.classes[position]
      for property in objectClass.properties.prefix(8) {
        let name = property.name.text.replacingOccurrences(of: " ", with: "\\ ")
        let texts = [
          "\(name) == null SORT(\(name) DESC)", "\(name).@count > 1", "ANY \(name) != 1",
          "\(name) CONTAINS[c] 'a' || @links.@count > 0", "ALL \(name) == 'a' LIMIT(3)",
          "\(name) TEXT 'a'", "\(name) == 1 DISTINCT(\(name))",
        ]
        do {
          let query = try Query(
            texts[choice % texts.count], ofClass: objectClass.name.text, in: schema)
          _ = try query.run(in: realm, jobs: 1)
        } catch is QueryError {
          // Most queries do not match the type of the property.
        }
      }
    }
  }
}
