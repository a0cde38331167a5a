import RealmModel
import RealmStorage
import TestSupport
import Testing

@testable import RealmInterchange

/// The grammar of JSON (RFC 8259), as far as an import reads it.
@Suite("JSON parser")
struct JSONParserTests {
  /// Calls `body` with the record of a JSON text.
  private func parse<R>(_ text: String, _ body: (JSONRecord) throws -> R) throws -> R {
    let bytes = Array(text.utf8)
    let block = TextBlock(0..<bytes.count)
    block.fill(bytes)
    return try body(try JSONParser().parse(block, block.range))
  }

  /// The tokens of a JSON text in our own notation: JSON, with `:` before names, and numbers with their kind.
  private func tokens(_ text: String) throws -> [String] {
    try parse(text) { record in
      (0..<record.count).map { i in
        switch record.kind(i) {
        case .null: "null"
        case .no: "false"
        case .yes: "true"
        case .integer: "int \(record.integer(i))"
        case .double: "double \(record.number(i))"
        case .largeNumber: "large \(record.numberText(i))"
        case .string: "string \(record.bytes(i).text)"
        case .name: ":\(record.bytes(i).text)"
        case .array: "[\(record.count(i)) to \(record.end(i))"
        case .object: "{\(record.count(i)) to \(record.end(i))"
        }
      }
    }
  }

  @Test("values come in their order, with the ends of arrays and objects")
  func nested() throws {
    #expect(
      try tokens(
        #" { "a" : [ 1 , [ ] , { } ] , "" : { "b" : null } , "c" : [ [ true ] , false ] } "#) == [
          "{3 to 15", ":a", "[3 to 6", "int 1", "[0 to 5", "{0 to 6", ":", "{1 to 10", ":b", "null",
          ":c", "[2 to 15", "[1 to 14", "true", "false",
        ])
  }

  @Test("escapes are replaced, also of quotes at the end of a string")
  func escapes() throws {
    #expect(
      try tokens(#"["a\"","\\","\\\"b","\u00e9\ud83d\ude00\/\n","plain",{"\"k\\":"é"}]"#) == [
        "[6 to 9", #"string a""#, #"string \"#, #"string \"b"#, "string é😀/\n", "string plain",
        "{1 to 9", #":"k\"#, "string é",
      ])
  }

  /// Words of eight bytes are searched. The other characters have bytes that are near a quote or a backslash, or are one with
  /// another highest bit.
  @Test("quotes and backslashes are found at each place of a word", arguments: 0...24)
  func places(length: Int) throws {
    for character in ["x", "#", "!", "[", "]", "¢", "\u{71C}", "\u{9C}"] {
      let text = String(repeating: character, count: length)
      #expect(try tokens("[\"\(text)\"]") == ["[1 to 2", "string \(text)"])
      #expect(
        try tokens("[\"\(text)\\\"\(text)\\\\\",\"\\\\\(text)\"]") == [
          "[2 to 3", "string \(text)\"\(text)\\", "string \\\(text)",
        ])
    }
  }

  @Test("integers of 64 bits are exact, and larger ones keep their digits")
  func integers() throws {
    #expect(
      try tokens(
        "[0,-0,9223372036854775807,-9223372036854775808,9223372036854775808,"
          + "-9223372036854775809,10000000000000000000,99999999999999999999,999999999999999999]")
        == [
          "[9 to 10", "int 0", "int 0", "int 9223372036854775807", "int -9223372036854775808",
          "large 9223372036854775808", "large -9223372036854775809", "large 10000000000000000000",
          "large 99999999999999999999", "int 999999999999999999",
        ])
  }

  @Test("numbers with a fraction or an exponent are doubles, up to the limits of doubles")
  func doubles() throws {
    #expect(
      try tokens("[1.5,-0.0,1e2,1E-2,0.1,1e400,5e-324 ,12345678901234567890.5]") == [
        "[8 to 9", "double 1.5", "double -0.0", "double 100.0", "double 0.01", "double 0.1",
        "large 1e400", "double 5e-324", "double 1.2345678901234567e+19",
      ])
  }

  @Test(
    "invalid JSON is refused",
    arguments: [
      "[1,]", "[,1]", "[1 2]", "[1,,2]", "{\"a\":1,}", "{,}", "{\"a\" 1}", "{\"a\":1 \"b\":2}",
      "{\"a\":1:2}", "{\"a\"}", "{\"a\",1}", "{1:2}", "{a:1}", "{null:1}", "{\"a\":}", "[:]",
      "[01]", "[00]", "[-]", "[1.]", "[.5]", "[+1]", "[1e]", "[1e+]", "[1x]", "[0x1]", "[-01]",
      "[--1]", "[1\"a\"]", "[tru]", "[truex]", "[True]", "[nul]", "[nulll]", "[NaN]", "[\"a\"b]",
      "[\"\\q\"]", "[\"\\u12g4\"]", "[\"\\ud800\"]", "[\"\\ud800\\u0041\"]", "[\"\t\"]",
      "{\"a\":[1}]}", "[']']",
    ])
  func refused(text: String) throws {
    do {
      let found = try tokens(text)
      Issue.record("\(text) has the tokens \(found)")
    } catch let error as ImportError {
      guard case .notJSON = error.kind else {
        Issue.record("\(text): \(error.kind)")
        return
      }
    }
  }

  @Test(
    "JSON that ends too early is refused",
    arguments: [
      "[", "{", "[1", "[1,", "[[1]", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,", "{\"a\":{}",
      "{\"a\":tr", "[1.", "[-",
    ])
  func unfinished(text: String) throws {
    #expect(throws: ImportError.self) { try tokens(text) }
  }

  @Test("an unclosed string is reported as unclosed", arguments: ["[\"a", "[\"a\\\"]"])
  func unclosedString(text: String) throws {
    #expect(
      throws: ImportError(
        .truncated("an array, object or string is not closed"), offset: text.utf8.count)
    ) {
      try tokens(text)
    }
  }

  @Test("anything after the value is refused at its start")
  func trailing() throws {
    for (text, offset) in [("[1]]", 3), ("[1] 2", 4), ("{}{}", 2), ("[1],", 3), ("[] x", 3)] {
      #expect(
        throws: ImportError(.notJSON("found more after the end of the value"), offset: offset),
        "\(text)"
      ) {
        try tokens(text)
      }
    }
  }

  @Test("512 levels are read, and one more is refused")
  func levels() throws {
    func text(_ count: Int) -> String {
      String(repeating: "[", count: count) + String(repeating: "]", count: count)
    }
    #expect(try tokens(text(512)).count == 512)
    #expect(
      throws: ImportError(
        .notJSON("arrays and objects are nested deeper than 512 levels"), offset: 512)
    ) {
      try tokens(text(513))
    }
  }

  @Test("every digit of ObjectIds and UUIDs counts, and other characters are refused")
  func digits() throws {
    let hexadecimal = "0123456789abcdefABCDEF"
    for (valid, isUUID) in [
      ("64f0C0de00000001abCDEF09", false), ("3b241101-E2bb-4255-8cAF-0123456789ab", true),
    ] {
      for position in 0..<valid.utf8.count {
        for byte in UInt8(0x20)...0x7E where byte != 0x22 && byte != 0x5C {
          var bytes = Array(valid.utf8)
          bytes[position] = byte
          let text = String(decoding: bytes, as: UTF8.self)
          let isHyphen = isUUID && [8, 13, 18, 23].contains(position)
          let character = Character(UnicodeScalar(byte))
          let isRight = isHyphen ? character == "-" : hexadecimal.contains(character)
          let expected = text.filter { $0 != "-" }.lowercased()
          let found = try parse(#"["\#(text)"]"#) { (record) -> String? in
            do throws(ValueError) {
              let value = isUUID ? try record.uuid(1) : try record.objectId(1)
              return value.bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
                .joined()
            } catch {
              return nil
            }
          }
          #expect(found == (isRight ? expected : nil), "\(text)")
        }
      }
      for length in [0, 1, valid.count - 1, valid.count + 1] {
        let text = String((valid + "0").prefix(length))
        #expect(throws: ValueError.self, "\(text)") {
          try parse(#"["\#(text)"]"#) { record in
            _ = isUUID ? try record.uuid(1) : try record.objectId(1)
          }
        }
      }
    }
  }
}
