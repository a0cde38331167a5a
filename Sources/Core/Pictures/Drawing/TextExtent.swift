import RealmStorage

/// Estimates how much space text takes in a proportional font.
///
/// The viewer chooses the font, so the widths are those of a wide one, DejaVu Sans, rounded up: text may take less
/// space than estimated, but not more with other usual fonts.
package enum TextExtent {
  /// Width of the text in pixels.
  ///
  /// - Parameters:
  ///   - size: the size of the font in pixels.
  ///   - isBold: bold characters are about a tenth wider.
  package static func width(of text: String, size: Int, isBold: Bool = false) -> Int {
    let hundredths = text.printable.reduce(0) { $0 + width(of: $1) }
    return (hundredths * size * (isBold ? 112 : 100) + 9999) / 10_000
  }

  /// `text` cut to `width` pixels, with an ellipsis at the end if it is wider.
  package static func cut(
    _ text: String, to width: Int, size: Int, isBold: Bool = false
  ) -> String {
    Text.cut(text.printable, to: width) { TextExtent.width(of: $0, size: size, isBold: isBold) }
  }

  /// Width of a character in hundredths of the font size.
  private static func width(of character: Character) -> Int {
    if character.isASCII {
      for (width, characters) in groups where characters.contains(character) { return width }
      return 64
    }
    return character == "…" ? 100 : max(72, 110 * String(character).displayWidth / 2)
  }

  /// The characters that are narrower or wider than digits and most lower-case letters.
  private static let groups: [(width: Int, characters: String)] = [
    (34, "ijlIJ|'` .,:;/\\"), (43, "frt()[]-!\""), (58, "csz?_*LF"), (71, "ABCRKVXZ"),
    (80, "DGHNOQUwE"), (86, "<>+=~^#M&$"), (101, "mW%@"),
  ]
}
