extension String {
  /// The string with the characters made visible that change what a terminal shows: names and paths come from
  /// untrusted files.
  ///
  /// These are control characters, which a terminal interprets, and characters that it does not show but that
  /// reorder, join or break the text around them.
  package var printable: String {
    guard unicodeScalars.contains(where: String.isHidden) else { return self }
    return unicodeScalars.reduce(into: "") { text, scalar in
      if String.isHidden(scalar) {
        text += "\\u{" + String(scalar.value, radix: 16) + "}"
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
  }

  private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F...0x9F: true
    // Zero-width characters and the marks of text direction.
    case 0x061C, 0x180E, 0x200B...0x200F, 0x2060...0x2064, 0xFEFF: true
    // Line and paragraph separators.
    case 0x2028, 0x2029: true
    // Noncharacters, which XML forbids.
    case 0xFFFE, 0xFFFF: true
    // Embeddings, overrides and isolates of text direction.
    case 0x202A...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}
