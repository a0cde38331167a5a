import Foundation
import TestSupport
import Testing

/// Files with more than one error.
@Suite("Several errors in one file")
struct SeveralErrorsTests {
  private static let schema =
    #"[{"name":"A","primaryKey":"_id","properties":{"_id":"int","s":"string","i":"int?"}}]"#

  /// The errors of A.csv, without the line that counts them.
  private func errors(in foreign: ForeignImport) throws -> [String] {
    let result = try runTool(
      "import", "A.csv", "--schema", "s.json", "-o", "x.realm", "--max-errors", "5",
      folder: foreign.folder.url)
    #expect(result.status == 65)
    return result.stderr.split(separator: "\n").dropLast().map(String.init)
  }

  @Test("--max-errors continues after rows with a wrong number of fields, and reports each line")
  func severalRows() throws {
    let foreign = try ForeignImport().write(SeveralErrorsTests.schema, to: "s.json")
    // Lines end with a carriage return, a line feed, or both.
    try foreign.write(
      "_id,s,i\r1,a,x\r\n2,b\n3,c,5\r4,d,1,2\r\n\n5,\"e\r\nf\",y\n6,g,z\n7,h,w\n", to: "A.csv")
    #expect(
      try errors(in: foreign) == [
        "realm-cli: A.csv: line 2, column 5, /i, class A.i: found x, expected an int",
        "realm-cli: A.csv: line 3, column 1: found 2 fields, expected 3 as in the first line",
        "realm-cli: A.csv: line 5, column 1: found 4 fields, expected 3 as in the first line",
        "realm-cli: A.csv: line 8, column 4, /i, class A.i: found y, expected an int",
        "realm-cli: A.csv: line 9, column 5, /i, class A.i: found z, expected an int",
      ])
  }

  @Test("--max-errors reports the errors before a row without an end")
  func openRow() throws {
    let foreign = try ForeignImport().write(SeveralErrorsTests.schema, to: "s.json")
    try foreign.folder.write(
      Array("_id,s,i\n1,a,x\n2,".utf8) + [0xE9] + Array(",3\n3,b,y\n".utf8), to: "A.csv")
    #expect(
      try errors(in: foreign) == [
        "realm-cli: A.csv: line 2, column 5, /i, class A.i: found x, expected an int",
        "realm-cli: A.csv: line 3, column 3: the input is in another encoding, expected UTF-8",
      ])
  }

  @Test(
    "the places of 20,000 errors in a large text are found in one pass")
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
        == "realm-cli: A.ndjson: line 20000, column 14, /s, class A.s: found 5, expected a string")
  }

  // MARK: Errors that only all objects together show

  private static let linked =
    #"[{"name":"A","primaryKey":"_id","properties":{"_id":"int","l":"A?","m":"A[]"}}]"#

  private static let faulty = """
    {"_id":1,"l":9,"m":[]}
    {"_id":2,"m":[8,1,8]}
    {"_id":1}
    {"_id":3,"l":2}
    {"_id":2,"l":9}
    {"_id":1}
    """

  /// The lines of the errors of an import, without the hint.
  private func errors(of arguments: [String], in folder: TemporaryFolder) throws -> [String] {
    let result = try runTool(["import"] + arguments, folder: folder.url)
    #expect(result.status == 65)
    return result.stderr.split(separator: "\n").dropLast().map { String($0) }
  }

  @Test(
    "equal primary keys and missing link targets are reported together, in the order of the file")
  func faults() throws {
    let foreign = try ForeignImport().write(Self.linked, to: "s.json")
    try foreign.write(Self.faulty, to: "A.ndjson")
    let command = ["A.ndjson", "--schema", "s.json", "-o", "x.realm", "--max-errors"]
    #expect(
      try errors(of: command + ["10"], in: foreign.folder) == [
        "realm-cli: A.ndjson: line 1, column 1, class A.l: the link refers to the A 9, which does not exist",
        "realm-cli: A.ndjson: line 2, column 1, class A.m: the link refers to the A 8, which does not exist",
        "realm-cli: A.ndjson: line 3, column 1, class A._id: the primary key 1 occurs twice, first in line 1",
        "realm-cli: A.ndjson: line 5, column 1, class A._id: the primary key 2 occurs twice, first in line 2",
        "realm-cli: A.ndjson: line 5, column 1, class A.l: the link refers to the A 9, which does not exist",
        "realm-cli: A.ndjson: line 6, column 1, class A._id: the primary key 1 occurs twice, first in line 1",
      ])
    #expect(
      try errors(of: command + ["2"], in: foreign.folder) == [
        "realm-cli: A.ndjson: line 3, column 1, class A._id: the primary key 1 occurs twice, first in line 1",
        "realm-cli: A.ndjson: line 5, column 1, class A._id: the primary key 2 occurs twice, first in line 2",
      ])
    #expect(try errors(of: command + ["1"], in: foreign.folder).count == 1)
  }

  @Test(
    "missing objects of a class without primary key, and links of embedded objects, are reported, too"
  )
  func missingKeys() throws {
    let foreign = try ForeignImport()
    try foreign.write(
      #"{"realm":{"format":"realm-json","version":1,"schemaVersion":null},"schema":["#
        + #"{"name":"A","properties":{"l":"A?","m":"mixed","e":"E?"},"keyMember":"_key"},"#
        + #"{"name":"E","embedded":true,"properties":{"t":"T[]"}},"#
        + #"{"name":"T","primaryKey":"n","properties":{"n":"string"}}],"objects":{"A":["#
        + "\n" + #"{"_key":1,"l":7,"m":{"$link":{"class":"A","id":8}},"e":{"t":["x"]}},"# + "\n"
        + #"{"_key":2,"l":1,"m":{"$link":{"class":"T","id":"y"}},"e":{"t":["z","x"]}}],"#
        + #""T":[{"n":"z"}]}}"#, to: "a.json")
    #expect(
      try errors(
        of: ["a.json", "-o", "x.realm", "--max-errors", "10"], in: foreign.folder
      ) == [
        "realm-cli: a.json: line 2, column 1, class A.l: the link refers to the A with the key 7, which does not exist",
        "realm-cli: a.json: line 2, column 1, class A.m: the link refers to the A with the key 8, which does not exist",
        #"realm-cli: a.json: line 2, column 1, class E.t: the link refers to the T "x", which does not exist"#,
        #"realm-cli: a.json: line 3, column 1, class A.m: the link refers to the T "y", which does not exist"#,
        #"realm-cli: a.json: line 3, column 1, class E.t: the link refers to the T "x", which does not exist"#,
      ])
  }

  @Test("objects that the realm has already are reported together")
  func existing() throws {
    let foreign = try ForeignImport().write(Self.linked, to: "s.json")
    try foreign.write(#"[{"_id":1},{"_id":2},{"_id":3}]"#, to: "A.json")
    let made = try runTool(
      "import", "A.json", "--schema", "s.json", "-o", "x.realm", folder: foreign.folder.url)
    #expect(made.status == 0)
    try foreign.write(
      #"{"_id":3}"# + "\n" + #"{"_id":4,"l":9}"# + "\n" + #"{"_id":1}"#, to: "A.ndjson")
    #expect(
      try errors(of: ["A.ndjson", "--into", "x.realm", "--max-errors", "10"], in: foreign.folder)
        == [
          "realm-cli: A.ndjson: line 1, column 1, class A._id: the realm already has this object: 3",
          "realm-cli: A.ndjson: line 3, column 1, class A._id: the realm already has this object: 1",
        ])
    #expect(
      try errors(
        of: ["A.ndjson", "--into", "x.realm", "--mode", "upsert", "--max-errors", "10"],
        in: foreign.folder
      ) == [
        "realm-cli: A.ndjson: line 2, column 1, class A.l: the link refers to the A 9, which does not exist"
      ])
  }

  @Test("20,000 equal primary keys are found in one pass")
  func manyDuplicates() throws {
    let foreign = try ForeignImport().write(Self.linked, to: "s.json")
    let half = (0..<20_000).map { "{\"_id\":\($0)}\n" }.joined()
    try foreign.write(half + half, to: "A.ndjson")
    let lines = try errors(
      of: ["A.ndjson", "--schema", "s.json", "-o", "x.realm", "--max-errors", "100000"],
      in: foreign.folder)
    #expect(lines.count == 20_000)
    #expect(
      lines.last
        == "realm-cli: A.ndjson: line 40000, column 1, class A._id: the primary key 19999 occurs twice, first in line 20000"
    )
  }
}
