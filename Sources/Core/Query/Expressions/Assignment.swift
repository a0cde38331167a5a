package import RealmModel

/// An assignment to a property, as `--set` takes it: `property = expression`.
package struct Assignment: Sendable {
  /// Position of the property in its class.
  package let property: Int
  /// The expression as written.
  package let expression: String

  /// - Parameters:
  ///   - text: the assignment; untrusted.
  ///   - position: position of the class whose objects it is for.
  /// - Throws: ``QueryError`` with offsets in `text`, if the assignment or its expression has an error, if names do not
  ///   fit the schema, or if no value of the expression fits the property.
  package init(
    _ text: String, ofClass position: Int, in schema: ObjectSchema
  ) throws(QueryError) {
    let bytes = Array(text.utf8)
    let equals = UInt8(ascii: "=")
    guard let sign = bytes.firstIndex(of: equals) else {
      throw QueryError(
        .syntax, "the assignment has no =", at: bytes.count..<bytes.count,
        hint: Assignment.hint)
    }
    guard sign + 1 == bytes.count || bytes[sign + 1] != equals else {
      throw QueryError(
        .syntax, "found ==, expected = between a property and its new value", at: sign..<sign + 2,
        hint: Assignment.hint)
    }
    let name = Assignment.trimmed(bytes[..<sign])
    guard !name.isEmpty else {
      throw QueryError(
        .syntax, "there is no property before =", at: sign..<sign, hint: Assignment.hint)
    }
    property = try Resolver(schema: schema, arguments: [], text: bytes, base: position)
      .propertyPosition(Array(name), of: position, at: name.startIndex..<name.endIndex)
    let value = Assignment.trimmed(bytes[(sign + 1)...])
    expression = String(decoding: value, as: UTF8.self)
    do throws(QueryError) {
      let formula = try Formula(expression, ofClass: position, in: schema)
      try formula.check(
        fits: schema.classes[position].properties[property], in: schema)
    } catch {
      var error = error
      let start = value.startIndex
      error.range = start + error.range.lowerBound..<start + error.range.upperBound
      throw error
    }
  }

  private static let hint = "write a property, = and an expression, as in age = age + 1"

  private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let start = bytes.firstIndex { !Lexer.isSpace($0) } ?? bytes.endIndex
    let end = bytes.lastIndex { !Lexer.isSpace($0) } ?? start - 1
    return bytes[start..<end + 1]
  }
}
