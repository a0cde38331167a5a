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

  private func words(_ text: String) -> [String] {
    var tokenizer = FullTextTokenizer(lastingSlice(Array(text.utf8)))
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

  @Test("everything else separates: ÿ, other scripts, longer characters")
  func separators() {
    #expect(words("aÿb") == ["a", "b"])
    #expect(words("aŁb") == ["a", "b"])
    #expect(words("a…b😀c") == ["a", "b", "c"])
  }

  @Test("a word is cut at 64 bytes")
  func long() {
    #expect(
      words(String(repeating: "a", count: 70) + " b") == [String(repeating: "a", count: 64), "b"])
  }
}
