import RealmModel
import RealmStorage
import TestSupport
import Testing

@testable import RealmQuery

@Suite("Values of a query")
struct ValueTests {
  @Test("a mask has the rows for which its condition is true, and no others")
  func masks() {
    for count in [0, 1, 63, 64, 65, 255, 256] {
      let all = RowMask(count: count)
      #expect(all.rows == Array(0..<count))
      let odd = RowMask(count: count) { $0 % 2 == 1 }
      #expect(odd.rows == (0..<count).filter { $0 % 2 == 1 })
      #expect((all - odd).rows == (0..<count).filter { $0 % 2 == 0 })
      #expect((odd | (all - odd)) == all)
      #expect((odd & (all - odd)).isEmpty)
      #expect(odd.count == count / 2)
    }
  }

  @Test("a set has the keys that it was made from, and no others")
  func keySets() {
    let keys = (0..<1000).map { ObjectKey(Int64($0) * 7919) }
    let set = KeySet(keys)
    #expect(keys.allSatisfy { set.contains($0) })
    #expect(!(0..<1000).contains { set.contains(ObjectKey(Int64($0) * 7919 + 1)) })
    #expect(!KeySet([]).contains(ObjectKey(0)))
  }

  /// Keys whose products with the golden ratio, by which places are often chosen, are 1, 2, 3, ….
  @Test("chosen keys do not collide")
  func chosenKeys() {
    var inverse: UInt64 = 1
    for _ in 0..<6 { inverse = inverse &* (2 &- 0x9E37_79B9_7F4A_7C15 &* inverse) }
    #expect(inverse &* 0x9E37_79B9_7F4A_7C15 == 1)
    let keys = (1...100_000).map { ObjectKey(Int64(bitPattern: UInt64($0) &* inverse)) }
    let set = KeySet(keys)
    #expect(keys.allSatisfy { set.contains($0) })
  }

  @Test("numbers of all types compare by value")
  func numbers() throws {
    let big = Int64(1) << 53 + 1
    #expect(QueryValue.compare(.int(big), .double(0x1p53)) == 1)
    #expect(QueryValue.compare(.int(3), .float(3)) == 0)
    #expect(QueryValue.compare(.float(0.1), .double(0.1)) == 1)
    let tenth = try #require(Decimal128(text: "0.1"))
    #expect(QueryValue.compare(.decimal(tenth), .double(0.1)) == 0)
    #expect(QueryValue.compare(.double(.nan), .int(.min)) == -1)
    #expect(QueryValue.compare(.int(1), .bool(true)) == nil)
    #expect(QueryValue.areEqual(.null, .null))
    #expect(!QueryValue.holds(.null, .less, .int(1)))
    #expect(QueryValue.holds(.null, .lessOrEqual, .null))
  }

  @Test("values of different types are sorted by the rank of the type")
  func ranks() {
    let bytes = SliceColumn(copying: [[1], Array(repeating: 0, count: 12)])
    let ordered: [QueryValue] = [
      .null, .bool(true), .int(7), .string(bytes[0] ?? .empty), .binary(bytes[0] ?? .empty),
      .date(seconds: 0, nanoseconds: 0), .objectId(bytes[1] ?? .empty), .link(0, ObjectKey(0)),
      .list(0), .dictionary(0),
    ]
    for i in ordered.indices {
      for j in ordered.indices {
        let order = QueryValue.sortOrder(ordered[i], ordered[j])
        #expect(order == (i < j ? -1 : i > j ? 1 : 0))
      }
    }
  }

  @Test(
    "patterns match without case of ASCII and Latin-1 letters, and only of these",
    arguments: [
      ("Straße", "STRASSE", false), ("ÅSA", "åsa", true), ("×", "÷", false), ("Ā", "ā", false),
      ("abc", "ABC", true), ("@", "`", false), ("Þ", "þ", true), ("ÿ", "ß", false),
    ])
  func cases(text: String, pattern: String, isEqual: Bool) {
    let bytes = SliceColumn(copying: [Array(text.utf8), Array(pattern.utf8)])
    let (a, b) = (bytes[0] ?? .empty, bytes[1] ?? .empty)
    #expect(TextPattern(b, ignoresCase: true).equals(a) == isEqual)
    #expect(!TextPattern(b, ignoresCase: false).equals(a))
  }

  @Test(
    "parts and wildcards are found at the beginning, in the middle and at the end",
    arguments: [
      ("hello", "*", true), ("", "*", true), ("", "?", false), ("ÅSA", "?SA", true),
      ("hello", "h?llo", true), ("hello", "*l*", true), ("hello", "l*", false),
      ("aaaaaaaab", "*a*a*a*c", false), ("a*b", "a\\*b", false), ("ab", "a?b", false),
      // As in the reference: one * can match no bytes at the end of a string.
      ("Ann", "Ann*", true), ("Ann", "Ann**", false), ("", "**", false), ("Ann", "**", true),
    ])
  func wildcards(text: String, pattern: String, isMatch: Bool) {
    let bytes = SliceColumn(copying: [Array(text.utf8), Array(pattern.utf8)])
    let (a, b) = (bytes[0] ?? .empty, bytes[1] ?? .empty)
    #expect(TextPattern(b, ignoresCase: false).isLike(a) == isMatch)
  }

  @Test("a long part is found in linear time, with its case or without")
  func longParts() {
    let text = lastingSlice(
      Array(repeating: UInt8(ascii: "a"), count: 120_000) + Array("æB".utf8))
    let middle = Array(repeating: UInt8(ascii: "A"), count: 60_000)
    for (end, isFound) in [("", true), ("Æb", true), ("b", false), ("Æc", false)] {
      let part = lastingSlice(middle + Array(end.utf8))
      #expect(TextPattern(part, ignoresCase: true).isPart(of: text) == isFound, "\(end)")
      #expect(!TextPattern(part, ignoresCase: false).isPart(of: text))
      let exact = lastingSlice(middle.map { $0 | 0x20 } + Array((isFound ? "æB" : "æb").utf8))
      #expect(TextPattern(exact, ignoresCase: false).isPart(of: text) == isFound)
    }
  }

  @Test("a part is found where the standard library finds it")
  func parts() {
    var random = SplitMix64(seed: 1)
    for _ in 0..<2000 {
      let text = (0..<Int.random(in: 0...120, using: &random)).map { _ in
        "aaaab".randomElement(using: &random) ?? "a"
      }
      // Long parts are searched for in another way.
      let start = Int.random(in: 0...text.count, using: &random)
      var part = Array(text.dropFirst(start).prefix(Int.random(in: 0...60, using: &random)))
      if Bool.random(using: &random) {
        part.append("ab".randomElement(using: &random) ?? "a")
      }
      let bytes = SliceColumn(
        copying: [
          Array(String(text).utf8), Array(String(part).uppercased().utf8), Array(String(part).utf8),
        ])
      let expected = part.isEmpty || String(text).contains(String(part))
      let a = bytes[0] ?? .empty
      #expect(
        TextPattern(bytes[1] ?? .empty, ignoresCase: true).isPart(of: a) == expected,
        "\(String(text)) \(String(part))")
      #expect(TextPattern(bytes[2] ?? .empty, ignoresCase: false).isPart(of: a) == expected)
    }
  }
}
