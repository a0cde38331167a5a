package import RealmModel
package import RealmStorage

// Conversions between the types and values of realms and those of changesets.

// MARK: From realms

extension ObjectClass.Kind {
  var tableKind: Instruction.TableKind {
    switch self {
    case .topLevel: .topLevel
    case .embedded: .embedded
    case .asymmetric: .asymmetric
    }
  }
}

extension CollectionKind? {
  var instructionKind: Instruction.Collection {
    switch self {
    case nil: .none
    case .list: .list
    case .dictionary: .dictionary
    case .set: .set
    }
  }
}

extension PropertyType {
  /// The type in changesets, which is null for mixed.
  var valueType: Instruction.ValueType {
    switch self {
    case .int: .int
    case .bool: .bool
    case .string: .string
    case .binary: .binary
    case .mixed, .typedLink: .null
    case .timestamp: .timestamp
    case .float: .float
    case .double: .double
    case .decimal: .decimal
    case .objectId: .objectId
    case .uuid: .uuid
    case .link: .link
    }
  }
}

extension Instruction.ObjectIdentity {
  /// - Parameter value: the value of a primary key.
  init(_ value: BatchValue) {
    self =
      switch value {
      case .int(let number): .int(number)
      case .string(let bytes): .string(Instruction.InternedName(bytes.bytes))
      case .objectId(let bytes): .objectId(bytes.bytes)
      case .uuid(let bytes): .uuid(bytes.bytes)
      default: .null
      }
  }
}

extension Instruction.Payload {
  /// - Parameter value: neither a link nor a collection.
  init(_ value: BatchValue) {
    self =
      switch value {
      case .int(let number): .int(number)
      case .bool(let flag): .bool(flag)
      case .float(let number): .float(number.bitPattern)
      case .double(let number): .double(number.bitPattern)
      case .string(let bytes): .string(bytes.bytes)
      case .binary(let bytes): .binary(bytes.bytes)
      // Fits, because a realm stores less than a second of nanoseconds.
      case .timestamp(let seconds, let nanoseconds):
        .timestamp(seconds: seconds, nanoseconds: Int32(truncatingIfNeeded: nanoseconds))
      case .decimal(let number): number.payload
      case .objectId(let bytes): .objectId(bytes.bytes)
      case .uuid(let bytes): .uuid(bytes.bytes)
      case .null, .link, .list, .dictionary: .null
      }
  }
}

// MARK: From changesets

extension BatchValue {
  /// The scalar `payload`; null for links and for payloads that are not values.
  ///
  /// - Parameter slice: the bytes of `payload`, if it has any.
  package init(_ payload: Instruction.Payload, _ slice: ByteSlice?) {
    self =
      switch payload {
      case .int(let number): .int(number)
      case .bool(let flag): .bool(flag)
      case .string: .string(slice ?? .empty)
      case .binary: .binary(slice ?? .empty)
      case .timestamp(let seconds, let nanoseconds):
        .timestamp(seconds: seconds, nanoseconds: Int64(nanoseconds))
      case .float(let bits): .float(Float(bitPattern: bits))
      case .double(let bits): .double(Double(bitPattern: bits))
      case .decimal(let coefficient, let exponent, let isNegative):
        Decimal128(coefficient: coefficient, exponent: exponent, isNegative: isNegative)
          .map { .decimal($0) } ?? .null
      case .objectId: .objectId(slice ?? .empty)
      case .uuid: .uuid(slice ?? .empty)
      case .null, .link, .newObject, .newDictionary, .newList, .newSet, .erased: .null
      }
  }
}

extension Instruction.Payload {
  /// The bytes of a string, a binary or an identifier; nil for other values.
  package var bytes: [UInt8]? {
    switch self {
    case .string(let bytes), .binary(let bytes), .objectId(let bytes), .uuid(let bytes): bytes
    default: nil
    }
  }
}

extension Instruction.ObjectIdentity {
  /// The value of the primary key; null for objects without a primary key.
  package var payload: Instruction.Payload {
    switch self {
    case .null, .globalKey: .null
    case .int(let number): .int(number)
    case .string(let name): .string(name.bytes)
    case .objectId(let bytes): .objectId(bytes)
    case .uuid(let bytes): .uuid(bytes)
    }
  }
}

extension Instruction.ObjectIdentity {
  /// The identity for messages.
  var text: String {
    switch self {
    case .null: "null"
    case .int(let number): "\(number)"
    case .string(let name): "\"\(name.text)\""
    case .globalKey(let high, let low): "{\(high),\(low)}"
    case .objectId(let bytes), .uuid(let bytes): bytes.hexadecimal
    }
  }
}

// MARK: Decimals

/// Changesets store a decimal in three parts, NaN and infinities too (chapter 4, section 3.3).
extension Decimal128 {
  private static let signBit: UInt64 = 1 << 63
  private static let exponentShift: UInt64 = 49
  private static let exponentMask: UInt64 = 0x3FFF
  private static let bias = 6176

  /// The decimal as a value in a changeset.
  var payload: Instruction.Payload {
    let exponent = high >> Decimal128.exponentShift & Decimal128.exponentMask
    let upper = high & (1 << Decimal128.exponentShift - 1)
    return .decimal(
      coefficient: UInt128(upper) << 64 | UInt128(low), exponent: Int(exponent) - Decimal128.bias,
      isNegative: high & Decimal128.signBit != 0)
  }

  /// - Parameter coefficient: up to 113 bits.
  /// - Returns: nil for an exponent that no decimal can have.
  package init?(coefficient: UInt128, exponent: Int, isNegative: Bool) {
    let (biased, overflows) = exponent.addingReportingOverflow(Decimal128.bias)
    guard !overflows, (0...Int(Decimal128.exponentMask)).contains(biased) else { return nil }
    self.init(
      low: UInt64(truncatingIfNeeded: coefficient),
      high: UInt64(truncatingIfNeeded: coefficient >> 64) | UInt64(biased)
        << Decimal128.exponentShift | (isNegative ? Decimal128.signBit : 0))
  }
}
