import RealmModel
import RealmStorage

/// Comparisons (chapter 6, sections 4.5 to 4.11).
extension Resolver {
  /// The two sides of a comparison; a constant takes the type of the other side.
  private mutating func sides(
    _ left: ExpressionSyntax, _ right: ExpressionSyntax
  ) throws(QueryError) -> (left: TypedOperand, right: TypedOperand) {
    let range = left.range.lowerBound..<max(left.range.lowerBound, right.range.upperBound)
    switch (isConstant(left), isConstant(right)) {
    case (true, true):
      throw twoConstants(at: range)
    case (true, false):
      let other = try operand(right, nil)
      return (try operand(left, other.type), other)
    case (false, true):
      let other = try operand(left, nil)
      return (other, try operand(right, other.type))
    case (false, false): return (try operand(left, nil), try operand(right, nil))
    }
  }

  mutating func comparison(_ syntax: ComparisonSyntax) throws(QueryError) -> Condition {
    let (left, right) = try sides(syntax.left, syntax.right)
    guard !(left.isConstant && right.isConstant) else {
      let range = left.range.lowerBound..<right.range.upperBound
      throw twoConstants(
        at: range, hint: "the type of a property is known; @type is for mixed values")
    }
    let operation = try operation(syntax, left, right)
    try checkTypes(left, syntax, right, operation)
    try checkCollections(left, syntax, right)
    let condition = Condition.comparison(
      Comparison(
        left: left.expression, operation: operation,
        ignoresCase: syntax.ignoresCase && !dropsCase(left, syntax, right), right: right.expression,
        matching: matching(left, syntax.operation, right),
        isSimple: isSimple(left, operation, right)))
    guard let path = left.path?.keyPath, path.links.isEmpty,
      case .property(let position, let steps) = path.end, case .keys = steps.first,
      schema.classes[base].properties[position].collection == .dictionary
    else { return condition }
    return withEmptyKeys(condition, left, operation, right, position)
  }

  /// The condition on the keys of a dictionary. An empty dictionary never matches, not even with ALL or
  /// NONE, but its keys differ from any one constant.
  private func withEmptyKeys(
    _ condition: Condition, _ left: TypedOperand, _ operation: Comparison.Operation,
    _ right: TypedOperand, _ position: Int
  ) -> Condition {
    let size = KeyPath(origin: base, end: .property(position, []), reading: .size)
    func hasSize(_ operation: Comparison.Operation) -> Condition {
      .comparison(
        Comparison(
          left: .path(size), operation: operation, ignoresCase: false,
          right: .constant(.value(.int(0))), matching: .quantified(left: .any, right: .any)))
    }
    if operation == .notEqual, left.quantifier != Quantifier.none, right.type != .null,
      case .constant = right.expression
    {
      return .or([hasSize(.equal), condition])
    }
    return .and([hasSize(.greater), condition])
  }

  private func operation(
    _ syntax: ComparisonSyntax, _ left: TypedOperand, _ right: TypedOperand
  ) throws(QueryError) -> Comparison.Operation {
    switch syntax.operation {
    case .equal: return .equal
    case .notEqual: return .notEqual
    case .less: return .less
    case .lessOrEqual: return .lessOrEqual
    case .greater: return .greater
    case .greaterOrEqual: return .greaterOrEqual
    case .beginsWith: return .beginsWith
    case .endsWith: return .endsWith
    case .contains: return .contains
    case .like, .text: return .like
    case .isIn:
      guard right.isSequence, !hasKeys(right), right.path?.keyPath.reading != .size else {
        throw QueryError(
          .type, "IN needs several values on its right, but \(source(right.range)) has one",
          at: right.range,
          hint: hasKeys(right)
            ? "write \(source(right.range)) == …" : "write ==, or a list in braces: IN {1, 2}")
      }
      return .equal
    }
  }

  private func hasKeys(_ operand: TypedOperand) -> Bool {
    guard case .property(_, let steps) = operand.path?.keyPath.end else { return false }
    return steps.contains { if case .keys = $0 { true } else { false } }
  }

  // MARK: Types

  private func checkTypes(
    _ left: TypedOperand, _ syntax: ComparisonSyntax, _ right: TypedOperand,
    _ operation: Comparison.Operation
  ) throws(QueryError) {
    switch operation {
    case .beginsWith, .endsWith, .contains, .like:
      // As in the reference, values on the left of other types just do not match.
      guard isText(right, besides: left), left.type != .typeName else {
        throw QueryError(
          .type,
          "\(source(syntax.range)) needs a string or binary on its right, but "
            + "\(source(right.range)) is \(name(right.type))", at: right.range,
          hint: "write a string in quotes; numbers are compared with ==, < and >")
      }
      return
    case .less, .lessOrEqual, .greater, .greaterOrEqual:
      let isUnordered =
        left.type.isLink
        && (right.type.isLink || right.type == .null || !right.elementTypes.isEmpty)
      for side in [left, right] where isUnordered || side.type == .typeName {
        throw QueryError(
          .type,
          "\(source(syntax.range)) cannot order \(source(side.range)), which is "
            + name(side.type), at: syntax.range, hint: "only ==, != and IN are possible")
      }
    case .equal, .notEqual: try checkCase(left, syntax, right)
    }
    for (side, other) in [(left, right), (right, left)] {
      guard case .constants = side.expression, other.type.isLink || other.type == .typeName else {
        continue
      }
      for type in side.elementTypes where !ValueType.areComparable(type, other.type) {
        throw mismatch(left, syntax.range, right)
      }
      return
    }
    guard ValueType.areComparable(left.type, right.type) else {
      throw mismatch(left, syntax.range, right)
    }
  }

  /// Whether the right side of a string operator is a string or binary; null counts beside one.
  private func isText(_ right: TypedOperand, besides left: TypedOperand) -> Bool {
    switch right.type {
    case .string, .binary, .mixed: true
    case .null: left.type == .string || left.type == .binary
    default: false
    }
  }

  /// Checks that `[c]` is used with strings. Beside a property of the class itself, it is ignored for other
  /// types.
  private func checkCase(
    _ left: TypedOperand, _ syntax: ComparisonSyntax, _ right: TypedOperand
  ) throws(QueryError) {
    guard syntax.ignoresCase else { return }
    let isDirect =
      left.path?.keyPath.directProperty != nil && !left.isMultiple && right.isConstant
    let isLink =
      left.type.isLink && left.quantifier != .all && left.path?.keyPath.links.count == 1
    let isMeaningless =
      isLink || (isDirect && (left.type == right.type || left.type == .mixed))
    guard isMeaningless || isText(right, besides: left) else {
      throw QueryError(
        .type, "[c] is for strings, but \(source(right.range)) is \(name(right.type))",
        at: syntax.range, hint: "leave [c] out")
    }
  }

  private func mismatch(
    _ left: TypedOperand, _ place: TextRange, _ right: TypedOperand
  ) -> QueryError {
    QueryError(
      .type,
      "\(source(left.range)) (\(name(left.type))) cannot be compared with "
        + "\(source(right.range)) (\(name(right.type)))", at: place, hint: mismatchHint(left, right)
    )
  }

  /// What the other side of a comparison can be.
  private func mismatchHint(_ left: TypedOperand, _ right: TypedOperand) -> String {
    let (value, path) = left.isConstant ? (left, right) : (right, left)
    guard value.isConstant else { return "compare properties of one type, or with a constant" }
    return switch path.type {
    case .string: "write strings in quotes"
    case .binary: "write binary('…') or binary(B64\"…\")"
    case .bool: "write true or false"
    case .int, .float, .double, .decimal: "write a number"
    case .date: "write a date, such as 2025-12-31@23:59:59"
    case .objectId: "write oid(…) with 24 hexadecimal digits"
    case .uuid: "write uuid(…), such as uuid(00000000-0000-0000-0000-000000000000)"
    case .link: "compare a property of the object, or with obj('Class', key) or null"
    case .mixed, .typeName, .null: "compare with a constant of another type"
    }
  }

  private func checkCollections(
    _ left: TypedOperand, _ syntax: ComparisonSyntax, _ right: TypedOperand
  ) throws(QueryError) {
    guard !(isStoredCollection(left) && isStoredCollection(right)) else {
      throw QueryError(
        .type,
        "\(source(left.range)) and \(source(right.range)) are both collections of values; "
          + "one side must have a single value", at: syntax.range,
        hint: "compare one of them with a constant, as in ANY scores == 3")
    }
    for (side, other) in [(left, right), (right, left)] {
      guard case .constant(.value(.null)) = other.expression, side.isMultiple, side.type.isLink,
        syntax.operation != .isIn
      else { continue }
      throw QueryError(
        .type, "\(source(side.range)) is a list of links, which cannot be null", at: side.range,
        hint: "write \(source(side.range)).@count == 0 for an empty list")
    }
  }

  /// Whether an operand is a list, set or dictionary of values, or a part of one other than its keys.
  private func isStoredCollection(_ operand: TypedOperand) -> Bool {
    guard let path = operand.path, case .values = path.keyPath.reading,
      case .property(_, let steps) = path.keyPath.end, path.property?.collection != nil
    else { return false }
    if case .keys = steps.first { return false }
    return true
  }

  // MARK: BETWEEN

  mutating func between(_ syntax: BetweenSyntax) throws(QueryError) -> Condition {
    guard syntax.bounds.elements.count == 2 else {
      throw QueryError(
        .type, "BETWEEN needs two values, but \(syntax.bounds.elements.count) are given",
        at: syntax.bounds.range, hint: "write BETWEEN {1, 5}")
    }
    let value = try operand(syntax.value, nil)
    if isStoredCollection(value), value.quantifier != .all {
      throw QueryError(
        .type, "BETWEEN on the collection \(source(value.range)) needs ALL", at: value.range,
        hint:
          "write ALL \(String(decoding: text[value.range], as: UTF8.self)) BETWEEN {…}, or two comparisons with ANY"
      )
    }
    let lower = try bound(syntax, 0, value, .greaterOrEqual)
    let upper = try bound(syntax, 1, value, .lessOrEqual)
    return .and([lower, upper])
  }

  private mutating func bound(
    _ syntax: BetweenSyntax, _ index: Int, _ value: TypedOperand, _ operation: Comparison.Operation
  ) throws(QueryError) -> Condition {
    let constantSyntax = ExpressionSyntax.constant(syntax.bounds.elements[index])
    guard !value.isConstant else { throw twoConstants(at: syntax.value.range) }
    let comparison = ComparisonSyntax(
      left: syntax.value, operation: operation == .lessOrEqual ? .lessOrEqual : .greaterOrEqual,
      range: syntax.range, ignoresCase: false, right: constantSyntax)
    var bound = try operand(constantSyntax, value.type)
    try checkTypes(value, comparison, bound, operation)
    if value.type == .int, value.path?.keyPath.directProperty != nil {
      switch bound.expression {
      case .constant(.value(.double(let number))):
        // The reference takes the bits of the double as an integer (Q21).
        bound.expression = .constant(.value(.int(Int64(bitPattern: number.bitPattern))))
      case .constant(.value(.null)):
        throw QueryError(
          .type, "null cannot be a bound for int values", at: bound.range,
          hint: "use >= or <= instead")
      default: break
      }
    }
    return .comparison(
      Comparison(
        left: value.expression, operation: operation, ignoresCase: false, right: bound.expression,
        matching: matching(value, comparison.operation, bound),
        isSimple: isSimple(value, operation, bound)))
  }

  private func twoConstants(
    at range: TextRange, hint: String = "one side must be a property"
  ) -> QueryError {
    QueryError(.type, "two constants are compared: \(source(range))", at: range, hint: hint)
  }
}

/// `TEXT` (chapter 6, section 4.15).
extension Resolver {
  mutating func textCondition(_ syntax: ComparisonSyntax) throws(QueryError) -> Condition {
    guard case .path(let pathSyntax) = syntax.left else {
      throw QueryError(
        .type, "TEXT needs a property on its left, not \(source(syntax.left.range))",
        at: syntax.left.range, hint: "write the property first: bio TEXT 'fox'")
    }
    let path = try self.path(pathSyntax)
    guard path.keyPath.reading == .values, case .property(_, let steps) = path.keyPath.end,
      steps.isEmpty,
      path.property?.index == .fulltext
    else {
      throw QueryError(
        .type, "\(source(pathSyntax.range)) has no full-text index, which TEXT needs",
        at: pathSyntax.range, hint: "write CONTAINS[c], which needs no index")
    }
    let right = try operand(syntax.right, .string)
    guard case .constant(.value(.string(let text))) = right.expression else {
      throw QueryError(
        .type, "TEXT needs a string on its right, not \(source(right.range))", at: right.range,
        hint: "write the words in quotes: TEXT 'quick fox'")
    }
    do throws(TextSearch.Failure) {
      return .text(TextCondition(path: path.keyPath, search: try TextSearch(text.bytes)))
    } catch {
      throw QueryError(.type, Resolver.message(error), at: right.range, hint: Resolver.hint(error))
    }
  }

  private static func message(_ failure: TextSearch.Failure) -> String {
    switch failure {
    case .empty: "the search has no words"
    case .separated(let word):
      "'\(word)' is not a single word: words have only letters and digits"
    case .includedAndExcluded(let word): "the search includes and excludes '\(word)'"
    }
  }

  private static func hint(_ failure: TextSearch.Failure) -> String {
    switch failure {
    case .empty: "write at least one word, as in TEXT 'quick fox'"
    case .separated: "write several words with spaces; all of them must occur"
    case .includedAndExcluded(let word): "write \(word) once: with - to exclude it"
    }
  }
}
