import RealmStorage
import TestSupport
import Testing

@testable import RealmModel

/// The order of chapter 2, section 6.3: by kind of value, numbers of all types among each other.
@Suite("Order of sets")
struct StoredOrderTests {
  private static let ascending: [MixedValue] = [
    .null, .bool(false), .bool(true), .double(-.infinity), .int(-1), .float(0.5), .int(1),
    .double(1.5), .int(2), .timestamp(seconds: 0, nanoseconds: 1),
    .timestamp(seconds: 1, nanoseconds: 0), .typedLink(TableKey(1), ObjectKey(5)),
    .typedLink(TableKey(2), ObjectKey(0)), .link(ObjectKey(0)),
  ]

  @Test("each value is below all that follow it, and equal to itself")
  func order() {
    let values = StoredOrderTests.ascending
    for (i, a) in values.enumerated() {
      for (j, b) in values.enumerated() {
        #expect(StoredOrder.current.compare(a, b) == (i < j ? -1 : i > j ? 1 : 0), "\(a), \(b)")
      }
    }
  }

  @Test("equal numbers of any type are one member; the first one stays")
  func duplicates() {
    let members: [MixedValue] = [.double(2), .int(1), .int(2), .float(1)]
    let sorted = StoredOrder.current.sorted(members, keepingDuplicates: false)
    #expect(sorted.members.map { "\($0)" } == ["int(1)", "double(2.0)"])
    #expect(sorted.duplicates == 2)
    #expect(StoredOrder.current.sorted(members, keepingDuplicates: true).members.count == 4)
  }

  // MARK: Formats before 24

  private func order(
    _ number: Int, _ use: StoredOrder.Use, isSigned: Bool = true
  ) throws -> StoredOrder {
    var platform = WriterPlatform()
    platform.hasSignedCharacters = isSigned
    return StoredOrder(try #require(FileFormat(number)), platform, use)
  }

  private func string(_ text: String) -> MixedValue { .string(lastingSlice(text.utf8)) }
  private func binary(_ text: String) -> MixedValue { .binary(lastingSlice(text.utf8)) }

  /// Sorted by the comparison of strings in the reference's library of format 22.
  private static let collated = [
    "", "\u{7F}", "-", " ", "\u{9}", "!", "_", "~", "¡", "0", "10", "2", "9", "a", "a\u{AD}", "a-b",
    "a b", "ab", "aB", "A", "Ab", "AB", "Ā", "b", "B", "e", "ez", "E", "é", "éa", "i", "I", "ı",
    "İ", "n", "N", "ñ", "ŉ", "ss", "ß", "þ", "þa", "Þ", "ÿ", "ɏ", "z", "Z", "ž", "ä", "Ä", "ö",
    "å", "ɐ", "Ω", "я", "中", "日本", "\u{FFFD}", "😀",
  ]

  @Test("strings in sets of mixed values are collated", arguments: [21, 22, 23])
  func collation(format: Int) throws {
    let order = try order(format, .mixedSet)
    let values = StoredOrderTests.collated.map(string)
    for (i, a) in values.enumerated() {
      for (j, b) in values.enumerated() {
        #expect(order.compare(a, b) == (i < j ? -1 : i > j ? 1 : 0), "\(i), \(j)")
      }
    }
  }

  @Test(
    "binaries are among the strings of a set of mixed values in format 22, and after them in 23")
  func binaries() throws {
    let (old, new) = (try order(22, .mixedSet), try order(23, .mixedSet))
    #expect(old.compare(string("b"), binary("a")) == 1)
    #expect(old.compare(string("b"), binary("b")) == 0)
    #expect(new.compare(string("b"), binary("a")) == -1)
    #expect(new.compare(string("b"), binary("b")) == -1)
    #expect(old.isInconsistent && !new.isInconsistent)
    // Binaries in mixed values are compared as unsigned bytes on all platforms.
    for order in [old, new] { #expect(order.compare(binary("é"), binary("z")) == 1) }
  }

  @Test("strings and binaries of other sets are compared as the platform's characters")
  func characters() throws {
    for make in [string, binary] {
      #expect(try order(23, .values).compare(make("é"), make("z")) == -1)
      #expect(try order(23, .values, isSigned: false).compare(make("é"), make("z")) == 1)
      #expect(try order(24, .values).compare(make("é"), make("z")) == 1)
      #expect(try order(22, .values).compare(make("ab"), make("abc")) == -1)
    }
    // An index compares two strings as characters, and all others as in a set of mixed values.
    #expect(try order(23, .index).compare(string("é"), string("z")) == -1)
    #expect(try order(23, .index).compare(binary("é"), binary("z")) == 1)
    #expect(try order(23, .index).compare(string("b"), binary("b")) == 0)
  }
}
