import Foundation
import RealmModel
import RealmStorage
import TestSupport
import Testing

@testable import RealmQuery

/// Orders by links and over links, against the results of the reference.
@Suite("Order by links")
struct OrderingTests {
  @Test(
    "a link at the end of a path is a value, and null links before it have none",
    arguments: [
      ("SORT(boss ASC)", [1, 3, 2, 5, 4]), ("SORT(boss DESC)", [4, 5, 2, 1, 3]),
      ("SORT(dog ASC)", [3, 5, 1, 2, 4]), ("SORT(address ASC)", [2, 3, 4, 5, 1]),
      ("SORT(boss.dog ASC)", [4, 2, 5, 1, 3]), ("SORT(pets.main ASC)", [2, 3, 4, 5, 1]),
      ("DISTINCT(boss.dog)", [2, 4, 5]), ("DISTINCT(boss.boss)", [2, 5]),
      ("DISTINCT(boss.address)", [2, 4]),
    ] as [(String, [Int64])])
  func order(text: String, expected: [Int64]) throws {
    let realm = try Realm(path: MeasuredQuery.realm)
    let query = try Query("TRUEPREDICATE \(text)", ofClass: "Person", in: realm.schema.objects)
    var numbers: [ObjectKey: Int64] = [:]
    let objects = try #require(try realm.objects(ofClass: "Person"))
    while let object = try objects.next() {
      if case .int(let number) = try object.value(of: "_id") { numbers[object.key] = number }
    }
    #expect(try query.run(in: realm).keys.map { numbers[$0] } == expected)
  }

  @Test("sets of linked objects together are limited")
  func setLimit() throws {
    let realm = try Realm(path: MeasuredQuery.realm)
    // There are three dogs.
    let query = try Query(
      "dog.name != 'a' && dog.name != 'b' && dog.name != 'c'", ofClass: "Person",
      in: realm.schema.objects)
    func scans(_ limit: Int) throws -> (linked: Int, keys: [ObjectKey]) {
      var planner = QueryPlanner(realm, jobs: 1, usesShortcuts: true, setLimit: limit)
      let keys = try planner.find(
        query.resolved.condition, realm.schema.tables[query.classPosition], isLinked: false)
      return (planner.steps.count { $0.kind == .linkedScan(className: "Dog") }, keys)
    }
    let (none, few, many) = (try scans(2), try scans(8), try scans(9))
    #expect(none.linked == 0 && few.linked == 2 && many.linked == 3)
    #expect(few.keys == many.keys && none.keys == many.keys)
  }
}
