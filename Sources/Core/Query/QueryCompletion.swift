package import RealmModel

/// The words that can stand at the end of the beginning of a query: properties of the class or of a linked one,
/// operators and keywords.
package struct QueryCompletion {
  /// A word, and what it is: the type of a property, or `keyword`.
  package struct Word: Equatable, Sendable {
    package let text: String
    package let kind: String
  }

  /// The beginning of the word that is being written; empty after a space.
  package let prefix: String
  /// The words that begin with ``prefix``, in any case: properties first, in the order of their class.
  package let words: [Word]

  private static let operators = [
    "==", "!=", "<", "<=", ">", ">=", "IN", "BETWEEN", "BEGINSWITH", "ENDSWITH", "CONTAINS", "LIKE",
    "TEXT",
  ]
  private static let beginnings = ["NOT", "ANY", "ALL", "NONE", "TRUEPREDICATE", "SUBQUERY("]
  private static let continuations = ["AND", "OR", "SORT(", "DISTINCT(", "LIMIT("]
  private static let suffixes = [
    "@count", "@size", "@min", "@max", "@sum", "@avg", "@type", "@keys", "@values",
  ]

  /// - Parameter text: the query up to the place of the cursor.
  package init(_ text: String, ofClassAt position: Int, in schema: ObjectSchema) {
    let path = text.reversed().prefix { $0.isLetter || $0.isNumber || "_@.".contains($0) }
      .reversed()
    var steps = String(path).split(separator: ".", omittingEmptySubsequences: false).map(
      String.init)
    let prefix = steps.popLast() ?? ""
    self.prefix = prefix
    // Inside of a string there is nothing to complete.
    guard !QueryCompletion.isInString(text) else {
      words = []
      return
    }
    guard let owner = QueryCompletion.target(of: steps, from: position, in: schema) else {
      words = []
      return
    }
    var words = schema.classes[owner].properties.map {
      Word(text: $0.name.text, kind: QueryCompletion.kind(of: $0, schema))
    }
    let keywords =
      steps.isEmpty
      ? QueryCompletion.keywords(before: text.dropLast(prefix.count)) : QueryCompletion.suffixes
    words += keywords.map { Word(text: $0, kind: "keyword") }
    let start = prefix.lowercased()
    self.words = words.filter { $0.text.lowercased().hasPrefix(start) && $0.text != prefix }
  }

  private static func kind(of property: Property, _ schema: ObjectSchema) -> String {
    let type = schema.target(of: property)?.name.text ?? property.type.rawValue
    switch property.collection {
    case .list: return type + "[]"
    case .set: return type + "<>"
    case .dictionary: return type + "{}"
    case nil: return type
    }
  }

  /// The class that a path of links leads to; nil if there is no such path.
  private static func target(
    of steps: [String], from position: Int, in schema: ObjectSchema
  ) -> Int? {
    var owner = position
    for step in steps {
      guard let property = schema.classes[owner].property(named: step), let target = property.target
      else { return nil }
      owner = target
    }
    return owner
  }

  /// The keywords that can follow: operators after a name, and those that begin or continue a condition elsewhere.
  private static func keywords(before text: Substring) -> [String] {
    let words = text.split { $0.isWhitespace }
    guard let last = words.last, text.last?.isWhitespace ?? false else { return beginnings }
    let word = last.uppercased()
    if ["AND", "OR", "NOT", "&&", "||", "ANY", "ALL", "NONE", "("].contains(word) {
      return beginnings
    }
    if operators.contains(word) { return ["null", "true", "false"] }
    let isName = last.first.map { $0.isLetter || $0 == "_" } ?? false
    let isValue = words.dropLast().last.map { operators.contains($0.uppercased()) } ?? false
    return isName && !isValue ? operators + continuations : continuations
  }

  private static func isInString(_ text: String) -> Bool {
    var quote: Character?
    var isEscaped = false
    for character in text {
      if let open = quote {
        if isEscaped {
          isEscaped = false
        } else if character == "\\" {
          isEscaped = true
        } else if character == open {
          quote = nil
        }
      } else if character == "\"" || character == "'" {
        quote = character
      }
    }
    return quote != nil
  }
}
