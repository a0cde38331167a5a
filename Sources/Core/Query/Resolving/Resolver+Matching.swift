import RealmModel

/// Decides how the values on both sides of a comparison match (chapter 6, sections 4.6 and 4.7).
extension Resolver {
  /// Whether `[c]` is ignored: the reference compares a property with the elements of a list exactly
  /// (chapter 6, Q1).
  func dropsCase(
    _ left: TypedOperand, _ syntax: ComparisonSyntax, _ right: TypedOperand
  ) -> Bool {
    guard syntax.operation == .isIn || syntax.operation == .equal,
      case .constants(let constants) = right.expression, !constants.isEmpty,
      right.quantifier == nil || right.quantifier == .any, let path = left.path,
      path.keyPath.directProperty != nil, !path.isMultiple
    else { return false }
    return path.type != .mixed
  }

  /// See ``Comparison/isSimple``.
  func isSimple(
    _ left: TypedOperand, _ operation: Comparison.Operation, _ right: TypedOperand
  ) -> Bool {
    guard left.path?.keyPath.directProperty != nil, !left.isMultiple else { return false }
    switch right.expression {
    case .constant:
      return left.type == right.type || (left.type.isText && right.type == .null)
    case .constants: return operation == .equal && left.type != .mixed
    default: return false
    }
  }

  func matching(
    _ left: TypedOperand, _ operation: ComparisonSyntax.Operation, _ right: TypedOperand
  ) -> Comparison.Matching {
    if left.quantifier == nil, right.quantifier == nil, left.isSequence, right.isSequence,
      !isLookedUp(left, operation, right), !isLookedUp(right, operation, left)
    {
      if isEntry(left) || isEntry(right) { return .entry(isLeft: isEntry(left)) }
      // A list of links equals a list of named objects if any of them is in it (Q4).
      let isOfObjects =
        (left.type.isLink || right.type.isLink) && (left.isConstant || right.isConstant)
      if !isOfObjects || operation == .isIn { return .pairwise }
    }
    return .quantified(left: left.quantifier ?? .any, right: right.quantifier ?? .any)
  }

  /// Whether an operand is one entry of a dictionary reached over single links, or one value in the entry.
  private func isEntry(_ operand: TypedOperand) -> Bool {
    guard let path = operand.path, case .values = path.keyPath.reading,
      path.property?.collection == .dictionary, !path.keyPath.followsSeveral,
      case .property(_, let steps) = path.keyPath.end
    else { return false }
    return !steps.isEmpty && !steps.contains { $0.isMultiple }
  }

  /// Whether the reference looks up `constants`, a list with one constant of the property's type, in an
  /// index. Then one of the values must be the constant, even where sequences are compared otherwise.
  private func isLookedUp(
    _ operand: TypedOperand, _ operation: ComparisonSyntax.Operation, _ constants: TypedOperand
  ) -> Bool {
    guard operation == .equal || operation == .isIn, case .constants = constants.expression,
      constants.elementTypes.count == 1, let path = operand.path, let property = path.property,
      case .property(let position, let steps) = path.keyPath.end, steps.isEmpty,
      case .values = path.keyPath.reading,
      !path.keyPath.links.contains(where: { $0.pick != nil })
    else { return false }
    let isIndexed =
      property.index == .search || schema.classes[path.keyPath.target].primaryKey == position
    return isIndexed && constants.elementTypes[0] == operand.type
  }
}
