package import RealmModel

/// An expression of a migration plan: computes a value from the properties of an object.
///
/// It has the syntax of queries but stricter rules. Overflow, division by zero and a conversion that
/// changes the value fail. Operators give null for null, except `==`, `!=` and `coalesce`; an order
/// comparison with null is false. Escapes in strings are translated, and ints divide as ints.
package struct Formula: Sendable {
  private let form: FormulaForm
  /// The form for properties of type decimal128.
  private let exact: FormulaForm
  /// Owners of the constants' bytes.
  private let bytes: [SliceColumn]
  /// The expression as written.
  package let text: String
  /// The properties of the object that the expression reads.
  package let properties: Set<Int>
  /// The properties of linked objects that the expression reads.
  package let linked: Set<FormulaPlace>
  /// Whether each evaluation can give another value.
  package let isRandom: Bool

  /// - Parameters:
  ///   - text: the expression; untrusted.
  ///   - position: position of the class whose objects it is evaluated for.
  /// - Throws: ``QueryError`` if the expression has an error, or if names or types do not fit the schema.
  package init(
    _ text: String, ofClass position: Int, in schema: ObjectSchema
  ) throws(QueryError) {
    var parser = try Parser(text, isFormula: true)
    let syntax = try parser.formula()
    var resolver = FormulaResolver(schema: schema, text: parser.lexer.text, base: position)
    let value = try resolver.value(syntax)
    (form, exact, self.text) = (value.form, value.exact, text)
    (properties, linked) = (resolver.properties, resolver.linked)
    (bytes, isRandom) = (resolver.bytes, resolver.isRandom)
  }

  private var type: ValueType { form.type }

  /// The expression as a condition.
  var condition: FormulaNode { form.node }

  /// The expression as the value of a property of type `target`.
  func value(for target: ValueType) -> FormulaNode { form(for: target).node }

  private func form(for target: ValueType) -> FormulaForm { target == .decimal ? exact : form }

  /// Checks that the expression is a condition.
  ///
  /// - Throws: ``QueryError`` if it is a value.
  package func checkIsCondition(in schema: ObjectSchema) throws(QueryError) {
    guard type == .bool || type == .mixed || type == .null else {
      throw QueryError(
        .type, "the expression is of type \(type.name(in: schema)), expected a condition",
        at: 0..<text.utf8.count, hint: "compare it, as in name != null")
    }
  }

  /// Checks that the expression can give values of `property`.
  ///
  /// - Parameter isElement: whether the values are elements of the property's collection.
  /// - Throws: ``QueryError`` if no value can fit, or if a constant would be rounded.
  package func check(
    fits property: Property, isElement: Bool = false, in schema: ObjectSchema
  ) throws(QueryError) {
    let target = ValueType(property)
    let fits =
      type == target || type == .null || type == .mixed || target == .mixed
      || (type.isNumeric && target.isNumeric)
    let isSingle = property.collection == nil || isElement
    guard !fits || !isSingle else {
      return try form(for: target).checkKeepsDigits(for: target)
    }
    let range = 0..<text.utf8.count
    guard isSingle else {
      throw QueryError(
        .type, "\(property.name.text) is a collection; an expression gives single values",
        at: range,
        hint: "leave the property out of the values, or take a property with a single value")
    }
    throw QueryError(
      .type,
      "the expression is of type \(type.name(in: schema)), but \(property.name.text) is of type "
        + target.name(in: schema),
      at: range,
      hint: FormulaConversion.hint(from: type, to: target)
        ?? "write an expression of type \(target.name(in: schema))")
  }

  /// Whether values of one property can be converted to values of another one.
  package static func canConvert(from old: Property, to new: Property) -> Bool {
    guard old.collection == new.collection, !old.hasIntegerKeys, !new.hasIntegerKeys else {
      return false
    }
    let (source, target) = (ValueType(old), ValueType(new))
    if source == target { return true }
    // Members of a set that become equal would be lost.
    if old.collection == .set { return source.isNumeric && target.isNumeric }
    if target == .mixed { return !source.isLink || old.collection == nil }
    return source == .mixed || FormulaConversion.sources(of: target).contains(source)
  }
}
