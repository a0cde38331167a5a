import RealmJobs
import RealmQuery

/// A line that changes objects:
///
/// ```
/// update Person where age < 0 set age = null, name = trim(name)
/// delete Person where age < 0
/// insert Person {"_id": 7, "name": "Ann"}
/// ```
///
/// The words `update`, `delete` and `insert` are lower case; a class of such a name is put in quotes.
struct ShellStatement: Equatable {
  enum Kind: String, CaseIterable {
    case update, delete, insert

    /// - Returns: nil for a line that does not start with one of the words.
    init?(startOf line: String) {
      let trimmed = line.drop(while: \.isWhitespace)
      self.init(rawValue: String(trimmed.prefix { !$0.isWhitespace }))
    }
  }

  /// A part of the line, and where it starts in it, in bytes.
  struct Part: Equatable {
    let text: String
    let offset: Int
  }

  let kind: Kind
  /// The class, and the condition; of an insertion, the object in the place of the condition.
  let query: ShellQuery
  /// Of an update: each `property = expression`.
  let assignments: [Part]
  private let line: String

  /// - Parameter line: a line that starts with the word of `kind`.
  /// - Throws: ``QueryTextError`` with the place in the line.
  init(_ kind: Kind, _ line: String) throws(QueryTextError) {
    (self.kind, self.line) = (kind, line)
    let rest = line.drop(while: \.isWhitespace).dropFirst(kind.rawValue.count)
    guard kind == .update else {
      (query, assignments) = (ShellQuery(rest, of: line), [])
      try checkParts()
      return
    }
    let words = LineWords(rest)
    guard let place = words.assignmentsStart else {
      query = ShellQuery(rest, of: line)
      assignments = []
      try checkParts()
      throw ShellStatement.error(
        "expected set and a new value at the end", at: line.utf8.count, in: line,
        hint: "write update CLASS where QUERY set PROPERTY = VALUE")
    }
    query = ShellQuery(rest[..<place.word], of: line)
    assignments = words.parts(from: place.end).map {
      Part(text: String($0), offset: ShellQuery.offset(of: $0, in: line))
    }
    try checkParts()
  }

  private func checkParts() throws(QueryTextError) {
    guard query.className.isEmpty || query.text.isEmpty && kind != .update else { return }
    let (expected, example) =
      switch kind {
      case .update: ("a class", "update Person where age < 0 set age = null")
      case .delete where query.className.isEmpty: ("a class", "delete Person where age < 0")
      case .delete:
        ("a query", "delete \(query.className) where TRUEPREDICATE, which deletes all objects")
      case .insert: ("a class and an object", "insert Person {\"name\": \"Ann\"}")
      }
    throw ShellStatement.error(
      "expected \(expected)", at: line.utf8.count, in: line, hint: "such as \(example)")
  }

  private static func error(
    _ message: String, at offset: Int, in line: String, hint: String
  ) -> QueryTextError {
    QueryTextError(
      QueryError(.syntax, message, at: offset..<offset, hint: hint), in: line, of: .query)
  }

  /// An error of this statement, with its place in the line.
  func placed(_ error: QueryTextError) -> QueryTextError {
    guard error.part == .assignment else { return query.placed(error) }
    guard let part = assignments.last(where: { $0.text == error.text }) else { return error }
    var error = error
    let range = error.error.range
    error.error.range = part.offset + range.lowerBound..<part.offset + range.upperBound
    // The part has no name of its own in a line.
    (error.text, error.part) = (line, .query)
    return error
  }

  /// An error of the object of an insertion.
  ///
  /// - Parameter offset: the place in the object, in bytes.
  func placed(_ message: String, at offset: Int) -> QueryTextError {
    ShellStatement.error(
      message, at: min(query.textOffset + offset, line.utf8.count), in: line,
      hint: "docs/realm-json.md shows how to write values")
  }
}

/// The words of a text that are outside of its strings, parentheses, brackets and braces.
struct LineWords {
  private let text: Substring
  /// The words and the single other characters, with white space left out.
  private var tokens: [Substring] = []

  init(_ text: Substring) {
    self.text = text
    var (depth, place) = (0, text.startIndex)
    while place < text.endIndex {
      let start = place
      switch text[place] {
      case let quote where quote == "'" || quote == "\"": place = end(ofString: place, quote)
      case "(", "[", "{":
        depth += 1
        place = text.index(after: place)
      case ")", "]", "}":
        depth -= 1
        place = text.index(after: place)
      case let character where LineWords.isWord(character): place = end(ofWord: place)
      default: place = text.index(after: place)
      }
      let token = text[start..<place]
      if depth <= 0, !token.allSatisfy(\.isWhitespace) { tokens.append(token) }
    }
  }

  private static func isWord(_ character: Character) -> Bool {
    character.isLetter || character.isNumber || "_.@$\\".contains(character)
  }

  private func end(ofString start: Substring.Index, _ quote: Character) -> Substring.Index {
    var place = text.index(after: start)
    while place < text.endIndex, text[place] != quote {
      place =
        text.index(place, offsetBy: text[place] == "\\" ? 2 : 1, limitedBy: text.endIndex)
        ?? text.endIndex
    }
    return place < text.endIndex ? text.index(after: place) : place
  }

  private func end(ofWord start: Substring.Index) -> Substring.Index {
    var place = start
    while place < text.endIndex, LineWords.isWord(text[place]) {
      // A backslash stands before a space in a name.
      place =
        text.index(place, offsetBy: text[place] == "\\" ? 2 : 1, limitedBy: text.endIndex)
        ?? text.endIndex
    }
    return place
  }

  /// Where the word `set` is that begins the assignments, and where it ends: `=` follows after the word behind it. A property
  /// may have this name, too.
  var assignmentsStart: (word: Substring.Index, end: Substring.Index)? {
    let place = tokens.indices.first { i in
      tokens[i].lowercased() == "set" && i + 2 < tokens.count
        && tokens[i + 1].first.map(LineWords.isWord) ?? false && tokens[i + 2] == "="
        && !(tokens.indices.contains(i + 3) && tokens[i + 3] == "="
          && tokens[i + 3].startIndex == tokens[i + 2].endIndex)
    }
    return place.map { (tokens[$0].startIndex, tokens[$0].endIndex) }
  }

  /// The parts between the commas behind `start`.
  func parts(from start: Substring.Index) -> [Substring] {
    let commas = tokens.filter { $0 == "," && $0.startIndex >= start }
    let starts = [start] + commas.map(\.endIndex)
    let ends = commas.map(\.startIndex) + [text.endIndex]
    return zip(starts, ends).map { text[$0..<$1].drop(while: \.isWhitespace) }
  }
}
