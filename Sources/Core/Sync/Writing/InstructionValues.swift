import RealmModel
import RealmStorage

// The schema and the values of a realm as changesets have them.

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
  /// The type in changesets; mixed properties have the type null.
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
  /// - Parameter value: of a primary key.
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
      // A realm stores less than a second of nanoseconds.
      case .timestamp(let seconds, let nanoseconds):
        .timestamp(seconds: seconds, nanoseconds: Int32(truncatingIfNeeded: nanoseconds))
      case .decimal(let number): number.payload
      case .objectId(let bytes): .objectId(bytes.bytes)
      case .uuid(let bytes): .uuid(bytes.bytes)
      case .null, .link, .list, .dictionary: .null
      }
  }
}
