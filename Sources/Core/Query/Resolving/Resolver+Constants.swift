import RealmModel
import RealmStorage

/// Constants, which take their type from the other side of a comparison (chapter 6, section 4.4).
extension Resolver {
  /// A constant with its type.
  typealias TypedConstant = (constant: Constant, type: ValueType)

  /// Resolves a constant.
  ///
  /// - Parameter hint: the type of the other side; nil if there is none.
  mutating func constant(
    _ syntax: ConstantSyntax, _ hint: ValueType?
  ) throws(QueryError) -> TypedConstant {
    switch syntax.value {
    case .null: return (.value(.null), .null)
    case .bool(let flag): return (.value(.bool(flag)), .bool)
    case .int(let number): return int(number, hint)
    case .float(let number, let text):
      return try float(number, text, hint, at: syntax.range)
    case .string(let text): return try string(text, hint, at: syntax.range)
    case .base64(let text): return (.value(.string(keep(text))), .string)
    case .binary(let data): return (.value(.binary(keep(data))), .binary)
    case .date(let seconds, let nanoseconds):
      return (.value(.date(seconds: seconds, nanoseconds: nanoseconds)), .date)
    case .objectId(let id): return (.value(.objectId(keep(id))), .objectId)
    case .uuid(let id): return (.value(.uuid(keep(id))), .uuid)
    case .objectKey(let key): return try objectKey(ObjectKey(key), hint, at: syntax.range)
    case .typedKey(let table, let key):
      objects.append(.tableKey(table, key: key))
      return (.object(objects.count - 1), hint?.isLink == true ? hint ?? .mixed : .mixed)
    case .object(let className, let primaryKey):
      return try object(className, primaryKey, at: syntax.range)
    case .argument(let number): return try argumentConstant(number, hint, at: syntax.range)
    }
  }

  /// Copies the bytes of a constant, so that they live as long as the query.
  mutating func keep(_ text: [UInt8]) -> ByteSlice {
    let column = SliceColumn(copying: [text])
    bytes.append(column)
    return column[0] ?? .empty
  }

  // MARK: Numbers

  private func int(_ number: Int64, _ hint: ValueType?) -> TypedConstant {
    hint == .decimal
      ? (.value(.decimal(NumberOrder.int(number).decimal)), .decimal) : (.value(.int(number)), .int)
  }

  private func float(
    _ number: Double, _ text: String, _ hint: ValueType?, at range: TextRange
  ) throws(QueryError) -> TypedConstant {
    switch hint {
    case .float: return (.value(.float(Float(number))), .float)
    case .decimal: return (.value(.decimal(Resolver.decimal(text, number))), .decimal)
    case .double, .mixed, nil: return (.value(.double(number)), .double)
    case .int where !number.isInfinite:
      guard let whole = Int64(exactly: number) else { return (.value(.double(number)), .double) }
      return (.value(.int(whole)), .int)
    case let other?:
      guard number.isFinite || number.isNaN else {
        throw QueryError(
          .type, "\(source(range)) cannot be compared with \(name(other)) values", at: range,
          hint: "compare numbers with infinity")
      }
      return (.value(.double(number)), .double)
    }
  }

  /// The decimal that a literal spells; rounded like `number` if no decimal has this value.
  private static func decimal(_ text: String, _ number: Double) -> Decimal128 {
    let digits = text.hasSuffix("f") || text.hasSuffix("F") ? String(text.dropLast()) : text
    return number.isFinite
      ? Decimal128(text: digits) ?? NumberOrder.double(number).decimal
      : NumberOrder.double(number).decimal
  }

  // MARK: Strings

  private mutating func string(
    _ text: [UInt8], _ hint: ValueType?, at range: TextRange
  ) throws(QueryError) -> TypedConstant {
    guard hint != .typeName else { return try typeName(text, at: range) }
    if let hint, hint.isNumeric, let number = Resolver.number(text, hint) {
      return (.value(number), hint)
    }
    return (.value(.string(keep(text))), .string)
  }

  private func typeName(
    _ text: [UInt8], at range: TextRange
  ) throws(QueryError) -> TypedConstant {
    let word = String(decoding: text, as: UTF8.self)
    guard let types = TypeSet(named: word) else {
      throw QueryError(
        .type, "there is no type '\(word)'", at: range,
        hint: NearestName.suggestion(word, TypeSet.allNames, of: "the types are")
          ?? "write the name of a type in quotes")
    }
    return (.value(.type(types)), .typeName)
  }

  /// The number at the beginning of a string, after spaces; nil if there is none. A decimal must be the
  /// whole string.
  private static func number(_ all: [UInt8], _ type: ValueType) -> QueryValue? {
    guard type != .decimal else {
      return Decimal128(text: String(decoding: all, as: UTF8.self)).map { .decimal($0) }
    }
    let text = Array(all.drop(while: Lexer.isCSpace))
    var digits = text.prefix { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "+") }
    guard digits.count <= 1 else { return nil }
    digits += text[digits.endIndex...].prefix(while: Lexer.isDigit)
    let whole = digits
    if digits.endIndex < text.count, text[digits.endIndex] == UInt8(ascii: ".") {
      digits = text[..<(digits.endIndex + 1)]
      digits += text[digits.endIndex...].prefix(while: Lexer.isDigit)
    }
    guard digits.contains(where: Lexer.isDigit) else { return nil }
    digits = text[..<(digits.endIndex + exponentLength(text[digits.endIndex...]))]
    let word = String(decoding: digits, as: UTF8.self)
    switch type {
    case .int:
      // Numbers outside the range of Int64 become its limits.
      guard whole.contains(where: Lexer.isDigit) else { return nil }
      let digits = String(decoding: whole, as: UTF8.self)
      return .int(Int64(digits) ?? (digits.hasPrefix("-") ? .min : .max))
    case .float: return Float(word).map { .float($0) }
    default: return Double(word).map { .double($0) }
    }
  }

  /// The length of an exponent at the beginning of `text`, 0 for none.
  private static func exponentLength(_ text: ArraySlice<UInt8>) -> Int {
    guard let first = text.first, first | 0x20 == UInt8(ascii: "e") else { return 0 }
    var rest = text.dropFirst()
    if let sign = rest.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
      rest = rest.dropFirst()
    }
    let digits = rest.prefix(while: Lexer.isDigit)
    return digits.isEmpty ? 0 : digits.endIndex - text.startIndex
  }

  // MARK: Objects

  private func objectKey(
    _ key: ObjectKey, _ hint: ValueType?, at range: TextRange
  ) throws(QueryError) -> TypedConstant {
    guard case .link(let position) = hint else {
      throw QueryError(
        .type,
        "\(source(range)) names an object, but the other side is "
          + (hint.map { name($0) } ?? "not a link"), at: range,
        hint:
          "compare a link with an object, as in dog == \(String(decoding: text[range], as: UTF8.self))"
      )
    }
    return (.value(.link(position, key)), .link(position))
  }

  private mutating func object(
    _ className: [UInt8], _ primaryKey: ConstantSyntax, at range: TextRange
  ) throws(QueryError) -> TypedConstant {
    let position = try classPosition(className, at: range, allowsPrefix: true)
    let objectClass = schema.classes[position]
    guard let primary = objectClass.primaryKey else {
      throw QueryError(
        .type, "\(objectClass.name.text) has no primary key, so obj() cannot find its objects",
        at: range, hint: "compare a property of the object, as in dog.name == 'Rex'")
    }
    let (key, type) = try constant(primaryKey, ValueType(objectClass.properties[primary]))
    guard case .value(let value) = key,
      ValueType.areComparable(type, ValueType(objectClass.properties[primary]))
    else {
      throw QueryError(
        .type,
        "\(source(primaryKey.range)) is \(name(type)); the primary key of "
          + "\(objectClass.name.text) is \(name(ValueType(objectClass.properties[primary])))",
        at: primaryKey.range,
        hint: "write a primary key of the type \(name(ValueType(objectClass.properties[primary])))")
    }
    objects.append(.primaryKey(classPosition: position, value))
    return (.object(objects.count - 1), .link(position))
  }

  // MARK: Arguments

  private mutating func argumentConstant(
    _ number: Int, _ hint: ValueType?, at range: TextRange
  ) throws(QueryError) -> TypedConstant {
    switch try argument(number, at: range) {
    case .objectKey(let key): return try objectKey(key, hint, at: range)
    case .value(let value): return try constant(value, hint, at: range)
    }
  }

  /// An argument as a constant.
  mutating func constant(
    _ value: RealmValue, _ hint: ValueType?, at range: TextRange
  ) throws(QueryError) -> TypedConstant {
    switch value {
    case .null: return (.value(.null), .null)
    case .int(let number): return int(number, hint)
    case .bool(let flag): return (.value(.bool(flag)), .bool)
    case .float(let number) where hint == .mixed || hint == nil:
      return (.value(.float(number)), .float)
    case .float(let number):
      return try float(Double(number), "\(number)", hint, at: range)
    case .double(let number): return try float(number, "\(number)", hint, at: range)
    case .string(let text): return try string(Array(text.utf8), hint, at: range)
    case .malformedString(let text): return (.value(.string(keep(text))), .string)
    case .binary(let data): return (.value(.binary(keep(data))), .binary)
    case .date(let seconds, let nanoseconds):
      return (.value(.date(seconds: seconds, nanoseconds: nanoseconds)), .date)
    case .decimal(let number): return (.value(.decimal(number)), .decimal)
    case .objectId(let id): return (.value(.objectId(keep(id))), .objectId)
    case .uuid(let id): return (.value(.uuid(keep(id))), .uuid)
    case .link(let link): return try constant(link, at: range)
    case .object, .list, .dictionary:
      throw QueryError(
        .argument, "\(source(range)) is a collection or an object; a single value is expected",
        at: range, hint: "pass one value for each argument; a list can follow IN")
    }
  }

  private mutating func constant(
    _ link: RealmLink, at range: TextRange
  ) throws(QueryError) -> TypedConstant {
    guard schema.classes.indices.contains(link.classPosition) else {
      throw QueryError(
        .argument, "\(source(range)) links to an unknown class", at: range,
        hint: "name a class of the realm in the link")
    }
    let type = ValueType.link(link.classPosition)
    if let key = link.key { return (.value(.link(link.classPosition, key)), type) }
    guard let primaryKey = link.primaryKey.first,
      case .value(let value) = try constant(primaryKey, nil, at: range).constant
    else { return (.value(.null), type) }
    objects.append(.primaryKey(classPosition: link.classPosition, value))
    return (.object(objects.count - 1), type)
  }
}
