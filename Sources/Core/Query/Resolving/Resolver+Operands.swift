import RealmModel

/// The sides of comparisons.
extension Resolver {
  /// An operand with the facts that a comparison needs.
  struct TypedOperand {
    var expression: Expression
    var type: ValueType
    /// The types of the elements of a list of constants. Like mixed values, the list compares with every type.
    var elementTypes: [ValueType] = []
    var quantifier: Quantifier?
    /// True if an object can have several values.
    var isMultiple = false
    /// True if the values are compared as a sequence.
    var isSequence = false
    /// True for a constant or a list of constants.
    var isConstant = false
    /// The path, if the operand is only a path.
    var path: ResolvedPath?
    var range: TextRange
  }

  /// Resolves one side of a comparison.
  ///
  /// - Parameter hint: the type of the other side, for constants.
  mutating func operand(
    _ syntax: ExpressionSyntax, _ hint: ValueType?
  ) throws(QueryError) -> TypedOperand {
    switch syntax {
    case .constant(let syntax): return try constantOperand(syntax, hint)
    case .list(let syntax): return try listOperand(syntax, hint)
    case .path(let syntax): return try pathOperand(syntax)
    case .aggregate(let syntax): return try aggregate(syntax)
    case .subquery(let syntax): return try subquery(syntax)
    case .arithmetic(let syntax): return try arithmetic(syntax, hint)
    }
  }

  /// Whether an expression needs the type of the other side.
  func isConstant(_ syntax: ExpressionSyntax) -> Bool {
    switch syntax {
    case .constant, .list: true
    case .arithmetic(let syntax): isConstant(syntax.left) && isConstant(syntax.right)
    case .path, .aggregate, .subquery: false
    }
  }

  // MARK: Constants

  private mutating func constantOperand(
    _ syntax: ConstantSyntax, _ hint: ValueType?
  ) throws(QueryError) -> TypedOperand {
    if case .argument(let number) = syntax.value,
      case .value(.list(let values)) = try argument(number, at: syntax.range)
    {
      var constants: [TypedConstant] = []
      for value in values { constants.append(try constant(value, hint, at: syntax.range)) }
      return list(constants, syntax.quantifier, at: syntax.range)
    }
    guard syntax.quantifier == nil else {
      throw QueryError(
        .argument, "\(source(syntax.range)) has a quantifier, but the argument is not a list",
        at: syntax.range, hint: "pass a list for the argument, or leave the quantifier out")
    }
    let (constant, type) = try constant(syntax, hint)
    return TypedOperand(
      expression: .constant(constant), type: type, isConstant: true, range: syntax.range)
  }

  private mutating func listOperand(
    _ syntax: ListSyntax, _ hint: ValueType?
  ) throws(QueryError) -> TypedOperand {
    var constants: [TypedConstant] = []
    for element in syntax.elements { constants.append(try constant(element, hint)) }
    return list(constants, syntax.quantifier, at: syntax.range)
  }

  private func list(
    _ constants: [TypedConstant], _ quantifier: Quantifier?, at range: TextRange
  ) -> TypedOperand {
    TypedOperand(
      expression: .constants(constants.map(\.constant)),
      type: .mixed, elementTypes: constants.map(\.type), quantifier: quantifier, isMultiple: true,
      isSequence: true, isConstant: true, range: range)
  }

  // MARK: Paths

  private mutating func pathOperand(_ syntax: PathSyntax) throws(QueryError) -> TypedOperand {
    let path = try self.path(syntax)
    if case .type = path.keyPath.reading, let types = TypeSet(path.type) {
      return TypedOperand(
        expression: .constant(.value(.type(types))), type: .typeName, isConstant: true,
        range: syntax.range)
    }
    return TypedOperand(
      expression: .path(path.keyPath), type: path.type,
      // Sizes ignore a quantifier: one of them must match.
      quantifier: path.keyPath.reading == .size ? nil : syntax.quantifier,
      isMultiple: path.isMultiple, isSequence: path.isSequence, path: path, range: syntax.range)
  }

  private mutating func aggregate(
    _ syntax: AggregateSyntax
  ) throws(QueryError) -> TypedOperand {
    var path = try self.path(syntax.path)
    var isOfObjects = false
    if let step = syntax.property {
      guard case .name(let name) = step.step, case .objects = path.keyPath.end,
        !path.keyPath.links.isEmpty
      else {
        throw QueryError(
          .type, "\(source(syntax.path.range)) is not a path to objects with properties",
          at: syntax.path.range,
          hint: "name links before the aggregate: dogs.@max.age; for a list of numbers, scores.@max"
        )
      }
      let position = try propertyPosition(name, of: path.keyPath.target, at: step.range)
      let property = schema.classes[path.keyPath.target].properties[position]
      guard property.collection == nil else {
        throw QueryError(
          .type,
          "'\(property.name.text)' is a collection; \(source(syntax.operationRange)) needs "
            + "a single value of each object", at: step.range,
          hint: "take a property of the objects with a single number")
      }
      path.keyPath.end = .property(position, [])
      (path.type, path.property, isOfObjects) = (ValueType(property), property, true)
    } else {
      guard path.isMultiple, case .property(_, let steps) = path.keyPath.end, steps.isEmpty,
        path.property?.collection != nil
      else {
        throw QueryError(
          .type, "\(source(syntax.path.range)) is not a collection of numbers",
          at: syntax.path.range, hint: "through links, name the property: dogs.@max.age")
      }
    }
    if let property = path.property { path.type = ValueType(property) }
    let isExtreme = syntax.operation == .max || syntax.operation == .min
    guard
      path.type.isNumeric || path.type == .mixed
        || (path.type == .date && isExtreme && isOfObjects)
    else {
      throw QueryError(
        .type,
        "\(source(syntax.operationRange)) needs numbers, but the values are "
          + name(path.type), at: syntax.operationRange,
        hint: "compare each value with ANY, or count the values with @count")
    }
    let isOfDictionary = !isOfObjects && path.property?.collection == .dictionary
    let aggregate = Aggregate(
      path: path.keyPath, operation: syntax.operation, isOfObjects: isOfObjects, type: path.type,
      isMixed: path.type == .mixed || (isExtreme && isOfDictionary))
    let isMultiple = !isOfObjects && path.keyPath.followsSeveral
    return TypedOperand(
      expression: .aggregate(aggregate), type: aggregate.resultType, isMultiple: isMultiple,
      isSequence: isMultiple, range: syntax.range)
  }

  private mutating func subquery(_ syntax: SubquerySyntax) throws(QueryError) -> TypedOperand {
    let path = try self.path(syntax.path)
    let isList = path.property.map { $0.collection == .list } ?? true
    guard case .objects = path.keyPath.end, path.keyPath.links.last?.isMultiple ?? false, isList,
      syntax.path.suffix == nil
    else {
      throw QueryError(
        .type, "\(source(syntax.path.range)) is not a list of objects", at: syntax.path.range,
        hint: "SUBQUERY needs a list of links or @links.Class.property")
    }
    guard syntax.variable.first == UInt8(ascii: "$"), syntax.variable.count > 1 else {
      throw QueryError(
        .syntax, "the variable of SUBQUERY must begin with $ and have a name, like $x",
        at: syntax.variableRange, hint: "write SUBQUERY(dogs, $d, $d.age > 5).@count > 0")
    }
    let target = path.keyPath.target
    guard !variables.contains(where: { $0.name == syntax.variable && $0.position == target })
    else {
      throw QueryError(
        .unknownName,
        "an outer SUBQUERY uses the variable \(source(syntax.variableRange)) for "
          + schema.classes[target].name.text, at: syntax.variableRange,
        hint: "give the inner SUBQUERY another variable")
    }
    let outer = base
    base = target
    variables.append((syntax.variable, target))
    defer {
      base = outer
      variables.removeLast()
    }
    let condition = try self.condition(syntax.predicate)
    return TypedOperand(
      expression: .subquery(Subquery(path: path.keyPath, condition: condition)), type: .int,
      range: syntax.range)
  }

  // MARK: Arithmetic

  private mutating func arithmetic(
    _ syntax: ArithmeticSyntax, _ hint: ValueType?
  ) throws(QueryError) -> TypedOperand {
    let left: TypedOperand
    let right: TypedOperand
    switch (isConstant(syntax.left), isConstant(syntax.right)) {
    case (true, false):
      right = try operand(syntax.right, nil)
      left = try operand(syntax.left, right.type)
    case (false, true):
      left = try operand(syntax.left, nil)
      right = try operand(syntax.right, left.type)
    default:
      left = try operand(syntax.left, hint)
      right = try operand(syntax.right, hint)
    }
    for side in [left, right] where !side.type.isNumeric && side.type != .mixed {
      throw QueryError(
        .type,
        "\(source(syntax.operationRange)) needs numbers, but \(source(side.range)) is "
          + name(side.type), at: side.range, hint: "calculate with properties that hold numbers")
    }
    guard !(left.isSequence && right.isSequence) else {
      throw QueryError(
        .type, "\(source(left.range)) and \(source(right.range)) both have several values",
        at: syntax.range, hint: "one side of the calculation must have a single value")
    }
    var result = TypedOperand(
      expression: .arithmetic(syntax.operation, left.expression, right.expression),
      type: Arithmetic.resultType(left.type, right.type),
      quantifier: left.quantifier ?? right.quantifier,
      isMultiple: left.isMultiple || right.isMultiple,
      isSequence: left.isSequence || right.isSequence, range: syntax.range)
    if case .constant(.value(let a)) = left.expression,
      case .constant(.value(let b)) = right.expression
    {
      result.expression = .constant(.value(Arithmetic.result(a, syntax.operation, b)))
      result.isConstant = true
    }
    return result
  }
}

extension Aggregate {
  /// The type of the result (chapter 6, section 4.9).
  var resultType: ValueType {
    Aggregate.resultType(of: operation, type, isOfObjects: isOfObjects)
  }

  /// The type of the result of `operation` on values of `type`.
  static func resultType(
    of operation: AggregateSyntax.Operation, _ type: ValueType, isOfObjects: Bool
  ) -> ValueType {
    switch operation {
    case .max, .min: type
    case .sum: type == .float ? .double : type == .mixed && isOfObjects ? .decimal : type
    case .average:
      type == .decimal || (type == .mixed && isOfObjects)
        ? .decimal : type == .mixed ? .mixed : .double
    }
  }
}
