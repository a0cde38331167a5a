/// A value of a replayed object.
enum ReplayedValue: Sendable {
  /// Null, a scalar or a link.
  case scalar(Instruction.Payload)
  /// An embedded object: the properties that were set.
  indirect case object([Instruction.InternedName: ReplayedValue])
  case list([ReplayedValue])
  case set([Instruction.Payload])
  case dictionary([Instruction.InternedName: ReplayedValue])

  static let null = ReplayedValue.scalar(.null)

  /// The value that a payload stands for; nil for ``Instruction/Payload/erased``.
  init?(_ payload: Instruction.Payload) {
    switch payload {
    case .newObject: self = .object([:])
    case .newDictionary: self = .dictionary([:])
    case .newList: self = .list([])
    case .newSet: self = .set([])
    case .erased: return nil
    default: self = .scalar(payload)
    }
  }
}

extension Instruction.NewColumn {
  /// The value of objects that do not set the property.
  var defaultValue: ReplayedValue {
    switch collection {
    case .list: .list([])
    case .set: .set([])
    case .dictionary: .dictionary([:])
    case .none: .scalar(isNullable ? .null : type.zero)
    }
  }

  /// Whether the property, or an element of its collection, can have the value.
  func accepts(_ payload: Instruction.Payload, targetIsEmbedded: Bool) -> Bool {
    switch payload {
    case .null: isNullable || type == .null
    case .newObject: type == .link && targetIsEmbedded
    case .newList, .newDictionary: type == .null
    case .link(let table, _): type == .null || type == .link && table == target && !targetIsEmbedded
    case .newSet, .erased: false
    default: type == .null || payload.type == type
    }
  }
}

extension Instruction.ValueType {
  /// The default of a required property.
  fileprivate var zero: Instruction.Payload {
    switch self {
    case .int: .int(0)
    case .bool: .bool(false)
    case .string: .string([])
    case .binary: .binary([])
    case .timestamp: .timestamp(seconds: 0, nanoseconds: 0)
    case .float: .float(0)
    case .double: .double(0)
    case .decimal: .decimal(coefficient: 0, exponent: 0, isNegative: false)
    case .objectId: .objectId([UInt8](repeating: 0, count: 12))
    case .uuid: .uuid([UInt8](repeating: 0, count: 16))
    default: .null
    }
  }
}
