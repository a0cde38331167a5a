import Foundation
import TestSupport
import Testing

/// Texts with more than one error.
@Suite("Several errors of one text")
struct SeveralErrorsTests {
  private static let schema =
    #"[{"name":"A","primaryKey":"_id","properties":{"_id":"int","s":"string","i":"int?"}}]"#

  @Test("--max-errors goes on behind rows with a wrong number of fields, and tells each line")
  func severalRows() throws {
    let foreign = try ForeignImport().write(SeveralErrorsTests.schema, to: "s.json")
    // Lines end with a carriage return, a line feed, or both.
    try foreign.write(
      "_id,s,i\r1,a,x\r\n2,b\n3,c,5\r4,d,1,2\r\n\n5,\"e\r\nf\",y\n6,g,z\n7,h,w\n", to: "A.csv")
    let result = try runTool(
      "import", "A.csv", "--schema", "s.json", "-o", "x.realm", "--max-errors", "5",
      folder: foreign.folder.url)
    #expect(result.status == 65)
    #expect(
      result.stderr.split(separator: "\n").dropLast().map(String.init) == [
        "realm-cli: A.csv: line 2, column 5, /i, class A.i: an int is expected, not x",
        "realm-cli: A.csv: line 3, column 1: the line has 2 fields, and the first line 3",
        "realm-cli: A.csv: line 5, column 1: the line has 4 fields, and the first line 3",
        "realm-cli: A.csv: line 8, column 4, /i, class A.i: an int is expected, not y",
        "realm-cli: A.csv: line 9, column 5, /i, class A.i: an int is expected, not z",
      ])
  }

  @Test("--max-errors reports what was found before a row whose end is not known")
  func openRow() throws {
    let foreign = try ForeignImport().write(SeveralErrorsTests.schema, to: "s.json")
    try foreign.folder.write(
      Array("_id,s,i\n1,a,x\n2,".utf8) + [0xE9] + Array(",3\n3,b,y\n".utf8), to: "A.csv")
    let result = try runTool(
      "import", "A.csv", "--schema", "s.json", "-o", "x.realm", "--max-errors", "5",
      folder: foreign.folder.url)
    #expect(result.status == 65)
    #expect(
      result.stderr.split(separator: "\n").dropLast().map(String.init) == [
        "realm-cli: A.csv: line 2, column 5, /i, class A.i: an int is expected, not x",
        "realm-cli: A.csv: line 3, column 3: the text is in another encoding; UTF-8 is expected",
      ])
  }

  @Test(
    "the places of 20,000 errors in a large text are found in one pass", .timeLimit(.minutes(1)))
  func manyErrors() throws {
    let foreign = try ForeignImport().write(SeveralErrorsTests.schema, to: "s.json")
    let line = #"{"_id":1,"s":5,"q":"\#(String(repeating: "x", count: 100))"}"#
    try foreign.write(String(repeating: line + "\n", count: 20_000), to: "A.ndjson")
    let result = try runTool(
      "import", "A.ndjson", "--schema", "s.json", "-o", "x.realm", "--max-errors", "20000",
      folder: foreign.folder.url)
    #expect(result.status == 65)
    let lines = result.stderr.split(separator: "\n")
    #expect(lines.count == 20_001)
    #expect(
      lines[19_999]
        == "realm-cli: A.ndjson: line 20000, column 14, /s, class A.s: a string is expected, not 5")
  }
}
