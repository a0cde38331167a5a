import RealmStorage
import Testing

@Suite("Base64")
struct Base64Tests {
  @Test("base64 is read strictly")
  func base64() {
    #expect(Base64.bytes(Array("".utf8)) == [])
    #expect(Base64.bytes(Array("//4=".utf8)) == [0xFF, 0xFE])
    #expect(Base64.bytes(Array("AAH/".utf8)) == [0, 1, 0xFF])
    #expect(Base64.bytes(Array("/w==".utf8)) == [0xFF])
    for text in ["A", "AA", "AAA", "A===", "/x==", "//5=", "=AAA", "AA=A", "AAA*", "AAAA\n"] {
      #expect(Base64.bytes(Array(text.utf8)) == nil, "\(text)")
    }
  }
}
