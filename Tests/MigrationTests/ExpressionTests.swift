import RealmMigration
import RealmQuery
import RealmStorage
import TestSupport
import Testing

/// Expressions of plans; each one is the value of a new property of one object.
@Suite("Expressions of migration plans")
struct ExpressionTests {
  private static let object = #"""
    {"realm":{"format":"realm-json","version":1,"schemaVersion":3},
    "schema":[{"name":"T","keyMember":"_key","properties":{"i":"int","j":"int?","big":"int","d":"double",
    "f":"float","m":"decimal128","s":"string","t":"string?","b":"bool","n":"bool?","w":"date",
    "o":"objectId","u":"uuid","x":"data","mix":"mixed","me":"T?","no":"T?","list":"int[]"}}],
    "objects":{"T":[{"_key":0,"i":7,"j":null,"big":9007199254740993,"d":2.5,"f":1.5,
    "m":{"$numberDecimal":"1.50"},"s":" Äpfel ","t":null,"b":true,"n":null,
    "w":{"$date":"2023-11-14T22:13:20.5Z"},"o":{"$oid":"0102030405060708090a0b0c"},
    "u":{"$uuid":"3b241101-e2bb-4255-8caf-4136c566a962"},"x":{"$binary":{"base64":"AQID","subType":"00"}},
    "mix":"mixed","me":0,"no":null,"list":[1,2]}]}}
    """#

  /// Type of the property, expression, value.
  static let values: [(String, String, String)] = [
    ("int", "i + 1", "8"), ("int", "i / 2", "3"), ("int", "-i / 2", "-3"), ("int", "i -1", "6"),
    ("int", "2 + 3 * i", "23"), ("int", "(2 + 3) * i", "35"), ("int", "1 - 2 - 3", "-4"),
    ("int", "0x10", "16"), ("int", "010", "10"), ("int", "- -i", "7"),
    ("double", "i / 2.0", "3.5"), ("double", "i", "7.0"), ("double", "d * i", "17.5"),
    ("float", "f * i", "10.5"), ("float", "2.5", "2.5"), ("float", "1.1f", "1.1"),
    ("double", "f", "1.5"), ("decimal128", "m + 1.1", #"{"$numberDecimal":"2.60"}"#),
    ("decimal128", "i", #"{"$numberDecimal":"7"}"#),
    ("decimal128", "0.1", #"{"$numberDecimal":"0.1"}"#),
    ("int?", "j", "null"), ("int?", "j + 1", "null"), ("int?", "-j", "null"),
    ("int", "coalesce(j, i)", "7"), ("int", "coalesce(j, null, 3)", "3"),
    ("int?", "b ? i : 1 / 0", "7"), ("int?", "n ? 1 : 2", "null"), ("int", "not b ? 1 : 2", "2"),
    ("string", "s + 'x'", #"" Äpfel x""#), ("string?", "s + t", "null"),
    ("string", "trim(s)", #""Äpfel""#), ("string", "lower(s)", #"" äpfel ""#),
    ("string", "upper(trim(s))", #""ÄPFEL""#), ("int", "length(s)", "7"), ("int", "length(x)", "3"),
    ("string", "substring(s, 1, 2)", #""Äp""#), ("string", "substring(s, 5)", #""l ""#),
    ("string", "substring(s, 50)", #""""#), ("string", "replace(s, 'fe', '')", #"" Äpl ""#),
    ("string", "replace('aaa', 'a', 'aa')", #""aaaaaa""#),
    ("string", #"'a\n\"\u0041\u00e4\ud83d\ude00'"#, #""a\n\"Aä😀""#),
    ("string", "string(i) + string(d) + string(b)", #""72.5true""#),
    ("string", "string(m)", #""1.50""#), ("string", "string(w)", #""2023-11-14T22:13:20.5Z""#),
    ("string", "string(o)", #""0102030405060708090a0b0c""#),
    ("string", "string(u)", #""3b241101-e2bb-4255-8caf-4136c566a962""#),
    ("int", "int('42')", "42"), ("int", "int(d * 2)", "5"), ("int", "int(b)", "1"),
    ("int?", "int(t)", "null"), ("int", "int(m * 2)", "3"), ("double", "double('1e3')", "1000.0"),
    ("double", "double(m)", "1.5"), ("float", "float(d)", "2.5"),
    ("decimal128", "decimal('1.10')", #"{"$numberDecimal":"1.10"}"#),
    ("decimal128", "decimal(d)", #"{"$numberDecimal":"2.5"}"#),
    ("date", "date('2001-09-09')", #"{"$date":"2001-09-09T00:00:00Z"}"#),
    ("date", "date(1000000000)", #"{"$date":"2001-09-09T01:46:40Z"}"#),
    ("date", "2001-09-09@01:46:40", #"{"$date":"2001-09-09T01:46:40Z"}"#),
    ("date", "1969-12-31@23:59:59:500000000", #"{"$date":"1969-12-31T23:59:59.5Z"}"#),
    ("date", "1969-12-31@23:59:58:250000000", #"{"$date":"1969-12-31T23:59:58.25Z"}"#),
    ("objectId", "objectId('0a0b0c0d0e0f000102030405')", #"{"$oid":"0a0b0c0d0e0f000102030405"}"#),
    (
      "uuid", "uuid('3B241101-E2BB-4255-8CAF-4136C566A962')",
      #"{"$uuid":"3b241101-e2bb-4255-8caf-4136c566a962"}"#
    ),
    ("data", "binary('ab')", #"{"$binary":{"base64":"YWI=","subType":"00"}}"#),
    ("bool", "i == 7", "true"), ("bool", "i != 7", "false"), ("bool", "j == null", "true"),
    ("bool", "null == null", "true"), ("bool", "j < 5", "false"), ("bool", "not (j < 5)", "true"),
    ("bool", "i > 5 AND s CONTAINS 'pfe'", "true"), ("bool", "i > 50 || b", "true"),
    ("bool", "i IN {1, 7}", "true"), ("bool", "i BETWEEN {1, 6}", "false"),
    ("bool", "s BEGINSWITH[c] ' äP'", "true"), ("bool", "s LIKE '*el?'", "true"),
    ("bool?", "n && b", "null"), ("bool", "not b && n", "false"),
    ("bool?", "t BEGINSWITH 'x'", "null"),
    ("bool", "mix == 'mixed'", "true"), ("bool", "i == 7.0", "true"),
    ("bool", "big == 9007199254740992.0", "false"), ("bool", "w > 2001-09-09@01:46:40", "true"),
    ("mixed", "i", "7"), ("mixed", "d", "2.5"), ("mixed", "t", "null"),
    ("int", "me.me.i", "7"), ("string?", "no.s", "null"), ("T?", "me.me", "0"),
    ("T?", "no", "null"),
    ("bool", "me == me.me", "true"), ("string", "mix", #""mixed""#),
    ("string", "i > 5 ? i > 6 ? 'a' : 'b' : 'c'", #""a""#),
  ]

  /// Same as ``values``, for constants with more digits than a double.
  static let exactValues: [(String, String, String)] = [
    ("decimal128", "0.12345678901234567890123", #"{"$numberDecimal":"0.12345678901234567890123"}"#),
    (
      "decimal128", "-0.12345678901234567890123",
      #"{"$numberDecimal":"-0.12345678901234567890123"}"#
    ),
    (
      "decimal128", "-(0.12345678901234567890123)",
      #"{"$numberDecimal":"-0.12345678901234567890123"}"#
    ),
    (
      "decimal128", "0.12345678901234567890123 * 1",
      #"{"$numberDecimal":"0.12345678901234567890123"}"#
    ),
    (
      "decimal128", "b ? 0.12345678901234567890123 : m",
      #"{"$numberDecimal":"0.12345678901234567890123"}"#
    ),
    (
      "decimal128", "b ? 0.12345678901234567890123 : 0.5",
      #"{"$numberDecimal":"0.12345678901234567890123"}"#
    ),
    ("decimal128", "b ? d : 0.12345678901234567890123", #"{"$numberDecimal":"2.5"}"#),
    (
      "decimal128", "coalesce(j, 0.12345678901234567890123)",
      #"{"$numberDecimal":"0.12345678901234567890123"}"#
    ),
    (
      "decimal128", "coalesce(null, 0.12345678901234567890123)",
      #"{"$numberDecimal":"0.12345678901234567890123"}"#
    ),
    (
      "decimal128", "decimal(b ? 0.12345678901234567890123 : 1)",
      #"{"$numberDecimal":"0.12345678901234567890123"}"#
    ),
    ("decimal128", "i * 0.1", #"{"$numberDecimal":"0.7"}"#),
    (
      "bool", "coalesce(null, 0.12345678901234567890123) == decimal('0.12345678901234567890123')",
      "true"
    ),
    ("bool", "0.12345678901234567890123 IN {m, decimal('0.12345678901234567890123')}", "true"),
    ("string", "string(b ? 0.12345678901234567890123 : m)", #""0.12345678901234567890123""#),
    ("double", "0.12345678901234567890123", "0.12345678901234568"),
    ("decimal128", "-(inf)", #"{"$numberDecimal":"-Infinity"}"#),
    ("float", "float('1.00000017881393432617187499')", "1.0000001"),
  ]

  @Test("expressions have the expected values", arguments: [values, exactValues])
  func evaluation(rows: [(String, String, String)]) throws {
    let world = try MigrationWorld(text: Self.object)
    let steps = rows.enumerated().map { i, row in
      let quoted = row.1.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
      return #"add-property: {class: T, name: p\#(i), type: "\#(row.0)", value: "\#(quoted)"}"#
    }
    let json = try world.migrate(steps.joined(separator: "\n")).json
    for (i, row) in rows.enumerated() {
      #expect(json.values(of: "T", "p\(i)") == [try JSONValue(row.2)], "\(row.1)")
    }
  }

  /// Type of the property, expression, and what the error says.
  static let failures: [(String, String, String)] = [
    ("int", "9223372036854775807 + i", "the result of 9223372036854775807 + 7 is too large"),
    ("int", "i * 9223372036854775807", "is too large"),
    ("int", "-(0 - 9223372036854775807 - 1)", "is too large"),
    ("double", "d * 1e308 * 10", "is too large"), ("int", "i / (i - 7)", "7 / 0 divides by zero"),
    ("double", "d / 0.0", "divides by zero"), ("decimal128", "m / (m - m)", "divides by zero"),
    ("int", "d", "2.5 is not a whole number"),
    ("double", "big", "9007199254740993 cannot be a double"),
    ("double", "big + 0.5", "9007199254740993 cannot be a double"),
    ("float", "0.1", "0.1 cannot be a float"), ("int", "j", "null, but p is not optional"),
    ("int", "int(s)", "\" Äpfel \" is not a whole number"),
    ("double", "double('x')", "\"x\" is not a double"),
    ("decimal128", "decimal('1x')", "\"1x\" is not a decimal128"),
    ("date", "date('x')", "\"x\" is not a date"),
    ("objectId", "objectId('01')", "\"01\" is not an objectId"),
    ("uuid", "uuid(s)", "is not a uuid"),
    ("string", "substring(s, 0 - 1)", "0 or more, not -1"),
    ("string", "replace(s, '', 'x')", "empty string"),
    ("int", "mix", "\"mixed\" is not a value of type int"),
    ("int", "mix + 1", "\"mixed\" + 1 needs two numbers"),
    ("bool", "mix ? b : b", "\"mixed\" is not true or false"),
    ("int", "i + coalesce(j, 1 / 0)", "divides by zero"),
  ]

  @Test(
    "an expression without an exact result stops the migration with the object", arguments: failures
  )
  func failure(type: String, expression: String, message: String) throws {
    let world = try MigrationWorld(text: Self.object)
    #expect {
      _ = try world.migrate(
        #"add-property: {class: T, name: p, type: "\#(type)", value: "\#(expression)"}"#)
    } throws: { error in
      guard let error = error as? MigrationError else { return false }
      return error.description.contains(message) && error.identity == "0"
        && error.step == "version 4, add-property T.p"
    }
  }

  /// Type of the property, expression, what the error says, and the offset of its place.
  static let mistakes: [(String, String, String, Int)] = [
    ("int", "i +", "found the end of the expression", 3), ("int", "(i", "found the end", 2),
    ("int", "i i", "found 'i', expected an operator", 2), ("int", "b ? 1", "expected ':'", 5),
    ("int", "k", "T has no property 'k'", 0), ("int", "foo(i)", "there is no function 'foo'", 0),
    ("int", "length()", "found 0 arguments, expected 1", 0),
    ("int", "substring(s)", "expected 2 to 3", 0),
    ("int", "i + s", "`i` of type int is not a string", 0),
    ("string", "s + i", "`i` of type int is not a string", 4), ("int", "s * 2", "takes numbers", 0),
    ("bool", "i == s", "cannot be compared", 5), ("bool", "me < me", "objects have no order", 0),
    ("bool", "not i", "is not a condition", 4), ("int", "lower(i)", "lower takes a string", 6),
    ("int", "list", "list is a collection", 0), ("int", "me.list", "list is a collection", 3),
    ("int", "i.j", "no property can follow", 2), ("int", "list.@count", "is not a property", 0),
    ("int", "$0", "found '$0'", 0), ("int", "9223372036854775808", "does not fit int", 0),
    ("int", "1e999", "does not fit double", 0), ("int", "'x", "string without an end", 0),
    ("int", "'\\q'", "expected one of", 1), ("int", "s", "type string, but p is of type int", 0),
    ("T?", "i", "of type int, but p", 0), ("int", "i ; 2", "not part of the language", 2),
    ("int", "string(x)", "string takes", 7), ("int", "i CONTAINS 'x'", "takes strings", 0),
    ("date", "2001-02-29@00:00:00", "is in no calendar", 0),
    ("date", "2001-13-01@00:00:00", "is in no calendar", 0),
    ("date", "2001-01-01@24:00:00", "is in no calendar", 0),
    (
      "decimal128", "0.12345678901234567890123456789012345",
      "cannot be a decimal128 without rounding", 0
    ),
    ("decimal128", "m + 1e-7000", "cannot be a decimal128 without rounding", 4),
    ("decimal128", "d * 0.12345678901234567890123", "cannot be a double without rounding", 4),
    ("mixed", "0.12345678901234567890123", "cannot be a double without rounding", 0),
    ("int", "9007199254740993.0", "cannot be a double without rounding", 0),
    ("int", "int(9007199254740993.0)", "cannot be a double without rounding", 4),
    ("float", "0.50000000000000000000001", "cannot be a double without rounding", 0),
    ("string", "string(0.12345678901234567890123)", "cannot be a double without rounding", 7),
    ("bool", "big == 9007199254740993.0", "cannot be a double without rounding", 7),
    ("bool", "mix IN {0.12345678901234567890123}", "cannot be a double without rounding", 8),
    ("bool", "mix * 0.12345678901234567890123 > 1", "cannot be a double without rounding", 6),
  ]

  @Test("an invalid expression is reported with its place", arguments: mistakes)
  func mistake(type: String, expression: String, message: String, offset: Int) throws {
    let world = try MigrationWorld(text: Self.object)
    let quoted = expression.replacing("\\", with: "\\\\")
    #expect {
      _ = try world.migrate(
        #"add-property: {class: T, name: p, type: "\#(type)", value: "\#(quoted)"}"#)
    } throws: { error in
      guard let error = error as? PlanError, case .expression(let inner) = error.kind
      else { return false }
      return error.message.contains(message) && inner.range.lowerBound == offset
        && error.line == 5 && error.expression == expression
    }
  }

  @Test("every step gives a decimal128 all digits of a constant")
  func decimals() throws {
    let world = try MigrationWorld(text: Self.object)
    let json = try world.migrate(
      """
      set-values: {class: T, values: {m: "12345678901234567890.5"}}
      change-type: {class: T, name: i, type: decimal128, value: "0.12345678901234567890123"}
      change-type: {class: T, name: j, type: "decimal128?"}
      set-required: {class: T, name: j, value: "0.12345678901234567890123"}
      add-property: {class: T, name: p, type: decimal128, value: "9e40"}
      """
    ).json
    for (name, value) in [
      ("m", "12345678901234567890.5"), ("i", "0.12345678901234567890123"),
      ("j", "0.12345678901234567890123"), ("p", "9E+40"),
    ] {
      #expect(
        json.values(of: "T", name) == [try JSONValue(#"{"$numberDecimal":"\#(value)"}"#)], "\(name)"
      )
    }
  }

  @Test(
    "the hint for an argument names a conversion that exists",
    arguments: [
      ("lower(i)", "write string(i) instead of i"), ("date(d)", "write int(d) instead of d"),
      ("length(w)", "write string(w) instead of w"),
      ("string(x)", "take a value of another type: no function converts this one"),
      ("uuid(x)", "take a value of another type: no function converts this one"),
      ("string(me)", "name a property of the object: me.name"),
      ("substring(s, d)", "write substring(text, start, count)"),
    ])
  func argumentHint(expression: String, hint: String) throws {
    let world = try MigrationWorld(text: Self.object)
    #expect {
      _ = try world.migrate(
        #"add-property: {class: T, name: p, type: mixed, value: "\#(expression)"}"#)
    } throws: { ($0 as? PlanError)?.advice == hint }
  }

  @Test("expressions that are too deep or too long are refused")
  func bounds() throws {
    let world = try MigrationWorld(text: Self.object)
    for text in [
      String(repeating: "(", count: 5000) + "i", String(repeating: "-", count: 5000) + " i",
      String(repeating: "not ", count: 5000) + "b",
      String(repeating: "b ? 1 : ", count: 5000) + "1",
      String(repeating: "1 + ", count: 5000) + "i", String(repeating: "lower(", count: 5000) + "s",
    ] {
      #expect(throws: (any Error).self) {
        _ = try world.migrate("add-property: {class: T, name: p, type: int, value: \"\(text)\"}")
      }
    }
    let chain = Array(repeating: "i == 1", count: 5000).joined(separator: " || ")
    let json = try world.migrate(
      "add-property: {class: T, name: p, type: bool, value: \"\(chain)\"}"
    ).json
    #expect(json.values(of: "T", "p") == [.bool(false)])
  }

  @Test("new identifiers differ between objects, and now() does not")
  func newValues() throws {
    let world = try MigrationWorld()
    let json = try world.migrate(
      """
      add-property: {class: Person, name: a, type: objectId, value: "newObjectId()"}
      add-property: {class: Person, name: u, type: uuid, value: "newUUID()"}
      add-property: {class: Person, name: w, type: date, value: "now()"}
      """
    ).json
    func distinct(_ name: String) -> Int {
      Set(json.values(of: "Person", name).map { "\($0 ?? .null)" }).count
    }
    #expect(distinct("a") == 3 && distinct("u") == 3 && distinct("w") == 1)
    for value in json.values(of: "Person", "u") {
      let text = Array(value?["$uuid"]?.string ?? "")
      // RFC 4122: version 4, and the variant.
      #expect(text.count == 36 && text[14] == "4" && "89ab".contains(text[19]))
    }
  }
}
