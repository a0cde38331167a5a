import RealmModel
import RealmStorage

/// Resolves the names of an expression, and checks its types.
struct FormulaResolver {
  /// A part of the expression with its type.
  struct Typed {
    var node: FormulaNode
    var type: ValueType
    var range: TextRange
    /// A constant double as written, which a decimal128 can hold exactly.
    var literal: String?
  }

  private let names: Resolver
  private(set) var properties: Set<Int> = []
  private(set) var linked: Set<FormulaPlace> = []
  private(set) var bytes: [SliceColumn] = []
  private(set) var isRandom = false

  /// - Parameter base: position of the class whose properties the expression names.
  init(schema: ObjectSchema, text: [UInt8], base: Int) {
    names = Resolver(schema: schema, arguments: [], text: text, base: base)
  }

  mutating func value(_ syntax: FormulaSyntax) throws(QueryError) -> Typed {
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
      return Typed(node: .negative(operand.node), type: operand.type, range: syntax.range)
    case .comparison(let comparison): return try self.comparison(comparison, at: syntax.range)
    case .membership(let inner, let elements, _):
      let operand = try value(inner)
      var nodes: [FormulaNode] = []
      for element in elements {
        var other = try value(element)
        adapt(&other, to: operand.type)
        try checkComparable(operand, other)
        nodes.append(other.node)
      }
      return Typed(node: .membership(operand.node, nodes), type: .bool, range: syntax.range)
    case .and(let all):
      return Typed(node: .and(try conditions(all)), type: .bool, range: syntax.range)
    case .or(let all):
      return Typed(node: .or(try conditions(all)), type: .bool, range: syntax.range)
    case .not(let inner, _):
      return Typed(node: .not(try condition(inner)), type: .bool, range: syntax.range)
    case .choice(let condition, let then, let otherwise):
      let test = try self.condition(condition)
      let (a, b) = (try value(then), try value(otherwise))
      return Typed(
        node: .choice(test, a.node, b.node), type: FormulaResolver.common(a.type, b.type),
        range: syntax.range)
    case .call(let call): return try self.call(call)
    }
  }

  // MARK: Constants and properties

  private mutating func constant(_ constant: FormulaConstant) -> Typed {
    func typed(_ value: QueryValue, _ type: ValueType, literal: String? = nil) -> Typed {
      Typed(node: .constant(value), type: type, range: constant.range, literal: literal)
    }
    switch constant.value {
    case .null: return typed(.null, .null)
    case .bool(let flag): return typed(.bool(flag), .bool)
    case .int(let number): return typed(.int(number), .int)
    case .float(let number): return typed(.float(number), .float)
    case .double(let number, let text): return typed(.double(number), .double, literal: text)
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

  private mutating func path(_ syntax: PathSyntax) throws(QueryError) -> Typed {
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
    return Typed(
      node: .path(FormulaPath(first: first, rest: rest)), type: ValueType(last),
      range: syntax.range)
  }

  // MARK: Operators

  private mutating func arithmetic(
    _ left: Typed, _ operation: ArithmeticSyntax.Operation, _ sign: TextRange, _ right: Typed,
    at range: TextRange
  ) throws(QueryError) -> Typed {
    var (left, right) = (left, right)
    adapt(&left, to: right.type)
    adapt(&right, to: left.type)
    let node = FormulaNode.arithmetic(left.node, operation, right.node)
    if operation == .add, left.type == .string || right.type == .string {
      for side in [left, right] where ![.string, .mixed, .null].contains(side.type) {
        throw mismatch(
          "+ joins strings, and \(described(side)) is not a string", at: side.range,
          hint: "write string(\(String(decoding: names.text[side.range], as: UTF8.self)))")
      }
      return Typed(node: node, type: .string, range: range)
    }
    for side in [left, right] {
      guard side.type.isNumeric || side.type == .mixed || side.type == .null else {
        throw mismatch(
          "\(names.source(sign)) takes numbers, not \(described(side))", at: side.range,
          hint: side.type == .string
            ? "write int(…), double(…) or decimal(…)" : "take a property with numbers")
      }
    }
    let type =
      left.type == .null
      ? right.type : right.type == .null ? left.type : Arithmetic.resultType(left.type, right.type)
    return Typed(node: node, type: type, range: range)
  }

  private mutating func comparison(
    _ syntax: FormulaComparison, at range: TextRange
  ) throws(QueryError) -> Typed {
    var (left, right) = (try value(syntax.left), try value(syntax.right))
    adapt(&left, to: right.type)
    adapt(&right, to: left.type)
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
    return Typed(node: .comparison(left.node, test, right.node), type: .bool, range: range)
  }

  private func checkComparable(_ a: Typed, _ b: Typed) throws(QueryError) {
    guard !ValueType.areComparable(a.type, b.type) else { return }
    throw mismatch(
      "\(described(a)) and \(described(b)) cannot be compared", at: b.range,
      hint: "convert one side, for example with string(…) or int(…)")
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

  /// Turns a constant double into a decimal128 if `type` is decimal128.
  private func adapt(_ operand: inout Typed, to type: ValueType) {
    guard type == .decimal, let literal = operand.literal, let number = Decimal128(text: literal)
    else { return }
    (operand.node, operand.type, operand.literal) = (.constant(.decimal(number)), .decimal, nil)
  }

  // MARK: Functions

  private mutating func call(_ call: FormulaCall) throws(QueryError) -> Typed {
    var arguments: [Typed] = []
    for argument in call.arguments { arguments.append(try value(argument)) }
    if call.function.isRandom { isRandom = true }
    func check(_ position: Int, _ types: [ValueType], _ what: String) throws(QueryError) {
      guard position < arguments.count else { return }
      let argument = arguments[position]
      guard argument.type == .mixed || argument.type == .null || types.contains(argument.type)
      else {
        throw mismatch(
          "\(call.function.rawValue) takes \(what), not \(described(argument))", at: argument.range,
          hint: "write \(call.function.signature)")
      }
    }
    var type = ValueType.string
    switch call.function {
    case .lower, .upper, .trim: try check(0, [.string], "a string")
    case .length:
      try check(0, [.string, .binary], "a string or a binary")
      type = .int
    case .substring:
      try check(0, [.string], "a string")
      try check(1, [.int], "a position as its second argument")
      try check(2, [.int], "a number of characters as its third argument")
    case .replace:
      for position in 0..<3 { try check(position, [.string], "strings") }
    case .coalesce:
      type = arguments.dropFirst().reduce(arguments[0].type) {
        FormulaResolver.common($0, $1.type)
      }
    case .string, .int, .float, .double, .decimal, .date, .objectId, .uuid:
      let target = FormulaConversion.target(of: call.function)
      let sources = FormulaConversion.sources(of: target)
      try check(0, sources, sources.map { names.name($0) }.joined(separator: ", "))
      if target == .decimal { adapt(&arguments[0], to: .decimal) }
      type = target
    case .now: type = .date
    case .newObjectId: type = .objectId
    case .newUUID: type = .uuid
    }
    return Typed(
      node: .call(call.function, arguments.map(\.node)), type: type,
      range: call.range)
  }

  /// The common type of values of type `a` and of type `b`.
  private static func common(_ a: ValueType, _ b: ValueType) -> ValueType {
    if a == b || b == .null { return a }
    if a == .null { return b }
    return a.isNumeric && b.isNumeric ? Arithmetic.resultType(a, b) : .mixed
  }

  // MARK: Messages

  /// A part of the expression and its type, for messages.
  private func described(_ operand: Typed) -> String {
    "\(names.source(operand.range)) of type \(names.name(operand.type))"
  }

  private func mismatch(
    _ message: String, at range: TextRange, hint: String
  ) -> QueryError {
    QueryError(.type, message, at: range, hint: hint)
  }
}
