import RealmModel

/// A resolved expression, or a part of one, with its type.
struct FormulaForm: Sendable {
  var node: FormulaNode
  var type: ValueType
  /// The error for the first constant that loses digits in this form; nil if all keep them.
  var rounding: QueryError?

  /// Checks that no constant loses digits where values of type `target` are expected. A constant for a double is the
  /// nearest double.
  ///
  /// - Throws: ``rounding``.
  func checkKeepsDigits(for target: ValueType) throws(QueryError) {
    guard let rounding, type != .double || target != .double else { return }
    throw rounding
  }
}

/// A part of an expression. A constant with a fraction or an exponent is a double, and exactly the decimal128 that it
/// spells where a decimal128 is expected, which only the place of the part decides.
struct FormulaPart {
  /// The usual form, with doubles.
  var form: FormulaForm
  /// The form for a place that expects a decimal128. Calculations with other doubles or with floats stay as they are.
  var exact: FormulaForm
  let range: TextRange

  var type: ValueType { form.type }
  var node: FormulaNode { form.node }

  init(form: FormulaForm, exact: FormulaForm, at range: TextRange) {
    (self.form, self.exact, self.range) = (form, exact, range)
  }

  /// A part with one form.
  init(_ node: FormulaNode, _ type: ValueType, at range: TextRange) {
    form = FormulaForm(node: node, type: type)
    (exact, self.range) = (form, range)
  }

  /// A constant with a fraction or an exponent.
  ///
  /// - Parameter source: the constant for messages.
  init(_ number: Double, text: String, source: String, at range: TextRange) {
    self.init(.constant(.double(number)), .double, at: range)
    guard number.isFinite else {
      let decimal = NumberOrder.double(number).decimal
      exact = FormulaForm(node: .constant(.decimal(decimal)), type: .decimal)
      return
    }
    let decimal = Decimal128(text: text)
    if let decimal {
      exact = FormulaForm(node: .constant(.decimal(decimal)), type: .decimal)
    } else {
      exact.rounding = QueryError(
        .value, "\(source) cannot be a decimal128 without rounding", at: range,
        hint: "write at most 34 digits, and an exponent from -6176 to 6111")
    }
    let nearest = Decimal128(text: number.description)
    guard let decimal, let nearest,
      NumberOrder.compare(.decimal(decimal), .decimal(nearest)) == 0
    else {
      form.rounding = QueryError(
        .value, "\(source) cannot be a double without rounding", at: range,
        hint: "write \(number), the nearest double"
          + (decimal == nil ? "" : ", or decimal('…') to keep all digits"))
      return
    }
  }
}
