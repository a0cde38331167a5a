import RealmModel
import RealmStorage
import Testing

@testable import RealmInterchange

@Suite("Prepared columns")
struct PreparedColumnsTests {
  private let name = Array("\"a\":".utf8)

  private func text(_ row: Int, of column: Int, _ prepared: borrowing PreparedColumns) -> String? {
    var output = TextBuffer()
    guard prepared.append(row, of: column, to: &output) else { return nil }
    return String(decoding: output.bytes, as: UTF8.self)
  }

  @Test("values are taken row by row, short and long ones")
  func rows() {
    var prepared = PreparedColumns()
    // Around the 32 and 64 bytes that are copied in one or two steps.
    let lengths = [0, 1, 27, 28, 29, 31, 32, 59, 60, 61, 200]
    prepared.append(lengths.count, name, NullMask()) { row, text in
      for _ in 0..<lengths[row] { text.append(UInt8(ascii: "x")) }
    }
    prepared.skip()
    prepared.append(lengths.count, name, NullMask()) { row, text in text.append(decimal: row) }
    for (row, length) in lengths.enumerated() {
      #expect(text(row, of: 0, prepared) == "\"a\":" + String(repeating: "x", count: length))
      #expect(text(row, of: 1, prepared) == nil)
      #expect(text(row, of: 2, prepared) == "\"a\":\(row)")
    }
  }

  @Test("a column of too much text is left out, and those behind it are not")
  func limit() {
    var prepared = PreparedColumns()
    let isPrepared = prepared.append(10, name) { _, text in
      text.append(bytes: [UInt8](repeating: 0x78, count: 1 << 20))
      return true
    }
    #expect(!isPrepared)
    prepared.append(10, name, NullMask()) { row, text in text.append(decimal: row) }
    #expect(text(3, of: 0, prepared) == nil)
    #expect(text(3, of: 1, prepared) == "\"a\":3")
  }

  @Test("a column with a value that cannot be prepared is left out")
  func refused() {
    var prepared = PreparedColumns()
    prepared.append(2, name, NullMask()) { row, text in text.append(decimal: row) }
    prepared.append(2, name) { row, text in
      text.append("half")
      return row == 0
    }
    prepared.append(2, name, NullMask()) { row, text in text.append(decimal: row + 7) }
    #expect(text(1, of: 0, prepared) == "\"a\":1")
    #expect(text(0, of: 1, prepared) == nil)
    #expect(text(1, of: 2, prepared) == "\"a\":8")
  }
}
