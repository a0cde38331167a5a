import RealmJobs
import RealmModel
import RealmQuery

// The completion of words at a prompt.

extension ShellSession {
  /// What can be typed at the end of the beginning of a line.
  func completion(of text: String) -> Completion {
    let start = text.drop(while: \.isWhitespace)
    guard start.first == "." else {
      guard draft != nil, start.contains(where: \.isWhitespace),
        let kind = ShellStatement.Kind(startOf: String(start))
      else { return completion(ofQuery: String(start), isFirst: true) }
      return completion(
        of: kind, start.dropFirst(kind.rawValue.count).drop(while: \.isWhitespace))
    }
    let name = start.prefix { !$0.isWhitespace }
    let argument = start.dropFirst(name.count)
    guard !argument.isEmpty else {
      let words = ShellWord.allCases.filter { draft != nil || !ShellWord.ofDrafts.contains($0) }
      return Completion(String(name), words.map { ".\($0)" }, startingWith: name)
    }
    let typed = argument.drop(while: \.isWhitespace)
    switch ShellWord(rawValue: String(name.dropFirst())) {
    case .count, .explain: return completion(ofQuery: String(typed))
    case .schema: return Completion(String(typed), classNames, startingWith: typed)
    case .mode:
      return Completion(
        String(typed), QueryFormat.allCases.map(\.rawValue), startingWith: typed)
    case .timer: return Completion(String(typed), ["off", "on"], startingWith: typed)
    default: return Completion(String(typed), [])
    }
  }

  private var classNames: [String] {
    let schema = realm.readable.schema
    return schema.appClasses.map { schema.classes[$0].name.text }
  }

  /// - Parameter text: what follows the word of the statement.
  private func completion(of kind: ShellStatement.Kind, _ text: Substring) -> Completion {
    guard text.contains(where: \.isWhitespace) else { return completion(ofQuery: String(text)) }
    switch kind {
    case .insert: return Completion("", [])
    case .delete: return completion(ofQuery: String(text))
    case .update:
      // The last word of the assignments: a property, or what it is set to.
      let end = text.lastIndex { !$0.isLetter && !$0.isNumber && $0 != "_" }
      let word = text[(end.map { text.index(after: $0) } ?? text.startIndex)...]
      let words = text[..<word.startIndex].split { $0.isWhitespace || $0 == "," }
      let schema = realm.readable.schema
      let owner = schema.classes.first { $0.name.text == ShellQuery(String(text)).className }
      guard let owner, words.contains("set") else {
        var found = completion(ofQuery: String(text))
        if "set".hasPrefix(word.lowercased()), words.count > 0 {
          found = Completion(found.typed, found.words + ["set"])
        }
        return found
      }
      return Completion(
        String(word), owner.properties.map(\.name.text), startingWith: word)
    }
  }

  /// - Parameter isFirst: whether the words of statements are possible in the place of a class.
  private func completion(ofQuery text: String, isFirst: Bool = false) -> Completion {
    guard let place = text.firstIndex(where: \.isWhitespace), text.first != "'", text.first != "\""
    else {
      let names = classNames.filter { $0.allSatisfy { !$0.isWhitespace } }
      let statements =
        isFirst && draft != nil ? ShellStatement.Kind.allCases.map(\.rawValue) : []
      return Completion(text, names + statements, startingWith: text[...])
    }
    let query = ShellQuery(text)
    let schema = realm.readable.schema
    guard
      let position = schema.classes.firstIndex(where: {
        !$0.isInternal && $0.name.text == query.className
      })
    else { return Completion("", []) }
    let found = QueryCompletion(query.text, ofClassAt: position, in: schema)
    var words = found.words.map(\.text)
    let rest = text[place...].drop(while: \.isWhitespace)
    if !rest.contains(where: \.isWhitespace), !rest.contains("."), "where".hasPrefix(rest) {
      words.append("where")
    }
    return Completion(found.prefix, words, startingWith: found.prefix[...])
  }
}
