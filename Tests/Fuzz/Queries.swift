import Foundation
import RealmBuilding
import RealmModel
import RealmQuery
import RealmStorage
import TestSupport

/// Mutated queries on an undamaged realm, and valid queries on mutated realms.
struct Queries {
  private let realm: Realm
  /// The measured queries.
  let texts: [(name: String, bytes: [UInt8])]
  private let pool: [[UInt8]]

  /// - Parameter path: the realm of the queries.
  init(_ path: String, key: RealmKey?) throws {
    realm = try Realm(path: path, key: key)
    let queries = try MeasuredQuery.all()
    texts = queries.map { ($0.className, Array($0.text.utf8)) }
    pool = Array(Set(texts.flatMap { QueryMutation.tokens(of: $0.bytes) }))
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

  /// Parses a string as a query and as paths, and runs it.
  func run(_ text: [UInt8], ofClass name: String, seed: Int) throws {
    let text = String(decoding: text, as: UTF8.self)
    let schema = realm.schema.objects
    do throws(QueryError) {
      _ = try QueryPath.paths(text, ofClass: name, in: schema)
    } catch {
      check(error, text)
    }
    do {
      let query = try Query(text, ofClass: name, in: schema, arguments: Queries.arguments)
      _ = try query.run(in: realm, jobs: seed % 2 + 1)
    } catch let error as QueryError {
      check(error, text)
    }
  }

  /// The place of an error is in the query, and there is a hint.
  private func check(_ error: QueryError, _ text: String) {
    precondition(error.range.upperBound <= text.utf8.count, "the place is outside of the text")
    precondition(!error.hint.isEmpty, "the error has no hint")
  }

  /// Queries every property of a realm in several ways.
  static func run(on path: String, key: RealmKey?, seed: Int) throws {
    let realm = try Realm(path: path, key: key)
    let schema = realm.schema.objects
    for position in schema.appClasses {
      let objectClass = schema.classes[position]
      for property in objectClass.properties.prefix(8) {
        let name = property.name.text.replacingOccurrences(of: " ", with: "\\ ")
        for text in [
          "\(name) == null SORT(\(name) DESC)", "\(name).@count > 1", "ANY \(name) != 1",
          "\(name) CONTAINS[c] 'a' || @links.@count > 0", "ALL \(name) == 'a' LIMIT(3)",
          "\(name) TEXT 'a'", "\(name) == 1 DISTINCT(\(name))",
        ] {
          do {
            let query = try Query(text, ofClass: objectClass.name.text, in: schema)
            _ = try query.run(in: realm, jobs: seed % 2 + 1)
          } catch is QueryError {
            // Most queries do not match the type of the property.
          }
        }
      }
    }
  }
}
