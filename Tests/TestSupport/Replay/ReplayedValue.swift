import RealmModel
import RealmStorage
import RealmSync

/// A value of a replayed object.
enum ReplayedValue: Sendable {
  /// Null, a scalar or a link.
  case scalar(Instruction.Payload)
  /// An embedded object, with the properties that were set.
  indirect case object([Instruction.InternedName: ReplayedValue])
  case list([ReplayedValue])
  case set(ReplayedSet)
  case dictionary([Instruction.InternedName: ReplayedValue])

  static let null = ReplayedValue.scalar(.null)

  /// The value of `payload`; nil for ``Instruction/Payload/erased``.
  init?(_ payload: Instruction.Payload) {
    switch payload {
    case .newObject: self = .object([:])
    case .newDictionary: self = .dictionary([:])
    case .newList: self = .list([])
    case .newSet: self = .set(ReplayedSet())
    case .erased: return nil
    default: self = .scalar(payload)
    }
  }
}

/// The members of a set.
struct ReplayedSet: Sendable {
  /// The members, each with the number of insertions before its own.
  private var numbers: [Instruction.Payload: Int] = [:]
  private var insertions = 0

  mutating func insert(_ member: Instruction.Payload) {
    guard numbers[member] == nil else { return }
    numbers[member] = insertions
    insertions += 1
  }

  mutating func remove(_ member: Instruction.Payload) { numbers[member] = nil }

  /// In the order of their insertion.
  var members: [Instruction.Payload] {
    numbers.sorted { $0.value < $1.value }.map(\.key)
  }
}

extension Instruction.NewColumn {
  /// The value of objects that do not set the property.
  var defaultValue: ReplayedValue {
    switch collection {
    case .list: .list([])
    case .set: .set(ReplayedSet())
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
