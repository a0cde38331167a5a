import Testing

@testable import RealmQuery

@Suite("Constants of a query")
struct ConstantTests {
  /// The constant on the right of a comparison.
  private func constant(_ text: String) throws -> String {
    let syntax = try QuerySyntax(parsing: "a == " + text)
    guard case .comparison(let comparison) = syntax.predicate,
      case .constant(let constant) = comparison.right
    else { return syntax.tree }
    return constant.tree
  }

  @Test(
    "integers are octal after 0, hexadecimal after 0x, and saturate",
    arguments: [
      ("0", "0"), ("-0", "0"), ("+7", "7"), ("-12", "-12"), ("010", "8"), ("-010", "-8"),
      ("08", "0"), ("0789", "7"), ("0x1F", "31"), ("0XfF", "255"),
      ("9223372036854775807", "9223372036854775807"),
      ("9223372036854775808", "9223372036854775807"),
      ("-9223372036854775808", "-9223372036854775808"),
      ("-99999999999999999999", "-9223372036854775808"),
      ("0xFFFFFFFFFFFFFFFFF", "9223372036854775807"),
    ])
  func integers(text: String, tree: String) throws {
    #expect(try constant(text) == tree)
  }

  @Test(
    "numbers with a point, an exponent or f are floats",
    arguments: [
      ("7f", "7.0~7"), ("7.5f", "7.5~7.5"), ("1e3", "1000.0~1e3"), ("-1.5E-1", "-0.15~-1.5E-1"),
      ("100.", "100.0~100."), (".5", "0.5~.5"), ("+.5e1f", "5.0~+.5e1"), ("1.f", "1.0~1."),
      ("1e400", "inf~1e400"), ("-INF", "-inf~-INF"), ("Infinity", "inf~Infinity"),
      ("+infinity", "inf~+infinity"), ("nan", "nan~nan"), ("-NaN", "nan~-NaN"),
      ("0.10000000000000000000001", "0.1~0.10000000000000000000001"),
    ])
  func floats(text: String, tree: String) throws {
    #expect(try constant(text) == tree)
  }

  @Test(
    "strings keep their escapes, names do not",
    arguments: [
      ("'it\\'s'", "'it\\'s'"), ("\"a\\nb\"", "'a\\nb'"), ("'say \"x\"'", "'say \"x\"'"),
      ("'a\nb'", "'a\nb'"), ("'\\u12aF'", "'\\u12aF'"), ("''", "''"), ("'ÅSA'", "'ÅSA'"),
    ])
  func strings(text: String, tree: String) throws {
    #expect(try constant(text) == tree)
  }

  @Test(
    "words and wrapped constants",
    arguments: [
      ("null", "null"), ("NIL", "null"), ("true", "true"), ("FALSE", "false"), ("$0", "$0"),
      ("$010", "$10"), ("O5", "O(5)"), ("L3:07", "L(3 7)"),
      ("O99999999999999999999", "O(9223372036854775807)"),
      ("B64\"QW5u\"", "base64[65, 110, 110]"), ("B64\"QQ==\"", "base64[65]"),
      ("B64\"QUI\"", "base64[65, 66]"), ("B64\"\"", "base64[]"),
      ("binary('abc')", "binary[97, 98, 99]"), ("BIN ( B64\"AP8=\" )", "binary[0, 255]"),
      (
        "oid(507f1F77bcf86cd799439011)",
        "oid[80, 127, 31, 119, 188, 248, 108, 215, 153, 67, 144, 17]"
      ),
      (
        "uuid(C8edabc3-f738-4ca3-b68d-ab92a91478a3)",
        "uuid[200, 237, 171, 195, 247, 56, 76, 163, 182, 141, 171, 146, 169, 20, 120, 163]"
      ),
      ("obj('Dog', 'rex')", "obj(Dog 'rex')"), ("OBJ(\"Dog\",-1)", "obj(Dog -1)"),
      ("obj('Dog', $4)", "obj(Dog $4)"),
    ])
  func words(text: String, tree: String) throws {
    #expect(try constant(text) == tree)
  }

  /// Seconds computed with `date -u -d … +%s`.
  @Test(
    "dates",
    arguments: [
      ("T1:2", "date(1 2)"), ("T-1:-2", "date(-1 -2)"), ("T+0:-5", "date(0 -5)"),
      ("T99999999999999999999:0", "date(9223372036854775807 0)"),
      ("2001-09-09@01:46:40", "date(1000000000 0)"), ("2001-9-9T1:46:40:5", "date(1000000000 5)"),
      ("2024-02-29@12:00:00", "date(1709208000 0)"), ("2100-03-01@00:00:00", "date(4107542400 0)"),
      ("2038-01-19@03:14:08", "date(2147483648 0)"), ("1900-01-01@00:00:00", "date(-2208988800 0)"),
      ("9999-12-31@23:59:59", "date(253402300799 0)"),
      // Parts that are too large or 0 count into the others.
      ("2023-13-01@00:00:00", "date(1704067200 0)"), ("2023-00-01@00:00:00", "date(1669852800 0)"),
      ("2023-02-29@00:00:00", "date(1677628800 0)"), ("2023-01-00@00:00:00", "date(1672444800 0)"),
      ("2023-01-01@100:100:100", "date(1672897300 0)"),
      ("1969-12-31@23:59:59:5", "date(-1 -5)"),
    ])
  func dates(text: String, tree: String) throws {
    #expect(try constant(text) == tree)
  }

  @Test(
    "a constant without a value has its own kind of error",
    arguments: [
      "T1:-1", "T-1:1", "T0:1000000000", "1899-12-31@00:00:00", "1970-01-01@00:00:00:1000000000",
      "2001-01-01@00:00:2147483648", "B64\"Q\"", "B64\"Q=Q=\"", "L4294967296:1",
    ])
  func withoutValue(text: String) throws {
    #expect(syntaxError("a == \(text)")?.kind == .value)
    #expect(syntaxError("a == \(text)")?.range == 5..<5 + text.utf8.count)
  }

  @Test(
    "other words are not constants",
    arguments: [
      "-0x7", "0x", "7F", ".e5", ".", "1..5", "- inf", "-infinit", "B64'QQ=='", "oid(12)",
      "uuid(1)",
      "uuid( c8edabc3-f738-4ca3-b68d-ab92a91478a3)", "obj('Dog', 1.5)", "obj($1, 1)",
      "2001-01-01", "2001-01-01t1:1:1", "2001-01-01@1:1", "T1:2:3", "'a\\qb'", "'a\\u12'", "'a",
      "{1,}", "{,}", "{a}", "{{1}}", "ANY 1", "binary(1)",
    ])
  func noConstants(text: String) {
    #expect(syntaxError("a == \(text)")?.kind == .syntax)
  }
}
