import Foundation
import RealmModel
import TestSupport
import Testing

@testable import RealmQuery

/// Results on `Tests/Fixtures/query/items.realm`, by primary key. Unless a table says otherwise, the reference
/// found them.
@Suite("Results on items")
struct ItemResultsTests {
  /// NaN in aggregates does not count among values of one type, and counts among mixed values.
  // swift-format-ignore
  private static let aggregates: [(query: String, result: String)] = [
    ("ld.@sum > 0", "1,3,4,5,6,8,9,12"),
    ("ld.@avg > 0.9", "1,3,4,12"),
    ("ld.@avg == null", "7,10,11,14,15"),
    ("ld.@min < 0", "2,6,8,13,16"),
    ("lf.@sum > 1", "1,7,8,13,16"),
    ("lf.@avg == 0.5", "2,3,5,10"),
    ("lf.@max == null", "4,6,9,11,12,14,15"),
    ("lx.@sum == 2.5", "6,11"),
    ("lx.@avg > 1", "6,8,9,11"),
    ("dd.@sum > 0", "7,9,10,11,15,16"),
    ("dd.@avg == 0.5", "7,9,10,11,16"),
    ("dd.@min == nan", "4,5,13,16"),
    ("dd.@max == nan", ""),
    ("df.@sum > 0", "1,3,5,9,10,12,14"),
    ("df.@min == nan", "2,4,5,11,13"),
    ("dm.@sum == nan", "2"),
    ("dm.@min == nan", "2"),
    ("lm.@sum == nan", "11"),
    ("lm.@avg == nan", "11"),
    ("lm.@min == nan", "11"),
    ("lm.@max == nan", ""),
    ("lm.@sum > 0", "8,12,14"),
    ("lm.@max > 0", ""),
    ("ps.@sum.d > 0", "5,6,8,9,11,12,13,15"),
    ("ps.@avg.d == 0.5", "9"),
    ("ps.@avg.d == null", "1,2,3,4,7,14"),
    ("ps.@min.d == nan", ""),
    ("ps.@sum.f > 1", "3,4,5,6"),
    ("ps.@sum.dec > 1", "4,6,16"),
    ("ps.@min.dec == nan", ""),
    ("ps.@sum.m == nan", "11"),
    ("ps.@avg.m == nan", "11"),
    ("ps.@min.m == nan", "11"),
    ("ps.@max.m > 0", "10"),
    ("p.ld.@avg == 0.5", "2,3,4,5,8,9"),
    ("ps.ld.@sum > 1", "4,7,9,10,11,16"),
    ("ps.dd.@min == nan", "3,4,5,6,7,9"),
    ("ps.lm.@sum == nan", ""),
  ]

  /// Paths with several values on both sides.
  // swift-format-ignore
  private static let paths: [(query: String, result: String)] = [
    ("ps.i < ps.d", "1,2,6,14"),
    ("ps.i == li", "1"),
    ("ps.i != li", "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16"),
    ("ANY ps.i == li", "4,7,9,13,16"),
    ("ALL ps.i == li", "1,2,7,9,14"),
    ("NONE ps.i == li", "1,2,3,5,6,8,10,11,12,14,15"),
    ("ALL ps.i < ps.d", "1,2,6,12,14"),
    ("ANY ps.i < ANY ps.d", "6,11,12,13,16"),
    ("NONE ps.i < ps.d", "1,2,3,4,5,7,8,9,10,14,15"),
    ("pd.s == ps.s", ""),
    ("ANY pd.s == ps.s", "5,13,16"),
    ("@links.Item.ps.i <= @links.Item.ps.i", "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16"),
    ("@links.Item.ps.i < @links.Item.ps.i", "8,11,14"),
    ("ANY @links.Item.ps.i < @links.Item.ps.i", "2,4,5,6,12,15"),
    ("ps.i < @links.Item.ps.i", "10,14"),
    ("ALL ps.i <= @links.Item.ps.i", "1,2,4,5,6,9,10,12,13,14,15"),
    ("ps == @links.Item.p", "1"),
    ("ps != @links.Item.p", "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16"),
    ("ANY ps == @links.Item.p", "5"),
    ("ALL ps == @links.Item.p", "1,2,14"),
    ("ps == pd", ""),
    ("ANY ps == pd", "5"),
    ("ANY ps IN pd", "5"),
    ("ps.i IN li", "1"),
    ("ANY ps.i IN li", "4,7,9,13,16"),
    ("li.@size == ls.@size", "11,13"),
    ("ls.length == ps.i", ""),
    ("ANY ls.length == ps.i", "4,6,10,11,12,13,16"),
    ("ps.li == ps.i", "1,2,6,14"),
    ("ANY ps.li == ps.i", "5,6,7,9,11,12,13,16"),
    ("ALL ps.li == ps.i", "1,2,4,5,6,10,11,14,16"),
    ("NONE ps.li < ps.i", "1,2,4,5,6,10,11,12,13,14,16"),
    ("ALL ps.i < ps.li", "1,2,4,8,11,12,13,14,15,16"),
    ("ps.li.@sum == ps.i", "1,2,6,10,14"),
    ("ps.li.@size == ps.ls.@size", "1,2,14"),
    ("ps.s CONTAINS pd.s", "10"),
    ("ANY ps.s CONTAINS pd.s", "5,8,10,13,16"),
    ("ALL ps.s BEGINSWITH ls", "1,2,4,6,14,15"),
    ("ANY ps.s ==[c] pd.s", "5,13,16"),
    ("ps.m == pd.m", ""),
    ("m[*] == li", "12"),
    ("ALL ps.m[*] == lm", "1,2,3,5,6,9,10,11,12,13,14,16"),
    ("m == m", "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16"),
    ("m != m", ""),
    ("li + 1 == lio", "10,12"),
    ("li == lio", "error"),
    ("ANY li == lio", "error"),
    ("li == di.@values", "error"),
    ("li[0] == lio[0]", "error"),
    ("di.a == dm.a", "error"),
    ("dm.a.@keys == ls", "error"),
  ]

  /// Sizes of elements, entries of dictionaries, and steps into mixed values.
  // swift-format-ignore
  private static let steps: [(query: String, result: String)] = [
    ("ls.length == 0", "2,3,4,6,9,10,11,12,13,14"),
    ("ls.length == null", ""),
    ("ALL ls.length < 2", "1,2,4,5,7,8,9,10,11,12,15"),
    ("NONE ls.length == 0", "1,5,7,8,15,16"),
    ("lb.length == 0", "1,2,3,5,6,7,9,10"),
    ("lm.length == 1", "13"),
    ("ALL lm.length > 0", "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16"),
    ("p.ls.length == 0", "3,6,8,10,11,14,16"),
    ("ps.ls.length == {0,0}", ""),
    ("ALL ps.ls.length < 2", "1,2,3,5,7,8,9,10,14,15"),
    ("ps.li.@size == {1,2}", ""),
    ("di.a IN {1, 2}", "14"),
    ("di.a < {1, 2}", "5,7,10,14"),
    ("di.a != {1, 1}", "1,2,3,4,5,6,7,8,9,10,11,12,13,15,16"),
    ("dm.a.k IN {1, 2}", ""),
    ("p.di.a IN {1, 2}", "11"),
    ("ps.di.a IN {1, 2}", ""),
    ("ps.di.a IN {1}", ""),
    ("ANY ps.di.a IN {1, 2}", ""),
    ("ps.i IN {1, 2}", ""),
    ("ANY ps.i IN {1, 2}", "4,8,11,12,13,15,16"),
    ("m.a == null", "5,11,13"),
    ("m.k == null", "7"),
    ("m.a.@type == 'null'", "5,11,13"),
    ("m.a.k == null", ""),
    ("dm.a.k == null", "1"),
    ("dm.a[0] == null", ""),
    ("lm[*].a == null", "5,8,10"),
    ("lm[*].a != 1", "2,3,5,8,10"),
    ("ALL m[*].a == 1", "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16"),
    ("ALL ps.m[*] == 1", "1,2,5,6,9,10,11,12,13,14,16"),
    ("NONE ps.m[*] == 1", "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16"),
    ("ALL ps.m.a == 1", "1,2,4,5,6,9,10,11,12,13,14,16"),
    ("ALL lm[*].a == 1", "1,2,4,5,6,7,8,9,11,12,13,14,15,16"),
    ("NONE ps.lm[*][*] == 1", "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16"),
    ("ALL ps.m[*].@type == 'int'", "1,2,5,6,9,10,11,12,13,14,16"),
    ("NONE dm.a.@keys == 'k'", "1,2,4,5,6,7,8,9,10,11,13,14,15,16"),
    ("m IN {nan, 'ab'}", "3,15"),
    ("d IN {nan, 'ab', 0.5}", "6,9"),
    ("m IN {'ab', 1}", "15"),
    ("ss[*] == 'a'", "error"),
    ("ss == 'a'", "12,14"),
    ("ps.li[*] BETWEEN {1, 2}", "error"),
    ("p.li BETWEEN {1, 2}", "error"),
    ("ALL p.li BETWEEN {1, 2}", "1,2,4,5,7,9,11,13,15"),
    ("pd.di['a'] BETWEEN {1, 2}", "error"),
    ("li.@count BETWEEN {1, 2}", "3,5,6,8,11,13,14,15,16"),
    ("ps.i BETWEEN {1, 2}", "4,8,11,12,13,15,16"),
    ("m.a.k != 1", ""),
    ("ALL m[*][*] == 1", "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16"),
    ("m[*][*] == 1", ""),
    ("dm.a.k != 1", "1,3,12"),
  ]

  /// Results that deliberately differ from the reference, read by hand from the items.
  // swift-format-ignore
  private static let corrected: [(query: String, result: String)] = [
    ("NONE di.a == 1", "1,2,3,4,5,6,7,8,9,10,11,12,13,15,16"),
    ("b IN {'a'}", ""),
    ("d IN {'a'}", ""),
    ("i IN {'a'}", ""),
    ("i BETWEEN {'a', 2}", "error"),
    ("ls !=[c] {'B'}", "2,3,4,5,6,7,8,9,10,11,12,13,14,15,16"),
    ("m - 0.5 == null", "1,2,4,5,6,7,8,9,10,11,13,14,15"),
    ("1 IN m[*]", "1,10"),
    ("ANY di.@keys == ls", "1,2,3,6"),
    ("ls.length BETWEEN {0, 0}", "2,3,4,6,9,10,11,12,13,14"),
    ("ANY lio < {1, 1, 1}", "1,2,5,7,8,15"),
  ]

  @Test("aggregates skip NaN as the reference does", arguments: aggregates)
  func noNumbers(_ item: (query: String, result: String)) throws {
    try expect(item.query, item.result)
  }

  @Test("two paths with several values compare as in the reference", arguments: paths)
  func bothSides(_ item: (query: String, result: String)) throws {
    try expect(item.query, item.result)
  }

  @Test("sizes, entries and steps have the results of the reference", arguments: steps)
  func elements(_ item: (query: String, result: String)) throws {
    try expect(item.query, item.result)
  }

  @Test("results that are wrong in the reference are right", arguments: corrected)
  func right(_ item: (query: String, result: String)) throws {
    try expect(item.query, item.result)
  }

  /// With indexes and sets of linked objects, and without them.
  private func expect(_ query: String, _ result: String) throws {
    for usesShortcuts in [true, false] {
      #expect(try found(query, usesShortcuts) == result)
    }
  }

  private func found(_ query: String, _ usesShortcuts: Bool) throws -> String {
    let path = packageFolder.appending(path: "Tests/Fixtures/query/items.realm").path
    let realm = try Realm(path: path)
    do {
      let query = try Query(query, ofClass: "Item", in: realm.schema.objects)
      let run = QueryRun(realm, query.resolved, jobs: 2, usesShortcuts: usesShortcuts)
      let keys = Set(try run.run().keys)
      let objects = try #require(try realm.objects(ofClass: "Item"))
      var found: [String] = []
      while let object = try objects.next() {
        guard keys.contains(object.key), case .int(let id) = try object.value(of: "_id") else {
          continue
        }
        found.append("\(id)")
      }
      return found.joined(separator: ",")
    } catch is QueryError {
      return "error"
    }
  }
}
