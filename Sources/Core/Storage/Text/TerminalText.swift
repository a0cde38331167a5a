import CSystem

/// Formats text for a terminal.
package enum Text {
  package enum Alignment: Sendable {
    case left, right
  }

  /// `text` padded with spaces to `columns`; longer text is unchanged.
  package static func padded(_ text: String, to columns: Int, _ alignment: Alignment) -> String {
    let spaces = String(repeating: " ", count: max(0, columns - text.displayWidth))
    return alignment == .left ? text + spaces : spaces + text
  }

  /// `text` cut to `limit`, with an ellipsis at the end if it is longer.
  ///
  /// - Parameters:
  ///   - limit: columns of a terminal, or the unit of `measure`.
  ///   - measure: the width of a string, which is the sum of the widths of its characters.
  package static func cut(
    _ text: String, to limit: Int, measure: (String) -> Int = { $0.displayWidth }
  ) -> String {
    guard measure(text) > limit else { return text }
    let ellipsis = "…"
    var (cut, width) = ("", measure(ellipsis))
    for character in text {
      width += measure(String(character))
      guard width <= limit else { break }
      cut.append(character)
    }
    return cut + ellipsis
  }

  /// `count` with its noun: "1 class", "2 classes".
  package static func count(_ count: Int, _ one: String, _ many: String) -> String {
    "\(count) \(count == 1 ? one : many)"
  }

  /// `count` with a noun whose plural has an s: "1 object", "2 objects".
  package static func count(_ count: Int, _ noun: String) -> String {
    Text.count(count, noun, noun + "s")
  }

  /// A size for people, in decimal units: "1.5 MB". Exact below 1000 bytes.
  package static func size(_ byteCount: Int) -> String {
    guard byteCount >= 1000 else { return count(byteCount, "byte") }
    var (tenths, unit) = (byteCount / 100, 0)
    let units = ["kB", "MB", "GB", "TB", "PB", "EB"]
    while tenths >= 10_000, unit < units.count - 1 {
      tenths /= 1000
      unit += 1
    }
    return tenths < 1000
      ? "\(tenths / 10).\(tenths % 10) \(units[unit])" : "\(tenths / 10) \(units[unit])"
  }
}

extension String {
  /// Number of columns on a terminal. A character made of several scalars has at most two.
  package var displayWidth: Int {
    reduce(0) { sum, character in
      sum + min(2, character.unicodeScalars.reduce(0) { $0 + Int(csystem_columns($1.value)) })
    }
  }
}
