import RealmInterchange
import Testing

@Suite("Integers as text")
struct IntegerTextTests {
  @Test(
    "the ends of the ranges",
    arguments: [
      (0, "0"), (-1, "-1"), (9, "9"), (10, "10"), (-100, "-100"),
      (.max, "9223372036854775807"), (.min, "-9223372036854775808"),
    ] as [(Int64, String)])
  func ends(value: Int64, expected: String) {
    #expect(textWritten { $0.append(decimal: value) } == expected)
  }

  @Test("the largest unsigned number has twenty digits")
  func largest() {
    #expect(textWritten { $0.append(decimal: UInt64.max) } == "18446744073709551615")
  }

  @Test("every power of ten and its neighbours, as Swift prints them")
  func powers() {
    var power: UInt64 = 1
    for _ in 0..<20 {
      for value in [power - 1, power, power + 1] {
        #expect(textWritten { $0.append(decimal: value) } == String(value))
      }
      power = power.multipliedReportingOverflow(by: 10).partialValue
    }
  }

  @Test("random numbers of every length, as Swift prints them")
  func random() {
    let seed: UInt64 = 1
    var generator = SeededGenerator(state: seed)
    for _ in 0..<50_000 {
      let value = Int64(bitPattern: generator.next()) >> Int64.random(in: 0...63, using: &generator)
      let text = textWritten { $0.append(decimal: value) }
      if text != String(value) { Issue.record("seed \(seed): \(value) became \(text)") }
    }
  }

  @Test(
    "a fixed width pads with zeros and keeps the lowest digits",
    arguments: [
      (7, 2, "07"), (0, 9, "000000000"), (123_456_789, 9, "123456789"), (12_345, 4, "2345"),
      (5, 1, "5"), (123, 3, "123"),
    ] as [(UInt64, Int, String)])
  func padded(value: UInt64, width: Int, expected: String) {
    #expect(textWritten { $0.append(zeroPadded: value, width: width) } == expected)
  }

  @Test("base 16 is lower case, for numbers and for bytes")
  func hex() {
    #expect(textWritten { $0.append(hex: 0x7FF8_0000_0000_00AB, digits: 16) } == "7ff80000000000ab")
    #expect(textWritten { $0.append(hex: 0xABC, digits: 2) } == "bc")
    let text = textWritten { buffer in
      withSlice([0x50, 0x7F, 0x1F, 0x00, 0xFF, 0x9A]) { buffer.append(hex: $0) }
    }
    #expect(text == "507f1f00ff9a")
  }

  @Test("a UUID is grouped 8-4-4-4-12")
  func uuid() {
    // The value of the table in chapter 6, section 1.3.
    let bytes: [UInt8] = [
      0xC8, 0xED, 0xAB, 0xC3, 0xF7, 0x38, 0x4C, 0xA3, 0xB6, 0x8D, 0xAB, 0x92, 0xA9, 0x14, 0x78,
      0xA3,
    ]
    let text = textWritten { buffer in withSlice(bytes) { buffer.append(uuid: $0) } }
    #expect(text == "c8edabc3-f738-4ca3-b68d-ab92a91478a3")
  }
}
