package import RealmStorage

/// A value of a batch. The bytes of strings and binaries stay in the file. A link or a collection is a position in
/// the ``MixedColumn`` with the value.
package enum BatchValue: Sendable {
  case null
  case int(Int64)
  case bool(Bool)
  case float(Float)
  case double(Double)
  case string(ByteSlice)
  case binary(ByteSlice)
  /// Seconds since 1970 and nanoseconds of the same sign.
  case timestamp(seconds: Int64, nanoseconds: Int64)
  case decimal(Decimal128)
  /// 12 bytes.
  case objectId(ByteSlice)
  /// 16 bytes.
  case uuid(ByteSlice)
  /// Position in ``MixedColumn/links``.
  case link(Int)
  /// Position in ``MixedColumn/lists``.
  case list(Int)
  /// Position in ``MixedColumn/dictionaries``.
  case dictionary(Int)

  package var isNull: Bool { if case .null = self { true } else { false } }
}

extension MixedValue {
  /// The scalar as a batch holds it; null for a link or a collection, which only a column can represent.
  package var plain: BatchValue {
    switch self {
    case .int(let number): .int(number)
    case .bool(let flag): .bool(flag)
    case .float(let number): .float(number)
    case .double(let number): .double(number)
    case .string(let bytes): .string(bytes)
    case .binary(let bytes): .binary(bytes)
    case .timestamp(let seconds, let nanoseconds):
      .timestamp(seconds: seconds, nanoseconds: nanoseconds)
    case .decimal(let number): .decimal(number)
    case .objectId(let bytes): .objectId(bytes)
    case .uuid(let bytes): .uuid(bytes)
    case .null, .link, .typedLink, .list, .dictionary: .null
    }
  }

  /// The scalar as a leaf holds it; null for a link or a collection, which only a column can represent.
  package init(_ value: BatchValue) {
    self =
      switch value {
      case .int(let number): .int(number)
      case .bool(let flag): .bool(flag)
      case .float(let number): .float(number)
      case .double(let number): .double(number)
      case .string(let bytes): .string(bytes)
      case .binary(let bytes): .binary(bytes)
      case .timestamp(let seconds, let nanoseconds):
        .timestamp(seconds: seconds, nanoseconds: nanoseconds)
      case .decimal(let number): .decimal(number)
      case .objectId(let bytes): .objectId(bytes)
      case .uuid(let bytes): .uuid(bytes)
      case .null, .link, .list, .dictionary: .null
      }
  }
}
