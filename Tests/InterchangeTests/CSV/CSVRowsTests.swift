import RealmInterchange
import RealmStorage
import TestSupport
import Testing

@Suite("Rows of CSV")
struct CSVRowsTests {
  /// The fields of all rows; a quoted field keeps its quotes.
  private func rows(_ text: String) throws -> [[String]] {
    let bytes = Array(text.utf8)
    let block = TextBlock(0..<bytes.count)
    block.fill(bytes)
    var reader = CSVRows(block)
    var rows: [[String]] = []
    while try reader.next() != nil {
      rows.append(
        reader.fields.map { field in
          let text = block.bytes(field.content).text
          return field.isQuoted ? "'\(text)'" : text
        })
    }
    return rows
  }

  /// The examples of RFC 4180, section 2, and other forms that programs write.
  static let texts: [(text: String, rows: [[String]])] = [
    ("aaa,bbb,ccc\r\nzzz,yyy,xxx\r\n", [["aaa", "bbb", "ccc"], ["zzz", "yyy", "xxx"]]),
    ("aaa,bbb,ccc\r\nzzz,yyy,xxx", [["aaa", "bbb", "ccc"], ["zzz", "yyy", "xxx"]]),
    (
      "\"aaa\",\"bbb\",\"ccc\"\r\nzzz,yyy,xxx",
      [["'aaa'", "'bbb'", "'ccc'"], ["zzz", "yyy", "xxx"]]
    ),
    ("\"aaa\",\"b\r\nbb\",\"ccc\"\r\nzzz", [["'aaa'", "'b\r\nbb'", "'ccc'"], ["zzz"]]),
    ("\"aaa\",\"b\"\"bb\",\"ccc\"", [["'aaa'", "'b\"bb'", "'ccc'"]]),
    ("a,b\nc,d\n", [["a", "b"], ["c", "d"]]),
    ("a,b\rc,d\r", [["a", "b"], ["c", "d"]]),
    ("\r\n\n\r\na\r\n\r\nb\n\n", [["a"], ["b"]]),
    ("a,,\"\"\n,,\n", [["a", "", "''"], ["", "", ""]]),
    (" a , b\t,\"c \"\n", [[" a ", " b\t", "'c '"]]),
    ("\"\"\"\"\"\",\"\"\"x\"\n", [["'\"\"'", "'\"x'"]]),
    ("é,\"日\n本\"\n", [["é", "'日\n本'"]]),
    (",", [["", ""]]),
    ("\"\"", [["''"]]),
    ("", []),
  ]

  @Test("fields are split as in RFC 4180", arguments: texts)
  func split(text: (text: String, rows: [[String]])) throws {
    #expect(try rows(text.text) == text.rows)
  }

  static let badTexts: [(text: String, offset: Int)] = [
    ("a,b\"c\n", 3), ("a\n\"b\"c\n", 5), ("a\n\"b", 2), ("a,\"b\"\"\n", 2), ("\"a\" ,b", 3),
  ]

  @Test("quotes in the wrong place are refused with their offset", arguments: badTexts)
  func quotes(text: (text: String, offset: Int)) {
    let error = #expect(throws: ImportError.self) { try rows(text.text) }
    #expect(error?.offset == text.offset)
  }

  @Test("a file that is not UTF-8 is refused with the offset")
  func encoding() {
    let block = TextBlock(0..<4)
    block.fill([0x61, 0x2C, 0xE9, 0x0A])
    var reader = CSVRows(block)
    let error = #expect(throws: ImportError.self) { _ = try reader.next() }
    #expect(error?.kind == .encoding("in another encoding"))
    #expect(error?.offset == 2)
  }

  /// The scan sees a file in steps, and must find the same ends of rows as the reader, wherever the file is cut.
  @Test("rows end at the same places, however the file is cut")
  func cuts() throws {
    var random = SplitMix64(seed: 4180)
    let fields = ["", "a", " b ", "\"x\"", "\"\"", "\"1\n2\"", "\"p\"\"q\r\"", "\"\"\"\""]
    let ends = [",", ",", "\n", "\r\n", "\r", "\n\n"]
    for round in 0..<2000 {
      var text: [UInt8] = []
      for _ in 0..<Int.random(in: 1...12, using: &random) {
        text += (fields.randomElement(using: &random) ?? "").utf8
        text += (ends.randomElement(using: &random) ?? "").utf8
      }
      text += "z\n".utf8
      let cut = Int.random(in: 0...text.count, using: &random)
      let block = TextBlock(0..<text.count)
      block.fill(text)
      var (scan, found) = (CSVScan(), [Int]())
      for range in [0..<cut, cut..<text.count] {
        let block = TextBlock(range)
        block.fill(Array(text[range]))
        var position = range.lowerBound
        while let end = try scan.rowEnd(in: block, from: position) {
          found.append(end)
          position = end
        }
      }
      #expect(!scan.isQuoted)
      var (reader, read) = (CSVRows(block), [Int]())
      while let row = try reader.next() { read.append(row.upperBound + 1) }
      // The reader skips empty lines.
      #expect(
        Set(read).isSubset(of: found), "round \(round): \(String(decoding: text, as: UTF8.self))")
      let full = zip([0] + found, found).filter { $1 - $0 > 1 }.map(\.1)
      #expect(full == read, "round \(round): \(String(decoding: text, as: UTF8.self))")
    }
  }
}
