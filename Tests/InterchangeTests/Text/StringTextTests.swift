import RealmInterchange
import RealmStorage
import Testing

/// `bytes` escaped one byte at a time by the rule.
private func escapedByRule(_ bytes: [UInt8], isStrict: Bool) -> [UInt8] {
  let letters: [UInt8: Character] = [
    0x22: "\"", 0x0A: "n", 0x0D: "r", 0x09: "t", 0x0C: "f", 0x5C: "\\", 0x08: "b",
  ]
  return bytes.flatMap { byte -> [UInt8] in
    if let letter = letters[byte] { return Array("\\\(letter)".utf8) }
    guard isStrict, byte < 0x20 else { return [byte] }
    return Array("\\u00\(byte < 0x10 ? "0" : "")\(String(byte, radix: 16))".utf8)
  }
}

/// The bytes that the buffer has for `input`.
private func written(_ input: [UInt8], isStrict: Bool) -> [UInt8] {
  bytesWritten { buffer in
    withSlice(input) { slice in
      if isStrict {
        buffer.append(jsonEscaped: slice)
      } else {
        buffer.append(coreEscaped: slice)
      }
    }
  }
}

@Suite("Strings as text")
struct StringTextTests {
  @Test("realm-core escapes seven characters and copies all others")
  func core() {
    let input: [UInt8] = [0x61, 0x22, 0x0A, 0x0D, 0x09, 0x0C, 0x5C, 0x08, 0x2F, 0x7F, 0x00, 0x1F]
    let bytes = bytesWritten { buffer in withSlice(input) { buffer.append(coreEscaped: $0) } }
    #expect(bytes == Array(#"a\"\n\r\t\f\\\b/"#.utf8) + [0x7F, 0x00, 0x1F])
  }

  @Test("JSON escapes every control character below 0x20, and nothing from 0x7F on")
  func json() {
    let input: [UInt8] = [0x00, 0x01, 0x0A, 0x0B, 0x1F, 0x20, 0x2F, 0x7F, 0xC3, 0xA9, 0xFF]
    let bytes = bytesWritten { buffer in withSlice(input) { buffer.append(jsonEscaped: $0) } }
    #expect(bytes == Array(#"\u0000\u0001\n\u000b\u001f /"#.utf8) + [0x7F, 0xC3, 0xA9, 0xFF])
    #expect(
      textWritten { $0.append(jsonEscaped: "tab\tand \"é\"" as String) } == #"tab\tand \"é\""#)
    #expect(textWritten { $0.append(jsonEscaped: "" as String) } == "")
  }

  @Test("each byte at each place of a word is escaped by the rule", arguments: [false, true])
  func places(isStrict: Bool) {
    for byte in UInt8.min...UInt8.max {
      for place in 0..<20 {
        var input = [UInt8](repeating: 0x61, count: 20)
        input[place] = byte
        // A neighbour just above the limits: a borrow of the eight-byte test must not reach it.
        if place < 19 { input[place + 1] = 0x21 }
        for length in [20, 40] {
          let text = input + Array(repeating: 0x7A, count: length - 20)
          if written(text, isStrict: isStrict) != escapedByRule(text, isStrict: isStrict) {
            Issue.record("byte \(byte) at \(place) of \(length)")
          }
        }
      }
    }
  }

  @Test("random strings of every length are escaped by the rule", arguments: [false, true])
  func random(isStrict: Bool) {
    let seed: UInt64 = 2
    var generator = SeededGenerator(state: seed)
    for round in 0..<3000 {
      // Sometimes longer than a piece of 4096 bytes; some rounds only with characters that grow six times.
      let length = round % 100 == 0 ? Int.random(in: 4000...9000, using: &generator) : round % 67
      let limit: UInt8 = round % 3 == 0 ? 0x1F : round % 3 == 1 ? 0x7F : 0xFF
      let input = (0..<length).map { _ in UInt8.random(in: 0...limit, using: &generator) }
      let escaped = escapedByRule(input, isStrict: isStrict)
      if written(input, isStrict: isStrict) != escaped {
        Issue.record("seed \(seed), round \(round)")
      }
      let quoted = bytesWritten { buffer in
        withSlice(input) { buffer.append(quoted: $0, isStrict: isStrict) }
      }
      if quoted != [0x22] + escaped + [0x22] {
        Issue.record("seed \(seed), round \(round), with quotes")
      }
    }
  }

  @Test(
    "well-formed and malformed UTF-8",
    arguments: [
      ([], true), ([0x61], true), ([0x00], true), ([0x7F], true),
      ([0xC2, 0x80], true), ([0xDF, 0xBF], true), ([0xE0, 0xA0, 0x80], true),
      ([0xED, 0x9F, 0xBF], true), ([0xEF, 0xBF, 0xBF], true), ([0xF0, 0x90, 0x80, 0x80], true),
      ([0xF4, 0x8F, 0xBF, 0xBF], true),
      // Continuations alone, overlong forms, surrogates, above U+10FFFF, cut short.
      ([0x80], false), ([0xBF], false), ([0xC0, 0x80], false), ([0xC1, 0xBF], false),
      ([0xE0, 0x9F, 0xBF], false), ([0xED, 0xA0, 0x80], false), ([0xF0, 0x8F, 0xBF, 0xBF], false),
      ([0xF4, 0x90, 0x80, 0x80], false), ([0xF5, 0x80, 0x80, 0x80], false), ([0xFF], false),
      ([0xC3], false), ([0xE2, 0x82], false), ([0xF0, 0x9F, 0x98], false),
      ([0xC3, 0x41], false), ([0xE2, 0x82, 0x41], false), ([0xF0, 0x9F, 0x98, 0x41], false),
    ] as [([UInt8], Bool)])
  func validity(bytes: [UInt8], expected: Bool) {
    for prefix in 0..<10 {
      for suffix in [0, 1, 8] {
        let text =
          [UInt8](repeating: 0x61, count: prefix) + bytes + [UInt8](repeating: 0x62, count: suffix)
        #expect(withSlice(text) { $0.isValidUTF8 } == expected)
      }
    }
  }

  @Test("random bytes are well-formed when the standard library says so")
  func randomValidity() {
    let seed: UInt64 = 3
    var generator = SeededGenerator(state: seed)
    // Bytes at the limits of the rules, so that a good share is well-formed.
    let pieces: [UInt8] = [
      0x61, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC2, 0xDF, 0xE0, 0xE1, 0xED, 0xEF, 0xF0,
      0xF1, 0xF4, 0xF5,
    ]
    var counts = [0, 0]
    for round in 0..<100_000 {
      let bytes = (0..<(round % 6)).map { _ in pieces.randomElement(using: &generator) ?? 0 }
      let expected = String(validating: bytes, as: UTF8.self) != nil
      counts[expected ? 1 : 0] += 1
      if withSlice(bytes, { $0.isValidUTF8 }) != expected {
        Issue.record("seed \(seed): \(bytes) should be \(expected)")
      }
    }
    #expect(counts.allSatisfy { $0 > 1000 })
  }
}
