/// A line of the shell: a command that starts with a dot, a statement that changes objects, or a query.
enum ShellLine: Equatable {
  case command(name: String, argument: String)
  case statement(ShellStatement.Kind)
  case query(ShellQuery)

  /// - Returns: nil for an empty line or a comment.
  init?(_ line: String) {
    let trimmed = line.drop(while: \.isWhitespace)
    guard let first = trimmed.first, first != "#" else { return nil }
    guard first == "." else {
      self = ShellStatement.Kind(startOf: line).map { .statement($0) } ?? .query(ShellQuery(line))
      return
    }
    let name = trimmed.prefix { !$0.isWhitespace }
    let argument = trimmed.dropFirst(name.count).drop(while: \.isWhitespace)
    self = .command(name: String(name), argument: ShellLine.trimmed(argument))
  }

  /// The words of an argument; quotes hold spaces.
  ///
  /// - Returns: nil if a quote is not closed.
  static func words(_ argument: String) -> [String]? {
    var (words, word, quote) = ([String](), nil as String?, nil as Character?)
    for character in argument {
      if let open = quote {
        if character == open { quote = nil } else { word = (word ?? "") + String(character) }
      } else if character == "'" || character == "\"" {
        (quote, word) = (character, word ?? "")
      } else if character.isWhitespace {
        if let done = word { words.append(done) }
        word = nil
      } else {
        word = (word ?? "") + String(character)
      }
    }
    guard quote == nil else { return nil }
    return words + (word.map { [$0] } ?? [])
  }

  private static func trimmed(_ text: Substring) -> String {
    var text = text
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text)
  }
}
