import RealmJobs
import RealmModel
import RealmQuery

// The completion of words at a prompt.

extension ShellSession {
  /// What can be typed at the end of the beginning of a line.
  func completion(of text: String) -> Completion {
    let start = text.drop(while: \.isWhitespace)
    guard start.first == "." else { return completion(ofQuery: String(start)) }
    let name = start.prefix { !$0.isWhitespace }
    let argument = start.dropFirst(name.count)
    guard !argument.isEmpty else {
      return Completion(String(name), ShellWord.allCases.map { ".\($0)" }, startingWith: name)
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

  private func completion(ofQuery text: String) -> Completion {
    guard let place = text.firstIndex(where: \.isWhitespace), text.first != "'", text.first != "\""
    else {
      let names = classNames.filter { $0.allSatisfy { !$0.isWhitespace } }
      return Completion(text, names, startingWith: text[...])
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
