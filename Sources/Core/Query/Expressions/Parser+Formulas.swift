import RealmStorage

// Expressions of migration plans: the operators of the query language, the loosest first, and functions.

extension Parser {
  /// The whole expression.
  mutating func formula() throws(QueryError) -> FormulaSyntax {
    let formula = try choice()
    guard token.kind == .end else { throw unexpected(.formulaOperator) }
    return formula.syntax
  }

  /// `condition ? a : b`, or a value.
  private mutating func choice() throws(QueryError) -> Measured<FormulaSyntax> {
    let condition = try formulaDisjunction()
    guard try consume(.question) else { return condition }
    try enter()
    defer { leave() }
    let then = try choice()
    try expect(.colon, .symbol(":", in: .choice))
    let otherwise = try choice()
    let syntax = FormulaSyntax.choice(condition.syntax, then.syntax, otherwise.syntax)
    let height = max(condition.height, then.height, otherwise.height)
    return Measured(syntax: syntax, height: try above(height, at: syntax.range))
  }

  private mutating func formulaDisjunction() throws(QueryError) -> Measured<FormulaSyntax> {
    try chain(.or, FormulaSyntax.or) { (parser) throws(QueryError) in
      try parser.formulaConjunction()
    }
  }

  private mutating func formulaConjunction() throws(QueryError) -> Measured<FormulaSyntax> {
    try chain(.and, FormulaSyntax.and) { (parser) throws(QueryError) in
      try parser.formulaNegation()
    }
  }

  /// Terms with the operator `kind` between them.
  private mutating func chain(
    _ kind: TokenKind, _ join: ([FormulaSyntax]) -> FormulaSyntax,
    _ term: (inout Parser) throws(QueryError) -> Measured<FormulaSyntax>
  ) throws(QueryError) -> Measured<FormulaSyntax> {
    let first = try term(&self)
    guard token.kind == kind else { return first }
    var (terms, height) = ([first.syntax], first.height)
    while try consume(kind) {
      let next = try term(&self)
      terms.append(next.syntax)
      height = max(height, next.height)
    }
    let syntax = join(terms)
    return Measured(syntax: syntax, height: try above(height, at: syntax.range))
  }

  private mutating func formulaNegation() throws(QueryError) -> Measured<FormulaSyntax> {
    let range = token.range
    guard try consume(.not) else { return try formulaComparison() }
    try enter()
    defer { leave() }
    let inner = try formulaNegation()
    return Measured(
      syntax: .not(inner.syntax, at: range), height: try above(inner.height, at: range))
  }

  private mutating func formulaComparison() throws(QueryError) -> Measured<FormulaSyntax> {
    let left = try formulaSum()
    let operation = token
    switch operation.kind {
    case .isIn:
      try advance()
      let (elements, range, height) = try formulaList()
      return Measured(
        syntax: .membership(left.syntax, elements, at: range),
        height: try above(max(left.height, height), at: range))
    case .between:
      try advance()
      let (bounds, range, height) = try formulaList()
      guard bounds.count == 2 else { throw unexpected(.bounds, at: range) }
      func comparison(_ operation: ComparisonSyntax.Operation, _ bound: FormulaSyntax)
        -> FormulaSyntax
      {
        .comparison(
          FormulaComparison(
            left: left.syntax, operation: operation, operationRange: range, ignoresCase: false,
            right: bound))
      }
      return Measured(
        syntax: .and([comparison(.greaterOrEqual, bounds[0]), comparison(.lessOrEqual, bounds[1])]),
        height: try above(above(max(left.height, height), at: range), at: range))
    default:
      guard let kind = ComparisonSyntax.Operation(operation.kind), kind != .text else {
        return left
      }
      try advance()
      let ignoresCase = kind.canIgnoreCase ? try consume(.caseFlag) : false
      let right = try formulaSum()
      let syntax = FormulaSyntax.comparison(
        FormulaComparison(
          left: left.syntax, operation: kind, operationRange: operation.range,
          ignoresCase: ignoresCase, right: right.syntax))
      return Measured(
        syntax: syntax, height: try above(max(left.height, right.height), at: operation.range))
    }
  }

  /// `{a, b, …}`, its place, and the height of its highest element.
  private mutating func formulaList() throws(QueryError) -> ([FormulaSyntax], TextRange, Int) {
    let start = token.range.lowerBound
    try expect(.leftBrace, .symbol("{", in: .list))
    try enter()
    defer { leave() }
    var elements: [FormulaSyntax] = []
    var height = 0
    repeat {
      let element = try choice()
      elements.append(element.syntax)
      height = max(height, element.height)
    } while try consume(.comma)
    try expect(.rightBrace, .element)
    return (elements, range(from: start), height)
  }

  // MARK: Arithmetic

  private mutating func formulaSum() throws(QueryError) -> Measured<FormulaSyntax> {
    try operation([.plus: .add, .minus: .subtract]) { (parser) throws(QueryError) in
      try parser.operation([.times: .multiply, .divided: .divide]) { (parser) throws(QueryError) in
        try parser.formulaSign()
      }
    }
  }

  /// Operands with some of `operations` between them.
  private mutating func operation(
    _ operations: [TokenKind: ArithmeticSyntax.Operation],
    _ operand: (inout Parser) throws(QueryError) -> Measured<FormulaSyntax>
  ) throws(QueryError) -> Measured<FormulaSyntax> {
    var left = try operand(&self)
    while true {
      splitSign()
      guard let operation = operations[token.kind] else { return left }
      let range = token.range
      try advance()
      let right = try operand(&self)
      left = Measured(
        syntax: .arithmetic(left.syntax, operation, at: range, right.syntax),
        height: try above(max(left.height, right.height), at: range))
    }
  }

  /// A value with or without a minus before it.
  private mutating func formulaSign() throws(QueryError) -> Measured<FormulaSyntax> {
    let range = token.range
    guard try consume(.minus) else { return try formulaValue() }
    try enter()
    defer { leave() }
    let value = try formulaSign()
    return Measured(
      syntax: .negative(value.syntax, at: range), height: try above(value.height, at: range))
  }

  // MARK: Values

  private mutating func formulaValue() throws(QueryError) -> Measured<FormulaSyntax> {
    let first = token
    switch first.kind {
    case .leftParenthesis:
      try enter()
      defer { leave() }
      try advance()
      let inner = try choice()
      try expect(.rightParenthesis, .valueOrParenthesis)
      return inner
    case .truePredicate, .falsePredicate:
      try advance()
      let value = FormulaConstant.Value.bool(first.kind == .truePredicate)
      return constant(value, at: first.range)
    case .binaryWord:
      try advance()
      guard token.kind == .leftParenthesis else { return try formulaPath(first) }
      let constant = try binary(from: first.range.lowerBound)
      guard case .binary(let bytes) = constant.value else { throw unexpected(.formulaValue) }
      return self.constant(.binary(bytes), at: constant.range)
    case let kind where kind.isConstant: return try formulaConstant()
    case let kind where kind.isName:
      try advance()
      return token.kind == .leftParenthesis ? try call(first) : try formulaPath(first)
    default: throw unexpected(.formulaValue)
    }
  }

  private func constant(
    _ value: FormulaConstant.Value, at range: TextRange
  ) -> Measured<FormulaSyntax> {
    Measured(syntax: .constant(FormulaConstant(value: value, range: range)), height: 1)
  }

  /// A path whose first token is consumed.
  private mutating func formulaPath(_ first: Token) throws(QueryError) -> Measured<FormulaSyntax> {
    let value = try path(nil, from: first.range.lowerBound, first: first)
    guard case .path(let path) = value else { throw unexpected(.path, at: value.range) }
    return Measured(syntax: .path(path), height: 1)
  }

  /// A call of the function `name`; the parenthesis is the next token.
  private mutating func call(_ name: Token) throws(QueryError) -> Measured<FormulaSyntax> {
    let word = lexer.spelling(at: name.range)
    guard let function = FormulaFunction(rawValue: word) else {
      let names = FormulaFunction.allCases.map(\.rawValue)
      throw QueryError(
        .unknownName, "there is no function '\(word)'", at: name.range,
        hint: NearestName.suggestion(
          word, names, of: "the functions are", limit: names.count)
          ?? "docs/migrate.md lists the functions")
    }
    try enter()
    defer { leave() }
    try advance()
    var arguments: [FormulaSyntax] = []
    var height = 0
    if token.kind != .rightParenthesis {
      repeat {
        let argument = try choice()
        arguments.append(argument.syntax)
        height = max(height, argument.height)
      } while try consume(.comma)
    }
    try expect(.rightParenthesis, .formulaArgument)
    let range = range(from: name.range.lowerBound)
    guard function.argumentCount.contains(arguments.count) else {
      throw QueryError(
        .syntax,
        "found \(arguments.count) arguments, expected \(function.argumentCount.words)",
        at: range, hint: "write \(function.signature)")
    }
    let syntax = FormulaCall(function: function, arguments: arguments, range: range)
    return Measured(syntax: .call(syntax), height: try above(height, at: range))
  }

  // MARK: Constants

  /// A constant of one token.
  private mutating func formulaConstant() throws(QueryError) -> Measured<FormulaSyntax> {
    let range = token.range
    let text = lexer.spelling(at: range)
    switch token.kind {
    case .natural, .number:
      try advance()
      return constant(.int(try wholeNumber(text, at: range)), at: range)
    case .float where text.last == "f":
      try advance()
      guard let number = Float(text.dropLast()), number.isFinite else {
        throw tooLarge("float", at: range)
      }
      return constant(.float(number), at: range)
    case .calendarDate:
      let date = try formulaDate(at: range)
      try advance()
      return constant(date, at: range)
    case .argument, .objectKey, .typedKey: throw unexpected(.formulaValue)
    default: break
    }
    let constant = try self.constant(.formulaValue)
    let value: FormulaConstant.Value
    switch constant.value {
    case .null: value = .null
    case .bool(let flag): value = .bool(flag)
    case .float(let number, let text):
      if number.isInfinite, text.contains(where: \.isNumber) { throw tooLarge("double", at: range) }
      value = .double(number, text: text)
    case .string(let bytes): value = .string(Parser.translated(bytes))
    case .base64(let bytes): value = .string(bytes)
    case .date(let seconds, let nanoseconds):
      value = .date(seconds: seconds, nanoseconds: nanoseconds)
    case .objectId(let bytes): value = .objectId(bytes)
    case .uuid(let bytes): value = .uuid(bytes)
    default: throw unexpected(.formulaValue, at: range)
    }
    return self.constant(value, at: range)
  }

  /// The integer that decimal or hexadecimal digits spell.
  private func wholeNumber(_ text: String, at range: TextRange) throws(QueryError) -> Int64 {
    let isHexadecimal = text.lowercased().hasPrefix("0x")
    let number = isHexadecimal ? Int64(text.dropFirst(2), radix: 16) : Int64(text)
    guard let number else { throw tooLarge("int", at: range) }
    return number
  }

  private func tooLarge(_ type: String, at range: TextRange) -> QueryError {
    QueryError(
      .value, "found \(lexer.quoted(range)), which does not fit \(type)", at: range,
      hint: "write a smaller number, or decimal('…') for one with more digits")
  }

  // MARK: Strings

  /// The bytes of a string with its escapes translated, unlike in queries; the lexer has checked them. A
  /// surrogate without its other half becomes U+FFFD.
  private static func translated(_ text: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(text.count)
    var index = 0
    while index < text.count {
      guard text[index] == UInt8(ascii: "\\"), index + 1 < text.count else {
        result.append(text[index])
        index += 1
        continue
      }
      if text[index + 1] == UInt8(ascii: "u") {
        var units: [UInt16] = []
        while let unit = unit(in: text, at: index) {
          units.append(unit)
          index += 6
        }
        result += String(decoding: units, as: UTF16.self).utf8
        // The lexer accepts no other `\u`.
        if units.isEmpty { index += 2 }
        continue
      }
      result.append(character(text[index + 1]))
      index += 2
    }
    return result
  }

  /// The code unit of the escape `\uXXXX` at `index`; nil if there is none.
  private static func unit(in text: [UInt8], at index: Int) -> UInt16? {
    guard index + 6 <= text.count, text[index] == UInt8(ascii: "\\"),
      text[index + 1] == UInt8(ascii: "u")
    else { return nil }
    return UInt16(String(decoding: text[index + 2..<index + 6], as: UTF8.self), radix: 16)
  }

  /// The character that a backslash and `byte` mean.
  private static func character(_ byte: UInt8) -> UInt8 {
    switch byte {
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "f"): 0x0C
    case UInt8(ascii: "n"): 0x0A
    case UInt8(ascii: "r"): 0x0D
    case UInt8(ascii: "t"): 0x09
    case UInt8(ascii: "0"): 0
    default: byte
    }
  }
}

extension ClosedRange<Int> {
  fileprivate var words: String {
    lowerBound == upperBound ? "\(lowerBound)" : "\(lowerBound) to \(upperBound)"
  }
}
