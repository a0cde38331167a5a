import RealmStorage

/// The words that can be typed at a place.
struct Completion: Equatable {
  /// The start of the word as typed.
  var typed: String
  /// The words that it may become, whole, sorted.
  var words: [String]

  init(_ typed: String, _ words: [String]) {
    (self.typed, self.words) = (typed, Set(words).sorted())
  }

  /// The words that begin with `prefix`, in any case.
  init(_ typed: String, _ words: [String], startingWith prefix: Substring) {
    let start = prefix.lowercased()
    self.init(typed, words.filter { $0.lowercased().hasPrefix(start) })
  }

  /// What replaces the typed text: the only word, or what all words have in common if that is more than what is typed; nil if
  /// nothing does.
  var insertion: String? {
    guard let first = words.first else { return nil }
    if words.count == 1 { return first == typed ? nil : first }
    let common = words.dropFirst().reduce(first) { $0.commonPrefix(with: $1) }
    return common.count > typed.count ? common : nil
  }

  /// The words in columns.
  ///
  /// - Parameter width: columns of the terminal.
  func listing(width: Int) -> String {
    let shown = words.map { $0.printable }
    let cell = (shown.map(\.displayWidth).max() ?? 0) + 2
    let perLine = max(1, width / cell)
    let lineCount = (shown.count + perLine - 1) / perLine
    return (0..<lineCount).map { line in
      let cells = stride(from: line, to: shown.count, by: lineCount).map { shown[$0] }
      return cells.dropLast().map { Text.padded($0, to: cell, .left) }.joined()
        + (cells.last ?? "") + "\n"
    }.joined()
  }
}

extension String {
  /// The characters at the start of both strings.
  fileprivate func commonPrefix(with other: String) -> String {
    String(zip(self, other).prefix { $0 == $1 }.map(\.0))
  }
}
