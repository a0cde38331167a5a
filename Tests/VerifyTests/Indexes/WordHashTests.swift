import TestSupport
import Testing

@testable import RealmVerify

@Suite("Hashes of full-text words")
struct WordHashTests {
  @Test("letters added together have the hash of the same bytes added one by one")
  func hashOfLetters() {
    let letters = Array("aBcDeFgHiJkLm0123456789".utf8)
    let lower = Array("abcdefghijklm0123456789".utf8)
    for start in 0..<5 {
      for count in 0...letters.count - start {
        var together = WordHash()
        var single = WordHash()
        // The first ones leave the chunk at each of its bytes.
        for byte in lower[..<start] {
          together.add(byte)
          single.add(byte)
        }
        together.add(letters: lastingSlice(Array(letters[start..<start + count])))
        for byte in lower[start..<start + count] { single.add(byte) }
        #expect(together.byteCount == single.byteCount)
        together.finish()
        single.finish()
        #expect(together.value == single.value, "\(start) bytes and \(count)")
      }
    }
  }
}
