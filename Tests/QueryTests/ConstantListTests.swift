import RealmModel
import TestSupport
import Testing

@testable import RealmQuery

/// Comparisons of several values with a list, with the results of the reference on the realm of the measured
/// results.
@Suite("Lists of constants")
struct ConstantListTests {
  // swift-format-ignore
  private static let queries: [(className: String, query: String, result: String)] = [
    ("Person", "1 IN friends.dogs.@count", "error"),
    ("Person", "1 IN boss.friends.@count", "error"),
    ("Person", "1 IN friends.name.@size", "error"),
    ("Person", "3 IN friends.scores.@size", "error"),
    ("Person", "{1} == friends.dogs.@count", ""),
    ("Person", "{0,0} == friends.dogs.@count", "1"),
    ("Person", "friends.dogs.@count == {0,0}", "1"),
    ("Person", "friends.dogs.@count + 1 == {1,1}", "1"),
    ("Person", "friends.dogs.@count + 1 == {1}", ""),
    ("Person", "1 + friends.dogs.@count == 1", "1"),
    ("Person", "friends.dogs.@count + scores == 1", "error"),
    ("Person", "friends.dogs.@count + friends.age == 1", "error"),
    ("Person", "friends.dogs.@count + friends.dogs.@count == 1", "error"),
    ("Person", "friends.dogs.@count + words.@size == 1", ""),
    ("Person", "boss.friends.@count + scores == 1", "error"),
    ("Person", "boss.friends.@count + boss.friends.@count == 2", "error"),
    ("Person", "friends.scores.@size + scores == 1", "error"),
    ("Person", "friends.scores.@size == {3,0}", ""),
    ("Person", "friends.scores.@size == {0,3}", ""),
    ("Person", "mix[*].@size == {3}", ""),
    ("Person", "mix[*].@size == {null,3,null}", "4"),
    ("Person", "mix[*].@size == {1}", ""),
    ("Person", "anys[*].@size == {1}", ""),
    ("Person", "anys.@size == {1}", ""),
    ("Person", "friends.mix.@size == {1}", ""),
    ("Person", "friends._id == {2}", "1"),
    ("Person", "friends._id == {2,3}", "1"),
    ("Person", "friends._id IN {2}", "1"),
    ("Person", "ALL friends._id == {1}", "2,3,4,5"),
    ("Person", "ANY friends._id == {1}", "2"),
    ("Person", "friends._id == {1.0}", "2"),
    ("Person", "friends.age == {20.0}", "1"),
    ("Person", "friends.age == {30}", "2"),
    ("Person", "friends.age IN {20}", "1"),
    ("Person", "friends.age != {30}", "1,3,4,5"),
    ("Person", "friends.age == ANY {20}", "1"),
    ("Person", "friends.age == ALL {20}", "1"),
    ("Person", "friends.age == NONE {20}", "1,2"),
    ("Person", "{20} == friends.age", "1"),
    ("Person", "boss.friends.age == {20}", "2"),
    ("Person", "friends.name.@size == {3,null}", "1"),
    ("Person", "scores == NONE {1,2,3}", "2"),
    ("Person", "scores == NONE {5}", "1,2,4"),
    ("Person", "scores == ALL {5}", "2"),
    ("Person", "scores == ALL {1,2}", ""),
    ("Person", "scores != NONE {1,2,3,4}", ""),
    ("Person", "scores > ALL {1,2}", "1,2,4"),
    ("Person", "scores > NONE {1,2}", "1,2"),
    ("Person", "scores > ANY {1,2}", "1,2,4"),
    ("Person", "friends.age == NONE {20,30}", "1"),
    ("Person", "mix[1].@size == {3,4}", ""),
    ("Person", "mix.l.@size == {1,2}", ""),
    ("Person", "NONE {1,2,3} == scores", "2,3,5"),
    ("Person", "ALL {1,2,3} == scores", "1"),
    ("Person", "NONE {20} == friends.age", "2,3,4,5"),
    ("Person", "{1,2,3} == ALL scores", "3,4,5"),
    ("Person", "{1,2,3} == NONE scores", "2,3,4,5"),
    ("Person", "{1,2,3} == ANY scores", "1,4"),
    ("Person", "age == NONE scores", "1,2,3,4,5"),
    ("Person", "age == ALL scores", "3,5"),
    ("Person", "age == ALL {30}", "1"),
    ("Person", "age == NONE {30}", "2,3,4,5"),
    ("Person", "boss.dogs.@size == {0,1,2,3}", ""),
    ("Person", "boss.friends.@count IN {2,3}", ""),
    ("Person", "boss.friends.@count > {1,2}", ""),
    ("Person", "friends.dogs.@count != {0}", "1,2,3,4,5"),
    ("Person", "friends.@links.@count == {1,2}", "2"),
    ("Person", "friends.@links.@count == {2}", "2"),
    ("Person", "friends.name.@size == {3,4}", ""),
    ("Person", "dog.@links.Person.dogs.@count == {1,2,3}", ""),
    ("Person", "dogs.name.@size == {1,2,3}", ""),
    ("Person", "dogs.name.@size == {3,4}", "1"),
    ("Person", "ANY dogs.name.@size == {3}", ""),
    ("Person", "ALL dogs.name.@size == {3}", ""),
    ("Person", "boss.friends.@count == {1,2}", ""),
    ("Person", "friends.friends.@count == {1}", ""),
    ("Dog", "@links.Person.dogs.age == {30}", "rex,fido"),
    ("Person", "name BEGINSWITH ALL {'A','B'}", ""),
    ("Person", "words BEGINSWITH ALL {'a','b'}", ""),
    ("Person", "words BEGINSWITH NONE {'a','b'}", "1,2"),
    ("Person", "friends.name CONTAINS NONE {'n'}", "1"),
    ("Person", "{'Ann'} CONTAINS NONE words", "1,2,3,4,5"),
    ("Person", "scores IN NONE {5}", "1,2,4"),
    ("Person", "scores IN ALL {5}", "2"),
    ("Person", "friends.@links.@count == 2", "2"),
    ("Person", "friends.@links.@count == 0", "3,4,5"),
    ("Person", "dogs.@links.@count == 0", "2,3"),
    ("Person", "dogs.@links.@count == 7", "1"),
    ("Person", "dogs.@links.@count == {4,3}", "5"),
    ("Person", "dogs.@links.@count == {7,8}", "1"),
    ("Person", "dogs.@links.@count == 7 + 0", "1"),
    ("Person", "dogs.@links.@count + scores == 8", "1"),
    ("Person", "boss.@links.@count == 0", "1,3"),
    ("Person", "boss.@links.@count == 2", "2,4,5"),
    ("Person", "ANY dogs.@links.@count == 7", "1"),
    ("Person", "ALL dogs.@links.@count == 7", "1"),
    ("Person", "friends.friends.@links.@count == 2", "1"),
    ("Dog", "@links.Person.dogs.@links.@count == 2", "rex,fido"),
    ("Dog", "@links.Person.dogs.@links.@count > 0", "rex,fido"),
  ]

  @Test(
    "each comparison finds what the reference finds, or is an error in both",
    arguments: queries)
  func comparison(_ item: (className: String, query: String, result: String)) throws {
    let realm = try Realm(path: MeasuredQuery.realm)
    var found: [String] = []
    do {
      let query = try Query(item.query, ofClass: item.className, in: realm.schema.objects)
      let keys = Set(try query.run(in: realm).keys)
      let objects = try #require(try realm.objects(ofClass: item.className))
      while let object = try objects.next() {
        guard keys.contains(object.key) else { continue }
        switch try object.value(of: "_id") {
        case .int(let number): found.append("\(number)")
        case .string(let text): found.append(text)
        default: Issue.record("\(object.key.raw) has no primary key")
        }
      }
    } catch is QueryError {
      found = ["error"]
    }
    #expect(found.joined(separator: ",") == item.result)
  }
}
