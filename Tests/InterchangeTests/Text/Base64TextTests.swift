import RealmInterchange
import Testing

@Suite("Base 64")
struct Base64TextTests {
  /// The vectors of RFC 4648, section 10.
  @Test(
    "the vectors of the RFC",
    arguments: [
      ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
      ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
    ])
  func vectors(input: String, expected: String) {
    let text = textWritten { buffer in withSlice(input.utf8) { buffer.append(base64: $0) } }
    #expect(text == expected)
  }

  @Test("all letters of the alphabet, in order")
  func alphabet() {
    // Six bits each of 0 to 63, three bytes for four of them.
    let bytes = stride(from: 0, to: 64, by: 4).flatMap { first -> [UInt8] in
      let group = first << 18 | (first + 1) << 12 | (first + 2) << 6 | (first + 3)
      return [group >> 16, group >> 8, group].map { UInt8(truncatingIfNeeded: $0) }
    }
    let text = textWritten { buffer in withSlice(bytes) { buffer.append(base64: $0) } }
    #expect(text == "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
  }

  @Test("the values of the specification")
  func specification() {
    let text = textWritten { buffer in withSlice([0, 1, 0xFF]) { buffer.append(base64: $0) } }
    #expect(text == "AAH/")
  }

  /// The output of the reference library (14.14) for each key.
  @Test(
    "dictionary keys as realm-core prints them",
    arguments: [
      ([], #""""#), ([0x61], #""a""#), ([0x61, 0x22], #"B64"YSI=""#), ([0x27], #"B64"Jw==""#),
      ([0x5C], #"B64"XA==""#), ([0x7F], #"B64"fw==""#), ([0x00], #"B64"AA==""#),
      ([0xC3, 0xA9], #""é""#), ([0xC3], #"B64"ww==""#), ([0xC3, 0x29], #"B64"wyk=""#),
      ([0x80], #"B64"gA==""#), ([0xFF], #"B64"/w==""#), ([0xFE], #"B64"/g==""#),
      ([0xE2, 0x82, 0xAC], #""€""#), ([0xE2, 0x82], #"B64"4oI=""#),
      ([0xF0, 0x9F, 0x98, 0x80], #""😀""#), ([0xC3, 0xA9, 0x0A], #"B64"w6kK""#),
      (Array("a b-".utf8), #""a b-""#),
      (Array("{|}~:;<=>?@!#$%&()*+,-./[]^_` aZ09".utf8), #""{|}~:;<=>?@!#$%&()*+,-./[]^_` aZ09""#),
    ] as [([UInt8], String)])
  func keys(key: [UInt8], expected: String) {
    let text = textWritten { buffer in withSlice(key) { buffer.append(coreKey: $0) } }
    #expect(text == expected)
  }

  @Test("a key in the UTF-8 of old, six bytes a character, is printed as it is")
  func oldKey() {
    let key: [UInt8] = [0xFC, 0x80, 0x80, 0x80, 0x80, 0x80]
    let bytes = bytesWritten { buffer in withSlice(key) { buffer.append(coreKey: $0) } }
    #expect(bytes == [0x22] + key + [0x22])
  }
}
