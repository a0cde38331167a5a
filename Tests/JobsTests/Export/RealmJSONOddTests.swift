import Foundation
import RealmInterchange
import RealmModel
import TestJobs
import TestSupport
import Testing

/// Data that no app writes but the format allows, made by changing bytes of golden realms.
@Suite("Odd data in Realm JSON")
struct RealmJSONOddTests {
  /// The export of a golden realm in which `old` was replaced by `new`, of the same length,
  /// wherever it stands.
  private func document(
    _ name: String, replacing old: [UInt8], with new: [UInt8]
  ) throws -> JSONValue {
    precondition(old.count == new.count)
    var bytes = Data(try Golden.bytes("\(name).realm"))
    var position = bytes.startIndex
    var count = 0
    while let range = bytes.range(of: Data(old), in: position..<bytes.endIndex) {
      bytes.replaceSubrange(range, with: new)
      position = range.upperBound
      count += 1
    }
    try #require(count > 0)
    let folder = try TemporaryFolder()
    let path = try folder.write([UInt8](bytes), to: "odd.realm")
    return try JSONParser.parse(try export(path, as: .json).bytes)
  }

  private func document(
    _ name: String, replacing old: String, with new: String
  ) throws -> JSONValue {
    try document(name, replacing: Array(old.utf8), with: Array(new.utf8))
  }

  private func schema(_ document: JSONValue, _ name: String) -> JSONValue? {
    document["schema"]?.array?.first { $0["name"]?.string == name }
  }

  @Test("a class with the name of a type is written in the long form")
  func classCalledInt() throws {
    let document = try document("links", replacing: "class_Dog", with: "class_int")
    #expect(
      schema(document, "Person")?["properties"]?["dogs"]
        == (try JSONParser.parse(
          #"{"type":"object","objectType":"int","collection":"list"}"#)))
    #expect(
      document["objects"]?["Person"]?[0]?["any"]
        == (try JSONParser.parse(#"{"$link":{"class":"int","id":0}}"#)))
  }

  @Test("a property with the name of the key member makes the key member's name longer")
  func propertyCalledLikeKeyMember() throws {
    let document = try document("links", replacing: "name\0", with: "_key\0")
    #expect(schema(document, "Dog")?["keyMember"]?.string == "__key")
    #expect(document["objects"]?["Dog"]?[1]?.names.prefix(2) == ["__key", "_key"])
    #expect(document["objects"]?["Dog"]?[1]?["__key"] == .number("1"))
  }

  @Test("a string that is not UTF-8 is base64")
  func oddString() throws {
    let document = try document(
      "names-v0", replacing: Array("Frodo".utf8), with: [0xFF] + Array("rodo".utf8))
    #expect(
      document["objects"]?["Person"]?[1]?["firstName"]
        == (try JSONParser.parse(#"{"$string":{"base64":"/3JvZG8="}}"#)))
  }

  @Test("the name of a property that is not UTF-8 is base64")
  func oddName() throws {
    let document = try document(
      "names-v0", replacing: Array("lastName".utf8), with: [0xFF] + Array("astName".utf8))
    #expect(
      document["objects"]?["Person"]?[1]?.names
        == ["_key", "firstName", "$base64:/2FzdE5hbWU=", "age"])
  }

  @Test("the name of a class that is not UTF-8 is base64, also in a link")
  func oddClassName() throws {
    let document = try document(
      "links", replacing: Array("class_Dog".utf8), with: Array("class_Do".utf8) + [0xFF])
    #expect(document["objects"]?.names == ["$base64:RG//", "Person"])
    #expect(
      document["objects"]?["Person"]?[0]?["any"]
        == (try JSONParser.parse(#"{"$link":{"class":{"$string":{"base64":"RG//"}},"id":0}}"#)))
  }

  @Test("a dictionary in a mixed value with a key like a wrapper is wrapped, and in order")
  func wrapperAsKey() throws {
    let document = try document("nested-mixed", replacing: "name", with: "$oid")
    let dictionary = document["objects"]?["Doc"]?[0]?["any"]
    #expect(dictionary?.names == ["$dictionary"])
    #expect(dictionary?["$dictionary"]?.names == ["$oid", "items", "x"])
    #expect(dictionary?["$dictionary"]?["$oid"]?.string == "n0")
  }

  @Test("a dictionary with a key that is not UTF-8 is pairs, in order")
  func oddKey() throws {
    let document = try document(
      "nested-mixed", replacing: Array("name".utf8), with: [0xFF] + Array("ame".utf8))
    let pairs = document["objects"]?["Doc"]?[0]?["any"]?["$dictionary"]?.array
    #expect(pairs?.map { $0[0] } == [.string("items"), .string("x"), oddKeyText])
    #expect(pairs?.last?[1] == .string("n0"))
  }

  private var oddKeyText: JSONValue {
    .object([.init("$string", .object([.init("base64", .string("/2FtZQ=="))]))])
  }

  @Test("a NaN with a payload is written with its bits")
  func payload() throws {
    let document = try document(
      "all-types", replacing: [0, 0, 0, 0, 0, 0, 0xF8, 0x7F],
      with: [1, 0, 0, 0, 0, 0, 0xF8, 0x7F])
    let expected = try JSONParser.parse(
      #"{"$numberDouble":"NaN","$bits":"7ff8000000000001"}"#)
    let doubles = document["objects"]?["Lists"]?.array?.flatMap { $0["double"]?.array ?? [] }
    #expect(doubles?.contains(expected) == true)
    #expect(
      doubles?.contains { $0.names == ["$numberDouble"] && $0["$numberDouble"]?.string == "NaN" }
        == false)
  }
}
