import Foundation
import TestSupport
import Testing

/// Invalid files of other programs, each with its message.
@Suite("Invalid files of other programs")
struct BadForeignTextTests {
  private static let schema =
    #"[{"name":"A","primaryKey":"_id","properties":{"_id":"int","s":"string","f":"float?","#
    + #""o":"objectId?","u":"uuid?","d":"date?","b":"data?","l":"A?","i":"int?","m":"mixed","#
    + #""t":"string[]","e":"E?","z":"bool?","n":"decimal128?"}},"#
    + #"{"name":"E","embedded":true,"properties":{"n":"int"}}]"#

  /// Invalid files, and a part of the first line of the message.
  struct BadText: Sendable, CustomTestStringConvertible {
    let name: String
    let text: [UInt8]
    let message: String

    init(_ name: String, _ text: String, _ message: String) {
      (self.name, self.text, self.message) = (name, Array(text.utf8), message)
    }

    init(_ name: String, bytes: [UInt8], _ message: String) {
      (self.name, text, self.message) = (name, bytes, message)
    }

    var testDescription: String { name }
  }

  private func check(_ text: BadText, as name: String) throws {
    let foreign = try ForeignImport().write(BadForeignTextTests.schema, to: "s.json")
    try foreign.folder.write(text.text, to: name)
    let line = try foreign.failure(name, "--schema", "s.json")
    #expect(line.hasPrefix("realm-cli: \(name): \(text.message)"), "\(line)")
  }

  static let fields: [BadText] = [
    BadText(
      "a row with too few fields", "_id,s\n1\n",
      "line 2, column 1: found 1 field, expected 2 as in the first line"),
    BadText(
      "a row with too many fields", "_id,s\n1,x,\n",
      "line 2, column 1: found 3 fields, expected 2 as in the first line"),
    BadText(
      "a quote that is not closed", "_id,s\n1,\"x\n2,y\n",
      "line 2, column 1: the input is incomplete: a quoted field is not closed"),
    BadText(
      "a quote in the middle of a field", "_id,s\n1,x\"y\n",
      "line 2, column 4: a field with a quote must be in quotes"),
    BadText(
      "text behind a closing quote", "_id,s\n1,\"x\"y\n",
      "line 2, column 6: expected a comma or the end of the line after the closing quote"),
    BadText("a column twice", "_id,s,_id\n", "line 1, column 7: two columns are named _id"),
    BadText("a column without name", "_id,,s\n", "line 1, column 5: column 2 has no name"),
    BadText("an empty file", "", "the input is empty"),
    BadText("only line ends", "\r\n\n", "the input is empty"),
    BadText(
      "a header that is not closed", "_id,\"s\n", "line 1, column 1: the input is incomplete"),
    BadText(
      "an unknown column", "_id,s,q\n1,x,2\n",
      "line 1, column 7, class A: the class has no property named q"),
    BadText(
      "a required property without a column", "_id\n1\n",
      "line 2, column 1, class A.s: the property has no value and is not optional"),
    BadText(
      "an int beyond 64 bits", "_id,s,i\n1,x,9223372036854775808\n",
      "line 2, column 5, /i, class A.i: 9223372036854775808 does not fit, expected an int of 64 bits"
    ),
    BadText(
      "a fraction for an int", "_id,s,i\n1,x,1.5\n",
      "line 2, column 5, /i, class A.i: found 1.5, expected an int"),
    BadText(
      "a double beyond a float", "_id,s,f\n1,x,1e39\n",
      "line 2, column 5, /f, class A.f: 1e39 does not fit, expected a float"),
    BadText(
      "words for a number", "_id,s,f\n1,x,one\n",
      "line 2, column 5, /f, class A.f: found one, expected a float"),
    BadText(
      "neither true nor false", "_id,s,z\n1,x,yes\n",
      "line 2, column 5, /z, class A.z: found yes, expected true or false"),
    BadText(
      "no decimal", "_id,s,n\n1,x,1.2.3\n",
      "line 2, column 5, /n, class A.n: found 1.2.3, expected a decimal of up to"),
    BadText(
      "null in required", "_id,s\n,x\n",
      "line 2, column 1, /_id, class A._id: found null, expected an int"),
    BadText(
      "duplicate primary key", "_id,s\n1,a\n2,\"b\nc\"\n1,d\n",
      "line 5, column 1, class A._id: the primary key 1 occurs twice, first in line 2"),
    BadText(
      "missing link target", "_id,s,l\n1,x,1\n2,y,77\n",
      "line 3, column 1, class A.l: the link refers to the A 77, which does not exist"),
    BadText(
      "invalid base64", "_id,s,b\n1,x,a*==\n",
      "line 2, column 5, /b, class A.b: found a*==, expected base64"),
    BadText(
      "invalid ObjectId", "_id,s,o\n1,x,\"123\"\n",
      "line 2, column 5, /o, class A.o: found \"123\", expected an ObjectId of 24 hexadecimal digits"
    ),
    BadText(
      "invalid UUID", "_id,s,u\n1,x,123\n",
      "line 2, column 5, /u, class A.u: found 123, expected a UUID as 8-4-4-4-12"),
    BadText(
      "a day that does not exist", "_id,s,d\n1,x,2023-02-30T00:00:00Z\n",
      "line 2, column 5, /d, class A.d: found 2023-02-30T00:00:00Z, expected a date such as 2023-11-14T22:13:20Z"
    ),
    BadText(
      "Latin-1", bytes: Array("_id,s\n1,caf".utf8) + [0xE9, 0x0A],
      "line 2, column 6: the input is in another encoding, expected UTF-8"),
    BadText(
      "UTF-16", bytes: [0xFF, 0xFE] + "_id,s\n".utf8.flatMap { [$0, 0] },
      "the input is UTF-16, expected UTF-8"),
    BadText(
      "no array for a list", "_id,s,t\n1,x,5\n",
      "line 2, column 5, /t, class A.t: found 5, expected an array"),
    BadText(
      "a wrong element", "_id,s,t\n1,x,\"[\"\"a\"\",2]\"\n",
      "line 2, column 5, /t/1, class A.t: found \"[\"\"a\"\",2]\", expected a string"),
    BadText(
      "wrong JSON in a field", "_id,s,e\n1,x,\"{\"\"n\"\":}\"\n",
      "line 2, column 5: this is not JSON: a value, comma, colon or bracket is wrong or missing"),
    BadText(
      "nesting of 10,000 levels, not closed",
      "_id,s,t\n1,x," + String(repeating: "[", count: 10_000) + "\n",
      "line 2, column 5: this is not JSON: arrays and objects are nested deeper than 512 levels"),
    BadText(
      "an array in a field that is not closed", "_id,s,t,o\n1,x,[1,\n",
      "line 2, column 5: this is not JSON: a value, comma, colon or bracket is wrong or missing"),
    BadText(
      "nesting of 10,000 levels",
      "_id,s,t\n1,x,\(String(repeating: "[", count: 10_000))\(String(repeating: "]", count: 10_000))\n",
      "line 2, column 5: this is not JSON: arrays and objects are nested deeper than 512 levels"),
  ]

  @Test("invalid CSV is refused with its place, and leaves no file", arguments: fields)
  func csv(text: BadText) throws { try check(text, as: "A.csv") }

  static let lines: [BadText] = [
    BadText(
      "invalid JSON", "{\"_id\":1,\"s\":\"x\"}\n{\"_id\":2,}\n",
      "line 2, column 10: this is not JSON: a value, comma, colon or bracket is wrong or missing"),
    BadText(
      "a line that is cut", "{\"_id\":1,\"s\":\"x\"}\n{\"_id\":2,\"s\":\"y",
      "line 2, column 16: the input is incomplete: an array, object or string is not closed"),
    BadText(
      "the only line is cut", "{\"_id\":1,\"s\":\"x",
      "line 1, column 16: the input is incomplete: an array, object or string is not closed"),
    BadText(
      "two objects in a line", "{\"_id\":1,\"s\":\"x\"}{\"_id\":2,\"s\":\"y\"}\n",
      "line 1, column 18: this is not JSON: found more after the end of the value"),
    BadText(
      "wrong type", "{\"_id\":1,\"s\":5}\n",
      "line 1, column 14, /s, class A.s: found 5, expected a string"),
    BadText(
      "an int beyond 64 bits",
      "{\"_id\":1,\"s\":\"x\",\"i\":{\"$numberLong\":\"9223372036854775808\"}}\n",
      "line 1, column 37, /i/$numberLong, class A.i: found \"9223372036854775808\", expected an int of 64 bits"
    ),
    BadText(
      "unknown property", "{\"_id\":1,\"s\":\"x\",\"q\":1}\n",
      "line 1, column 18, /q, class A: the class has no property named q"),
    BadText(
      "no object", "{\"_id\":1,\"s\":\"x\"}\n[1]\n",
      "line 2, column 1, class A: found [1], expected an object"),
    BadText(
      "a reference to an unknown class",
      "{\"_id\":1,\"s\":\"x\",\"m\":{\"$ref\":\"Q\",\"$id\":1}}\n",
      "line 1, column 30, /m/$ref, class A.m: the schema has no class named Q"),
    BadText(
      "an unknown wrapper", "{\"_id\":1,\"s\":\"x\",\"m\":{\"$timestamp\":{\"t\":1,\"i\":2}}}\n",
      "line 1, column 22, /m, class A.m: found {\"$timestamp\":{\"t\":1,\"i\":2}}, expected a value or one of the known wrappers with $"
    ),
    BadText(
      "a reference to another class", "{\"_id\":1,\"s\":\"x\",\"l\":{\"$ref\":\"E\",\"$id\":1}}\n",
      "line 1, column 30, /l/$ref, class A.l: found \"E\", expected the identity of a A"),
  ]

  @Test("invalid lines are refused with their place, and leave no file", arguments: lines)
  func ndjson(text: BadText) throws { try check(text, as: "A.ndjson") }

  @Test("a schema that no realm can have is an error of its own file")
  func impossibleSchema() throws {
    let foreign = try ForeignImport().write(
      #"[{"name":"A","primaryKey":"x","properties":{"x":"double"}}]"#, to: "s.json")
    try foreign.write("x\n1\n", to: "A.csv")
    #expect(
      try foreign.failure("A.csv", "--schema", "s.json")
        == "realm-cli: s.json: class A.x: a primary key is one int, string, objectId or uuid")
  }

  static let documents: [BadText] = [
    BadText(
      "two roots", "[{\"_id\":1,\"s\":\"x\"}] []",
      "line 1, column 21: this is not JSON: found more after the end of the document"),
    BadText(
      "invalid JSON", "[{\"_id\":1,\"s\":\"x\"},\n {\"_id\":2,}]",
      "line 2, column 11, /1: this is not JSON: a value, comma, colon or bracket is wrong or missing"
    ),
    BadText(
      "an array that is cut", "[{\"_id\":1,\"s\":\"x\"},",
      "line 1, column 20: the input is incomplete"),
    BadText(
      "no object", "[{\"_id\":1,\"s\":\"x\"},5]",
      "line 1, column 20, /1: expected an object"),
    BadText(
      "duplicate primary key", "[{\"_id\":1,\"s\":\"x\"},\n{\"_id\":1,\"s\":\"y\"}]",
      "line 2, column 1, class A._id: the primary key 1 occurs twice, first in line 1"),
    BadText(
      "unknown class", "{\n\"Q\":[]}", "the schema has no class named Q"),
    BadText(
      "a class twice", "{\"A\":[],\n\"A\":[]}", "the object has two members named A"),
    BadText(
      "objects of an embedded class", "{\"E\":[{\"n\":1}]}",
      "class E: objects of embedded classes belong inside their owners"),
    BadText(
      "no array for a class", "{\n\"A\":5}",
      "line 2, column 5: expected an array with the objects of class A"),
    BadText(
      "nesting of 10,000 levels",
      "[{\"_id\":1,\"s\":\"x\",\"m\":\(String(repeating: "[", count: 10_000))"
        + String(repeating: "]", count: 10_000) + "}]",
      "line 1, column 534, /0: this is not JSON: arrays and objects are nested deeper than 512 levels"
    ),
    BadText(
      "several objects of several lines", "{\n  \"_id\": 1\n}\n{\n  \"_id\": 2\n}\n",
      "line 4, column 1: found a second object after one of several lines, expected an array of "),
    BadText(
      "several objects of lists", "{\n\"A\":[]}\n{\"A\":[]}",
      "line 3, column 1: found a second object after one of several lines, expected an array of "),
    BadText("only white space", " \n ", "the input is empty"),
  ]

  @Test(
    "documents that are wrong are refused with their place, and leave no file", arguments: documents
  )
  func json(text: BadText) throws { try check(text, as: "A.json") }

  @Test("an invalid schema is refused with its own place")
  func schema() throws {
    let foreign = try ForeignImport().write(
      "[\n{\"name\":\"A\",\"properties\":{\"x\":\"Q?\"}}]", to: "s.json")
    try foreign.write("x\n1\n", to: "A.csv")
    #expect(
      try foreign.failure("A.csv", "--schema", "s.json")
        == "realm-cli: s.json: line 2, column 31, /0/properties/x, class A: the schema is wrong: "
        + "no type or class is named Q")
  }

  @Test("a keyMember that the class does not have is refused")
  func keyMember() throws {
    let foreign = try ForeignImport().write("x\n1\n", to: "A.csv")
    for (schema, message) in [
      (
        #"[{"name":"A","keyMember":"id","properties":{"x":"int"}}]"#,
        "line 1, column 26, /0/keyMember, class A: the schema is wrong: the keyMember of this class is _key"
      ),
      (
        #"[{"name":"A","primaryKey":"x","keyMember":"_key","properties":{"x":"int"}}]"#,
        "line 1, column 43, /0/keyMember, class A: the schema is wrong: only objects of classes without "
          + "a primary key have a keyMember"
      ),
    ] {
      try foreign.write(schema, to: "s.json")
      #expect(
        try foreign.failure("A.csv", "--schema", "s.json") == "realm-cli: s.json: \(message)")
    }
    try foreign.write(
      #"[{"name":"A","keyMember":"__key","properties":{"x":"int","_key":"int?"}}]"#, to: "s.json")
    #expect(
      try foreign.objects("A.csv", "--schema", "s.json")
        == [#"{"class":"A","object":{"__key":0,"x":1,"_key":null}}"#])
  }

  @Test("a class that the schema does not have, or only as an embedded one, is refused")
  func className() throws {
    let foreign = try ForeignImport().write(BadForeignTextTests.schema, to: "s.json")
    try foreign.write("_id,s\n1,x\n", to: "Q.csv")
    #expect(
      try foreign.failure("Q.csv", "--schema", "s.json")
        == "realm-cli: Q.csv: the schema has no class named Q")
    #expect(
      try foreign.failure("Q.csv", "--schema", "s.json", "--class", "E")
        == "realm-cli: Q.csv: class E: objects of embedded classes belong inside their owners")
  }

  @Test("two files of one class are refused, and the invalid file is named")
  func folder() throws {
    let foreign = try ForeignImport()
    try foreign.write("x\n1\n", to: "in/A.csv")
    try foreign.write("{\"x\":1}\n", to: "in/B.json")
    try foreign.write("{\"x\":1}\n{\"x\":\n", to: "in/C.json")
    #expect(try foreign.failure("in").hasPrefix("realm-cli: in/C.json: line 2, column 6: "))
    try foreign.write("{\"x\":1}\n", to: "in/A.json")
    #expect(
      try foreign.failure("in")
        == "realm-cli: in/A.json: two files in the folder hold class A")
  }

  @Test("a file of 33 MB is not a schema")
  func largeSchema() throws {
    let foreign = try ForeignImport().write("_id\n1\n", to: "A.csv")
    let blanks = [UInt8](repeating: UInt8(ascii: " "), count: 33 << 20)
    try foreign.folder.write(blanks + Array(BadForeignTextTests.schema.utf8), to: "s.json")
    #expect(
      try foreign.failure("A.csv", "--schema", "s.json")
        == "realm-cli: s.json: the schema is wrong: the file has 33 MB, expected at most 32 MB"
    )
  }
}
