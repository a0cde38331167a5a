package import RealmModel
package import RealmStorage

extension BatchValue {
  /// A scalar of a changeset; null for links and for what is no value.
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
  /// The identity as the value of the primary key; null for objects without a primary key.
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
