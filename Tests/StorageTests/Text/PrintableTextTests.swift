import RealmStorage
import Testing

@Suite("Printable text")
struct PrintableTextTests {
  @Test(
    "characters that change what a terminal shows are made visible",
    arguments: [
      ("a\u{1b}[31mb", "a\\u{1b}[31mb"), ("a\u{9b}b", "a\\u{9b}b"), ("a\u{7f}", "a\\u{7f}"),
      // The name looks like "gpj.exe" without this: the override reverses what follows.
      ("exe.\u{202E}gpj", "exe.\\u{202e}gpj"),
      ("\u{202A}\u{2066}x\u{2069}", "\\u{202a}\\u{2066}x\\u{2069}"),
      ("Per\u{200B}son", "Per\\u{200b}son"), ("\u{FEFF}id", "\\u{feff}id"),
      ("a\u{2028}b\u{2029}", "a\\u{2028}b\\u{2029}"),
    ])
  func hidden(text: String, expected: String) {
    #expect(text.printable == expected)
  }

  @Test(
    "all other characters stay as they are",
    arguments: [
      "", "Größe", "名前", "a b\u{A0}c", "👩", "e\u{301}", "\u{2027}\u{202F}\u{2065}\u{206A}",
    ])
  func shown(text: String) {
    #expect(text.printable.unicodeScalars.elementsEqual(text.unicodeScalars))
  }
}
