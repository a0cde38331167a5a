import Foundation
import TestSupport
import Testing

/// Object keys that a class cannot have.
@Suite("Wrong object keys in Realm JSON")
struct BadKeyTests {
  /// The objects, from line 2 on, and the message after the name of the file.
  static let wrongKeys: [(objects: [String], message: String)] = [
    (
      [#"{"_key":5,"x":1}"#, #"{"_key":5,"x":2}"#],
      "line 3, column 1, class Q: the object key 5 follows the key 5; the object keys of a class must ascend"
    ),
    (
      [#"{"_key":1}"#, #"{"_key":5}"#, #"{"_key":5}"#, #"{"_key":7}"#],
      "line 4, column 1, class Q: the object key 5 follows the key 5; the object keys of a class must ascend"
    ),
    (
      [#"{"_key":1}"#, #"{"_key":5}"#, #"{"_key":4}"#, #"{"_key":7}"#],
      "line 4, column 1, class Q: the object key 4 follows the key 5; the object keys of a class must ascend"
    ),
    (
      [#"{"_key":1}"#, #"{"_key":5}"#, #"{"x":2}"#, #"{"_key":7}"#],
      "line 4, column 23, /object, class Q: the object has no object key, but the objects of the class before it have "
        + "one"
    ),
    (
      [#"{"x":1}"#, #"{"_key":7}"#, #"{"x":2}"#],
      "line 3, column 23, /object, class Q: the object has an object key, but the objects of the class before it have "
        + "none"
    ),
    // A batch has 256 objects.
    (
      (0..<256).map { "{\"_key\":\($0)}" } + [#"{"x":1}"#, #"{"_key":300}"#],
      "line 258, column 23, /object, class Q: the object has no object key, but the objects of the class before it "
        + "have one"
    ),
    // A part has up to 4 MB.
    (
      [#"{"_key":1,"s":""# + String(repeating: "a", count: 5 << 20) + #""}"#, #"{"x":1}"#],
      "line 3, column 1, class Q: the object has no object key, but the objects of the class before it have one"
    ),
  ]

  @Test(
    "the error has the line of the object with the wrong key, or without one", arguments: wrongKeys)
  func place(example: (objects: [String], message: String)) throws {
    let foreign = try ForeignImport()
    let lines = example.objects.map { "{\"class\":\"Q\",\"object\":\($0)}\n" }
    try foreign.write(
      #"{"realm":{"format":"realm-json","version":1,"schemaVersion":0},"schema":["#
        + #"{"name":"Q","keyMember":"_key","properties":{"x":"int?","s":"string?"}}]}"# + "\n"
        + lines.joined() + "{\"counts\":{\"Q\":\(lines.count)}}\n", to: "q.ndjson")
    #expect(try foreign.failure("q.ndjson") == "realm-cli: q.ndjson: \(example.message)")
  }
}
