import RealmModel
import RealmStorage

/// Resolves the names of an expression, and checks its types.
struct FormulaResolver {
  private let names: Resolver
  private(set) var properties: Set<Int> = []
  private(set) var linked: Set<FormulaPlace> = []
  private(set) var bytes: [SliceColumn] = []
  private(set) var isRandom = false

  /// - Parameter base: position of the class whose properties the expression names.
  init(schema: ObjectSchema, text: [UInt8], base: Int) {
    names = Resolver(schema: schema, arguments: [], text: text, base: base)
  }

  mutating func value(_ syntax: FormulaSyntax) throws(QueryError) -> FormulaPart {
    switch syntax {
    case .constant(let constant): return self.constant(constant)
    case .path(let path): return try self.path(path)
    case .arithmetic(let left, let operation, let range, let right):
      return try arithmetic(try value(left), operation, range, try value(right), at: syntax.range)
    case .negative(let inner, _):
      let operand = try value(inner)
      guard operand.type.isNumeric || operand.type == .mixed || operand.type == .null else {
        throw mismatch(
          "- takes a number, not \(described(operand))", at: operand.range,
          hint: "- subtracts numbers, or stands before one: 0 - age")
      }
      return part(of: [operand], at: syntax.range, type: { $0[0] }, node: { .negative($0[0]) })
    case .comparison(let comparison): return try self.comparison(comparison, at: syntax.range)
    case .membership(let inner, let elements, _):
      return try membership(try value(inner), elements, at: syntax.range)
    case .and(let all):
      return FormulaPart(.and(try conditions(all)), .bool, at: syntax.range)
    case .or(let all):
      return FormulaPart(.or(try conditions(all)), .bool, at: syntax.range)
    case .not(let inner, _):
      return FormulaPart(.not(try condition(inner)), .bool, at: syntax.range)
    case .choice(let condition, let then, let otherwise):
      let test = try self.condition(condition)
      return try oneOf([try value(then), try value(otherwise)], at: syntax.range) {
        .choice(test, $0[0], $0[1])
      }
    case .call(let call): return try self.call(call)
    }
  }

  // MARK: Constants and properties

  private mutating func constant(_ constant: FormulaConstant) -> FormulaPart {
    func typed(_ value: QueryValue, _ type: ValueType) -> FormulaPart {
      FormulaPart(.constant(value), type, at: constant.range)
    }
    switch constant.value {
    case .null: return typed(.null, .null)
    case .bool(let flag): return typed(.bool(flag), .bool)
    case .int(let number): return typed(.int(number), .int)
    case .float(let number): return typed(.float(number), .float)
    case .double(let number, let text):
      return FormulaPart(
        number, text: text, source: names.source(constant.range), at: constant.range)
    case .date(let seconds, let nanoseconds):
      return typed(.date(seconds: seconds, nanoseconds: nanoseconds), .date)
    case .string(let bytes): return typed(.string(keep(bytes)), .string)
    case .binary(let bytes): return typed(.binary(keep(bytes)), .binary)
    case .objectId(let bytes): return typed(.objectId(keep(bytes)), .objectId)
    case .uuid(let bytes): return typed(.uuid(keep(bytes)), .uuid)
    }
  }

  private mutating func keep(_ bytes: [UInt8]) -> ByteSlice {
    let column = SliceColumn(copying: [bytes])
    self.bytes.append(column)
    return column[0] ?? .empty
  }

  private mutating func path(_ syntax: PathSyntax) throws(QueryError) -> FormulaPart {
    guard syntax.suffix == nil else {
      throw mismatch(
        "\(names.source(syntax.range)) is not a property; an expression takes properties with a "
          + "single value", at: syntax.range,
        hint: "name a property, or a property of a linked object: dog.name")
    }
    var position = names.base
    var (first, rest, last): (Int?, [FormulaPlace], Property?) = (nil, [], nil)
    for step in syntax.steps {
      guard case .name(let name) = step.step else {
        throw mismatch(
          "\(names.source(step.range)) cannot be in an expression, which takes properties with a "
            + "single value", at: step.range,
          hint: "name a property, or a property of a linked object: dog.name")
      }
      if let link = last {
        guard link.type == .link, let target = link.target else {
          throw mismatch(
            "\(link.name.text) is of type \(names.name(ValueType(link))), so no property can follow",
            at: step.range, hint: "only a link is followed by a property: dog.name")
        }
        position = target
      }
      let found = try names.propertyPosition(name, of: position, at: step.range)
      let property = names.schema.classes[position].properties[found]
      guard property.collection == nil else {
        throw mismatch(
          "\(property.name.text) is a collection; an expression takes properties with a single value",
          at: step.range,
          hint: "a collection has no single value; leave the property out of the expression")
      }
      if first == nil {
        first = found
      } else {
        rest.append(FormulaPlace(classPosition: position, property: found))
      }
      last = property
    }
    // The parser reads at least one step.
    guard let first, let last else {
      throw mismatch(
        "expected a property", at: syntax.range,
        hint: "name a property, or a property of a linked object: dog.name")
    }
    properties.insert(first)
    linked.formUnion(rest)
    return FormulaPart(
      .path(FormulaPath(first: first, rest: rest)), ValueType(last), at: syntax.range)
  }

  // MARK: Operators

  private mutating func arithmetic(
    _ left: FormulaPart, _ operation: ArithmeticSyntax.Operation, _ sign: TextRange,
    _ right: FormulaPart,
    at range: TextRange
  ) throws(QueryError) -> FormulaPart {
    var (left, right) = (left, right)
    try adapt(&left, to: right.type)
    try adapt(&right, to: left.type)
    if operation == .add, left.type == .string || right.type == .string {
      for side in [left, right] where ![.string, .mixed, .null].contains(side.type) {
        throw mismatch(
          "+ joins strings, and \(described(side)) is not a string", at: side.range,
          hint: "write string(\(String(decoding: names.text[side.range], as: UTF8.self)))")
      }
      return part(
        of: [left, right], at: range, type: { _ in .string },
        node: { .arithmetic($0[0], operation, $0[1]) })
    }
    for side in [left, right] {
      guard side.type.isNumeric || side.type == .mixed || side.type == .null else {
        throw mismatch(
          "\(names.source(sign)) takes numbers, not \(described(side))", at: side.range,
          hint: side.type == .string
            ? "write int(…), double(…) or decimal(…)" : "take a property with numbers")
      }
    }
    var result = part(
      of: [left, right], at: range, type: FormulaResolver.resultType,
      node: { .arithmetic($0[0], operation, $0[1]) })
    let isOfDoubles = [left, right].contains { [.double, .float].contains($0.exact.type) }
    if isOfDoubles { result.exact = result.form }
    return result
  }

  /// The type of the result of arithmetic with operands of two types.
  private static func resultType(_ types: [ValueType]) -> ValueType {
    let known = types.filter { $0 != .null }
    return known.dropFirst().reduce(known.first ?? .null) { Arithmetic.resultType($0, $1) }
  }

  private mutating func membership(
    _ operand: FormulaPart, _ elements: [FormulaSyntax], at range: TextRange
  ) throws(QueryError) -> FormulaPart {
    var operand = operand
    var others: [FormulaPart] = []
    for element in elements { others.append(try value(element)) }
    if others.contains(where: { $0.type == .decimal }) { try adapt(&operand, to: .decimal) }
    for i in others.indices {
      try adapt(&others[i], to: operand.type)
      try checkComparable(operand, others[i])
    }
    return FormulaPart(.membership(operand.node, others.map(\.node)), .bool, at: range)
  }

  private mutating func comparison(
    _ syntax: FormulaComparison, at range: TextRange
  ) throws(QueryError) -> FormulaPart {
    var (left, right) = (try value(syntax.left), try value(syntax.right))
    try adapt(&left, to: right.type)
    try adapt(&right, to: left.type)
    switch syntax.operation {
    case .beginsWith, .endsWith, .contains, .like:
      for side in [left, right]
      where !side.type.isText && side.type != .mixed && side.type != .null {
        throw mismatch(
          "\(names.source(syntax.operationRange)) takes strings, not \(described(side))",
          at: side.range, hint: "convert the value with string(…)")
      }
    case .less, .lessOrEqual, .greater, .greaterOrEqual:
      for side in [left, right] where side.type.isLink {
        throw mismatch(
          "objects have no order", at: side.range,
          hint: "compare a property of the objects: dog.age > 3")
      }
      try checkComparable(left, right)
    default: try checkComparable(left, right)
    }
    let test = FormulaTest(operation: syntax.operation, ignoresCase: syntax.ignoresCase)
    return FormulaPart(.comparison(left.node, test, right.node), .bool, at: range)
  }

  private func checkComparable(_ a: FormulaPart, _ b: FormulaPart) throws(QueryError) {
    guard ValueType.areComparable(a.type, b.type) else {
      throw mismatch(
        "\(described(a)) and \(described(b)) cannot be compared", at: b.range,
        hint: "convert one side, for example with string(…) or int(…)")
    }
    try a.form.checkKeepsDigits(for: b.type)
    try b.form.checkKeepsDigits(for: a.type)
  }

  private mutating func conditions(
    _ all: [FormulaSyntax]
  ) throws(QueryError) -> [FormulaNode] {
    var nodes: [FormulaNode] = []
    for syntax in all { nodes.append(try condition(syntax)) }
    return nodes
  }

  private mutating func condition(_ syntax: FormulaSyntax) throws(QueryError) -> FormulaNode {
    let operand = try value(syntax)
    guard [.bool, .mixed, .null].contains(operand.type) else {
      throw mismatch(
        "\(described(operand)) is not a condition", at: operand.range,
        hint: "compare the value, as in name != null")
    }
    return operand.node
  }

  // MARK: Forms

  /// Takes the form for a decimal128 if `type` is decimal128.
  private func adapt(_ operand: inout FormulaPart, to type: ValueType) throws(QueryError) {
    guard type == .decimal else { return }
    try operand.exact.checkKeepsDigits(for: type)
    operand.form = operand.exact
  }

  /// A part that consists of others, in both forms.
  ///
  /// - Parameters:
  ///   - type: its type, by those of the others.
  ///   - node: makes its node of those of the others.
  private func part(
    of parts: [FormulaPart], at range: TextRange, type: ([ValueType]) -> ValueType,
    node: ([FormulaNode]) -> FormulaNode
  ) -> FormulaPart {
    func form(_ forms: [FormulaForm]) -> FormulaForm {
      FormulaForm(
        node: node(forms.map(\.node)), type: type(forms.map(\.type)),
        rounding: forms.lazy.compactMap(\.rounding).first)
    }
    return FormulaPart(form: form(parts.map(\.form)), exact: form(parts.map(\.exact)), at: range)
  }

  /// A part that has the value of one of `parts`. If one of them is a decimal128, all numbers are.
  private func oneOf(
    _ parts: [FormulaPart], at range: TextRange, _ node: ([FormulaNode]) -> FormulaNode
  ) throws(QueryError) -> FormulaPart {
    var result = part(of: parts, at: range, type: FormulaResolver.common, node: node)
    try adapt(&result, to: result.type)
    return result
  }

  /// The common type of values of `types`.
  private static func common(_ types: [ValueType]) -> ValueType {
    types.dropFirst().reduce(types.first ?? .null) { a, b in
      if a == b || b == .null { return a }
      if a == .null { return b }
      return a.isNumeric && b.isNumeric ? Arithmetic.resultType(a, b) : .mixed
    }
  }

  // MARK: Functions

  private mutating func call(_ call: FormulaCall) throws(QueryError) -> FormulaPart {
    var arguments: [FormulaPart] = []
    for argument in call.arguments { arguments.append(try value(argument)) }
    if call.function.isRandom { isRandom = true }
    func check(
      _ position: Int, _ types: [ValueType], _ what: String, hint: String? = nil
    ) throws(QueryError) {
      guard position < arguments.count else { return }
      let argument = arguments[position]
      guard argument.type == .mixed || argument.type == .null || types.contains(argument.type)
      else {
        throw mismatch(
          "\(call.function.rawValue) takes \(what), not \(described(argument))", at: argument.range,
          hint: hint ?? self.hint(for: argument, in: call, insteadOf: types))
      }
    }
    var type = ValueType.string
    switch call.function {
    case .lower, .upper, .trim: try check(0, [.string], "a string")
    case .length:
      try check(0, [.string, .binary], "a string or a binary")
      type = .int
    case .substring:
      let hint = "write \(call.function.signature)"
      try check(0, [.string], "a string")
      try check(1, [.int], "a position as its second argument", hint: hint)
      try check(2, [.int], "a number of characters as its third argument", hint: hint)
    case .replace:
      for position in 0..<3 { try check(position, [.string], "strings") }
    case .coalesce:
      return try oneOf(arguments, at: call.range) { .call(.coalesce, $0) }
    case .string, .int, .float, .double, .decimal, .date, .objectId, .uuid:
      type = FormulaConversion.target(of: call.function)
      let sources = FormulaConversion.sources(of: type)
      try check(0, sources, sources.map { names.name($0) }.joined(separator: ", "))
      try adapt(&arguments[0], to: type)
      try arguments[0].form.checkKeepsDigits(for: type)
    case .now: type = .date
    case .newObjectId: type = .objectId
    case .newUUID: type = .uuid
    }
    return FormulaPart(.call(call.function, arguments.map(\.node)), type, at: call.range)
  }

  /// What to write instead of an argument that is of none of `types`.
  private func hint(
    for argument: FormulaPart, in call: FormulaCall, insteadOf types: [ValueType]
  ) -> String {
    let text = String(decoding: names.text[argument.range], as: UTF8.self)
    if argument.type.isLink { return "name a property of the object: \(text).name" }
    // A number of seconds must be whole, and any other value can become a string.
    let step: FormulaFunction = types.contains(.int) ? .int : .string
    let target = FormulaConversion.target(of: step)
    guard types.contains(target), FormulaConversion.sources(of: target).contains(argument.type)
    else { return "take a value of another type: no function converts this one" }
    return "write \(step.rawValue)(\(text)) instead of \(text)"
  }

  // MARK: Messages

  /// A part of the expression and its type, for messages.
  private func described(_ operand: FormulaPart) -> String {
    "\(names.source(operand.range)) of type \(names.name(operand.type))"
  }

  private func mismatch(
    _ message: String, at range: TextRange, hint: String
  ) -> QueryError {
    QueryError(.type, message, at: range, hint: hint)
  }
}
