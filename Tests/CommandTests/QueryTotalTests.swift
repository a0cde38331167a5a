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

  /// The reference has no totals over dictionaries.
  @Test("NaN does not count in a dictionary of doubles either")
  func dictionaries() throws {
    #expect(try total(["--min", "dd"]) == "-1.0\n")
    #expect(try total(["--sum", "dd"]) == "{\"$numberDecimal\":\"-2.0\"}\n")
  }
}
