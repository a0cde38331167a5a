import Foundation
import TestSupport
import Testing

/// Totals over `Tests/Fixtures/query/items.realm`, which the reference wrote. Unless a test says otherwise, the
/// sums, averages and extremes are those of the reference's views of a table.
@Suite("realm-cli query: totals of numbers some of which are NaN")
struct QueryTotalTests {
  private static let items =
    packageFolder.appending(path: "Tests/Fixtures/query/items.realm").path

  private func total(_ arguments: [String]) throws -> String {
    try runTool(["query", QueryTotalTests.items, "Item"] + arguments).text
  }

  @Test(
    "NaN does not count if all values have the same type",
    arguments: [
      ("d", "7.5", "0.9375", "-1.0", "1.5"),
      ("f", "12.0", "1.3333333333333333", "0.5", "2.0"),
      (
        "dec", "{\"$numberDecimal\":\"5.0\"}", "{\"$numberDecimal\":\"0.5\"}",
        "{\"$numberDecimal\":\"-1\"}", "{\"$numberDecimal\":\"2.5\"}"
      ),
    ])
  func oneType(path: String, sum: String, average: String, min: String, max: String) throws {
    #expect(try total(["--sum", path]) == sum + "\n")
    #expect(try total(["--avg", path]) == average + "\n")
    #expect(try total(["--min", path]) == min + "\n")
    #expect(try total(["--max", path]) == max + "\n")
  }

  @Test("a float or double NaN counts among mixed values")
  func mixed() throws {
    let nan = "{\"$numberDecimal\":\"NaN\"}\n"
    #expect(try total(["--sum", "m"]) == nan)
    #expect(try total(["--avg", "m"]) == nan)
    #expect(try total(["--min", "m"]) == "{\"$numberDouble\":\"NaN\"}\n")
  }

  /// Added up by hand: the reference has no groups.
  @Test("NaN does not count in a group")
  func groups() throws {
    #expect(
      try total(["--group-by", "b", "--sum", "d", "--avg", "d"]) == """
        {"b":null,"@sum.d":2.0,"@avg.d":1.0}
        {"b":false,"@sum.d":3.5,"@avg.d":1.1666666666666667}
        {"b":true,"@sum.d":2.0,"@avg.d":0.6666666666666666}

        """)
  }

  private static let extremes = """
    {"realm":{"format":"realm-json","version":1,"schemaVersion":0},
    "schema":[{"name":"P","primaryKey":"_id","properties":{"_id":"int","i":"int?","d":"double","f":"float?",
    "t":"date","m":"mixed","q":"P?"}}],
    "objects":{"P":[
    {"_id":1,"i":9223372036854775807,"d":{"$numberDouble":"Infinity"},"f":null,
    "t":{"$date":{"$seconds":"253402300800","$ns":5}},"m":1,"q":1},
    {"_id":2,"i":9223372036854775805,"d":{"$numberDouble":"-Infinity"},
    "f":{"$numberDouble":"NaN"},"t":{"$date":"2001-09-09T01:46:40Z"},"m":[1,[2]],"q":2},
    {"_id":3,"i":null,"d":0.5,"f":1.5,"t":{"$date":"2001-09-09T01:46:40Z"},
    "m":{"$numberDouble":"NaN"},"q":null}]}}
    """

  private func withExtremes(_ body: (([String]) throws -> ToolResult) throws -> Void) throws {
    let folder = try TemporaryFolder()
    try folder.write(Array(QueryTotalTests.extremes.utf8), to: "p.json")
    let realm = folder.path("p.realm")
    #expect(try runTool("import", folder.path("p.json"), "-o", realm).status == 0)
    try body { try runTool(["query", realm, "P"] + $0) }
  }

  /// (2⁶³ - 1 + 2⁶³ - 3) / 2 = 2⁶³ - 2; the nearest double is 2⁶³.
  @Test("ints have an average although their sum does not fit int")
  func largeInts() throws {
    try withExtremes { query in
      #expect(try query(["--avg", "i"]).text == "9.223372036854776e+18\n")
      let sum = try query(["--sum", "i"])
      #expect(sum.status == 69)
      #expect(sum.stderr.contains("@sum.i is outside the range of int"))
    }
  }

  @Test("a table shows numbers that are not finite and dates of all years; tsv does not")
  func table() throws {
    try withExtremes { query in
      #expect(
        try query(["-c", "_id,d,f,m,t", "--limit", "1", "--format", "table"]).text == """
          _id         d  f  m  t
            1  Infinity     1  {"$date":{"$seconds":"253402300800","$ns":5}}

          """)
      #expect(
        try query(["-c", "_id,d,f,m", "_id > 1", "--format", "table"]).text == """
          _id          d    f  m
            2  -Infinity  NaN  [1,[2]]
            3        0.5  1.5  NaN

          """)
      #expect(
        try query(["--group-by", "_id", "--max", "d", "--format", "table"]).text == """
          _id     @max.d
            1   Infinity
            2  -Infinity
            3        0.5

          """)
      let fields = try query(["-c", "d,f", "--format", "tsv"])
      #expect(fields.text == "d\tf\n\t\n\t\n0.5\t1.5\n")
      #expect(fields.stderr.contains("tsv cannot hold 3 "), "\(fields.stderr)")
    }
  }

  @Test(
    "a collection in a mixed value is no total; the message says where, and the condition in it helps",
    arguments: [
      ("m", "--max", "m: found a list of 2 values", "m.@type != 'collection'"),
      ("m", "--group-by", "m: found a list of 2 values", "m.@type != 'collection'"),
      ("q.m", "--max", "q.m: found a list of 2 values", "q.m.@type != 'collection'"),
      ("m[*]", "--max", "m[*]: found a list of 1 value", "ALL m[*].@type != 'collection'"),
    ])
  func collections(path: String, option: String, found: String, condition: String) throws {
    try withExtremes { query in
      let result = try query([option, path])
      #expect(result.status == 69)
      #expect(
        result.stderr.hasSuffix(
          ": \(found) in a mixed value, expected a single value; the condition \(condition) leaves "
            + "out objects with collections\n"), "\(result.stderr)")
      #expect(try query([condition, option, path]).status == 0)
    }
  }

  /// The reference has no totals over dictionaries.
  @Test("NaN does not count in a dictionary of doubles either")
  func dictionaries() throws {
    #expect(try total(["--min", "dd"]) == "-1.0\n")
    #expect(try total(["--sum", "dd"]) == "{\"$numberDecimal\":\"-2.0\"}\n")
  }
}
