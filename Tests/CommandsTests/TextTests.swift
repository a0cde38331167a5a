import Commands
import RealmStorage
import Testing

@Suite("Text for people")
struct TextTests {
  @Test(
    "a terminal's columns are counted, not bytes or scalars",
    arguments: [
      ("", 0), ("abc", 3), ("é", 1), ("e\u{301}", 1), ("日本", 4), ("👩‍👩‍👧", 2), ("🇨🇭", 2),
    ] as [(String, Int)])
  func displayWidth(text: String, columns: Int) {
    #expect(text.displayWidth == columns)
  }

  @Test("columns are aligned and lines end with their text")
  func table() {
    var table = Table([.left, .right, .left])
    table.append(["Person", "1000", "top level"])
    table.append(["日本", "7", ""])
    table.append(["evil\u{1B}[2J", "", "x"])
    #expect(
      table.text(indent: "  ") == """
          Person         1000  top level
          日本              7
          evil\\u{1b}[2J        x

        """)
  }

  @Test(
    "sizes are shown in decimal units",
    arguments: [
      (1, "1 byte"), (999, "999 bytes"), (1000, "1.0 kB"), (4096, "4.0 kB"), (99_999, "99.9 kB"),
      (100_000, "100 kB"), (999_999, "999 kB"), (1_048_576, "1.0 MB"), (75_000_000, "75.0 MB"),
      (.max, "9.2 EB"),
    ] as [(Int, String)])
  func size(byteCount: Int, text: String) {
    #expect(Text.size(byteCount) == text)
  }

  @Test("a progress line fits the terminal")
  func progress() {
    #expect(ProgressBar.line("reading", 1, of: 2, columns: 25) == "reading [####----]  50 %")
    #expect(ProgressBar.line("reading", 5, of: 2, columns: 25) == "reading [########] 100 %")
    #expect(ProgressBar.line("reading", 0, of: 0, columns: 10) == "  0 %")
    for columns in 24...200 {
      #expect(ProgressBar.line("reading", 1, of: 3, columns: columns).displayWidth <= columns)
    }
  }
}
