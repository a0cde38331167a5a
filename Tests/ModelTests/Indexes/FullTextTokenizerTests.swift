import RealmStorage
import TestSupport
import Testing

@testable import RealmModel

/// Chapter 3, section 5.8.
@Suite("Full-text words")
struct FullTextTokenizerTests {
  private struct Word: WordBytes {
    var bytes: [UInt8] = []
    var byteCount: Int { bytes.count }
    mutating func add(_ byte: UInt8) { bytes.append(byte) }
  }

  private func words(_ text: String) -> [String] { words(Array(text.utf8)) }

  private func words(_ text: [UInt8]) -> [String] {
    var tokenizer = FullTextTokenizer(lastingSlice(text))
    var words: [String] = []
    var word = Word()
    while tokenizer.next(into: &word) {
      words.append(String(decoding: word.bytes, as: UTF8.self))
      word = Word()
    }
    return words
  }

  @Test("letters and digits make words, in lower case")
  func plain() {
    #expect(words("Hello, World 42!") == ["hello", "world", "42"])
    #expect(words("  ") == [])
    #expect(words("") == [])
    #expect(words("a-b_c") == ["a", "b", "c"])
  }

  @Test("Latin letters lose their diacritics, some stay")
  func diacritics() {
    #expect(words("Été Ñandú ÀÖÜ") == ["ete", "nandu", "aou"])
    #expect(words("Åse Æble Øl Þor ðß") == ["åse", "æble", "øl", "þor", "ðß"])
    #expect(words("Ýý çÇ") == ["yy", "cc"])
  }

  @Test("signs of multiplication are part of a word and leave nothing")
  func silent() {
    #expect(words("a×b ÷ c") == ["ab", "", "c"])
  }

  @Test("all other characters separate words: ÿ, other scripts, longer characters")
  func separators() {
    #expect(words("aÿb") == ["a", "b"])
    #expect(words("aŁb") == ["a", "b"])
    #expect(words("a…b😀c") == ["a", "b", "c"])
  }

  @Test("a word is cut at 64 bytes")
  func long() {
    #expect(
      words(String(repeating: "a", count: 70) + " b") == [String(repeating: "a", count: 64), "b"])
    // A letter of two bytes is not cut in half; one of one byte still has room.
    let most = String(repeating: "a", count: 63)
    #expect(words(most + "åb c") == [most + "b", "c"])
  }

  @Test("words of every length are found at every place")
  func places() {
    for start in 0..<10 {
      for length in 1...20 {
        let word = String("aB3dEfGh9jKlMnOpQrSt".prefix(length))
        for end in ["", "-", " é", "é-8"] {
          let found = words(String(repeating: " ", count: start) + word + end)
          let expected =
            switch end {
            case " é": [word.lowercased(), "e"]
            case "é-8": [word.lowercased() + "e", "8"]
            default: [word.lowercased()]
            }
          #expect(found == expected, "\(start), \(word + end)")
        }
      }
    }
  }

  @Test("ASCII letters and digits belong to words, other ASCII characters do not")
  func characters() {
    for byte in UInt8(0)..<0x80 {
      let character = String(UnicodeScalar(byte))
      let isInWord = "0123456789abcdefghijklmnopqrstuvwxyz".contains(character.lowercased())
      #expect(
        words("abc\(character)defghijkl")
          == (isInWord ? ["abc\(character.lowercased())defghijkl"] : ["abc", "defghijkl"]))
    }
  }

  /// The expected words are those of realm-core 14.14.0.
  @Test("in a string that is not UTF-8, a first byte takes any bytes after it")
  func notUTF8() {
    #expect(words([0x61, 0xC3, 0x62, 0x20, 0x63]) == ["aa", "c"])
    #expect(words([0x61, 0xC3, 0x9F, 0xC3, 0x1F, 0x62]) == ["aßßb"])
    #expect(words([0x61, 0xC3, 0x3F, 0x62]) == ["a", "b"])
    #expect(words([0x78, 0xD4, 0x70, 0x79]) == ["x", "y"])
    #expect(words([0x61, 0x62, 0xE2, 0x78, 0x79, 0x7A, 0x20, 0x64]) == ["ab", "z", "d"])
    #expect(words([0x61, 0x62, 0xF0, 0x78, 0x79, 0x7A, 0x20, 0x64]) == ["ab", "d"])
    #expect(words([0x80, 0x61, 0xFF, 0x62]) == ["a", "b"])
  }

  @Test("a character that the end of the string truncates")
  func cutOff() {
    // À: a zero byte follows the string.
    #expect(words([0x61, 0xC3]) == ["aa"])
    #expect(words([0x61, 0xD4]) == ["a"])
    #expect(words([0x61, 0xE2, 0x78]) == ["a"])
    #expect(words([0x61, 0xF0, 0x78, 0x78]) == ["a"])
  }
}
