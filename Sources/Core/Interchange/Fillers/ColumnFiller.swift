import RealmModel
import RealmStorage

/// Collects the values of a property, or the elements of a collection, from the tokens of records.
///
/// Each call appends one value directly to the arrays of the column. Abstract: every subclass overrides
/// ``append(_:_:)``, ``appendNull()``, ``count`` and ``finish()``.
class ColumnFiller {
  /// True if values, or elements, may be null.
  final let isOptional: Bool
  /// The name of the expected value in messages.
  final let expected: String

  init(isOptional: Bool, expected: String) {
    (self.isOptional, self.expected) = (isOptional, expected)
  }

  /// Appends the value of token `i`.
  ///
  /// - Throws: errors of the value.
  final func add(_ record: JSONRecord, _ i: Int) throws(ValueError) {
    guard record.kind(i) == .null else { return try append(record, i) }
    guard isOptional else { throw ValueError(.nullInRequired(expected: expected), at: i) }
    appendNull()
  }

  /// Appends the value of token `i`, which is not null.
  func append(_ record: JSONRecord, _ i: Int) throws(ValueError) {}

  /// Appends a null, or the default for an object without this value.
  func appendNull() {}

  /// True if ``appendNull()`` appends a valid value even if the property is not optional.
  var hasDefault: Bool { isOptional }

  /// Number of values.
  var count: Int { 0 }

  /// Returns the collected values, and starts a new column.
  func finish() -> ColumnValues { .scalar(.decimal([])) }
}

extension ColumnFiller {
  /// A filler for the values of `property`.
  static func make(_ property: Property, _ context: FillContext) -> ColumnFiller {
    switch property.collection {
    case nil: return element(property, context)
    case .list, .set:
      return ListFiller(element(property, context), takesNull: context.isForeign)
    case .dictionary:
      return DictionaryFiller(
        element(property, context), hasIntegerKeys: property.hasIntegerKeys, context,
        takesNull: context.isForeign)
    }
  }

  /// A filler for single values, or for the elements of a collection.
  private static func element(_ property: Property, _ context: FillContext) -> ColumnFiller {
    let isOptional = property.isOptional
    switch property.type {
    case .int: return PlainFiller<Int64>(isOptional: isOptional, expected: "an int")
    case .bool: return PlainFiller<Bool>(isOptional: isOptional, expected: "true or false")
    case .float: return PlainFiller<Float>(isOptional: isOptional, expected: "a float")
    case .double: return PlainFiller<Double>(isOptional: isOptional, expected: "a double")
    case .decimal: return DecimalFiller(isOptional: isOptional, expected: "a decimal128")
    case .timestamp: return DateFiller(isOptional: isOptional, expected: "a date")
    case .string: return SliceFiller(.string, context, isOptional: isOptional)
    case .binary: return SliceFiller(.binary, context, isOptional: isOptional)
    case .objectId: return SliceFiller(.objectId, context, isOptional: isOptional)
    case .uuid: return SliceFiller(.uuid, context, isOptional: isOptional)
    case .mixed, .typedLink: return MixedFiller(context, in: property.collection)
    case .link:
      let target = property.target ?? 0
      guard context.schema.classes[target].kind == .embedded else {
        return LinkFiller(target, context, isOptional: isOptional)
      }
      return EmbeddedFiller(target, context, isOptional: isOptional)
    }
  }
}
