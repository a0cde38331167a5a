import Foundation
import TestSupport
import Testing

/// Dictionaries and nested values that no realm can have.
@Suite("Wrong entries of collections")
struct BadEntryTests {
  /// A schema with dictionaries and a set in a class without primary key.
  private static let dictionaries =
    #"[{"name":"A","properties":{"d":"int{}","m":"mixed","k":{"type":"int","collection":"dictionary","keyType":"int"},"s":"mixed<>"}}]"#

  static let entries: [BadForeignTextTests.BadText] = [
    BadForeignTextTests.BadText(
      "a key of a dictionary twice", #"{"d":{"a":1,"b":2,"\u0061":3}}"#,
      "line 1, column 19, /d/a, class A.d: the object has two members named a"),
    BadForeignTextTests.BadText(
      "an int key twice", #"{"k":{"1":1,"2":2,"01":3}}"#,
      "line 1, column 19, /k/01, class A.k: the object has two members named 1"),
    BadForeignTextTests.BadText(
      "a key of a nested dictionary twice", #"{"m":[1,{"x":{"q":1,"q":2}}]}"#,
      "line 1, column 21, /m/1/x/q, class A.m: the object has two members named q"),
    BadForeignTextTests.BadText(
      "a key of a pair twice", #"{"d":{"$dictionary":[["a",1],["b",1],["a",1]]}}"#,
      "line 1, column 39, /d/$dictionary/2/0, class A.d: the object has two members named a"),
    BadForeignTextTests.BadText(
      "a list in a set", #"{"s":[1,[2]]}"#,
      "line 1, column 9, /s/1, class A.s: a set cannot hold lists and dictionaries"),
    BadForeignTextTests.BadText(
      "a dictionary in a set", #"{"s":[{"a":1}]}"#,
      "line 1, column 7, /s/0, class A.s: a set cannot hold lists and dictionaries"),
    BadForeignTextTests.BadText(
      "nesting of 101 levels",
      "{\"m\":" + String(repeating: "[", count: 101) + String(repeating: "]", count: 101) + "}",
      "line 1, column 106, /m" + String(repeating: "/0", count: 100)
        + ", class A.m: lists and dictionaries of a mixed value are nested deeper than 100 levels"),
  ]

  @Test("entries of dictionaries and nested values that are wrong have a place", arguments: entries)
  func wrongEntries(text: BadForeignTextTests.BadText) throws {
    let foreign = try ForeignImport().write(BadEntryTests.dictionaries, to: "s.json")
    try foreign.folder.write(text.text, to: "A.ndjson")
    let line = try foreign.failure("A.ndjson", "--schema", "s.json")
    #expect(line == "realm-cli: A.ndjson: \(text.message)")
  }

  @Test("100 levels of a mixed value are not too deep")
  func deepest() throws {
    let foreign = try ForeignImport().write(BadEntryTests.dictionaries, to: "s.json")
    let value = String(repeating: "[", count: 100) + String(repeating: "]", count: 100)
    try foreign.write("{\"d\":{},\"m\":\(value),\"k\":{}}\n", to: "A.ndjson")
    #expect(
      try foreign.objects("A.ndjson", "--schema", "s.json")
        == [#"{"class":"A","object":{"_key":0,"d":{},"m":\#(value),"k":{},"s":[]}}"#])
  }
}
