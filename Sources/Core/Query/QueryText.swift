package import RealmModel

/// Writes parts of queries, for programs that offer them to users.
package enum QueryText {
  /// The name of a property as queries spell it; nil for a name that the language cannot spell, such as an empty one.
  package static func name(
    ofProperty position: Int, ofClass name: String, in schema: ObjectSchema
  ) -> String? {
    guard let owner = schema.objectClass(named: name) else { return nil }
    let property = owner.properties[position].name
    guard property.isValid else { return nil }
    var text = ""
    for character in property.text {
      switch character {
      case " ": text += "\\ "
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      default: text.append(character)
      }
    }
    // The parser knows all words that cannot be names.
    guard let paths = try? QueryPath.paths(text, ofClass: name, in: schema), paths.count == 1,
      paths[0].wholeProperty == position
    else { return nil }
    return text
  }

  /// The query `text` with another condition that objects must meet. Its orderings stay.
  ///
  /// - Returns: nil if `text` has an error.
  package static func narrowed(_ text: String, by condition: String) -> String? {
    guard !text.utf8.allSatisfy(Lexer.isSpace) else { return condition }
    guard (try? QuerySyntax(parsing: text)) != nil, var parser = try? Parser(text),
      let range = try? parser.disjunction().range
    else { return nil }
    let bytes = Array(text.utf8)
    let before = String(decoding: bytes[range], as: UTF8.self)
    let after = String(decoding: bytes[range.upperBound...], as: UTF8.self)
    guard before != "TRUEPREDICATE" else { return condition + after }
    return "(\(before)) AND \(condition)\(after)"
  }
}
