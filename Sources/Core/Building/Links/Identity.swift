import RealmModel
import RealmStorage

/// A class and a primary key: the target of a link that has no object key yet.
struct Identity: Hashable, Sendable {
  /// Position of the class.
  let target: Int
  /// Type of the primary key; nil for null.
  let type: ColumnType?
  let bytes: [UInt8]

  init(target: Int, type: ColumnType?, bytes: [UInt8]) {
    (self.target, self.type, self.bytes) = (target, type, bytes)
  }

  init(_ value: BatchValue, target: Int) {
    self.target = target
    switch value {
    case .int(let number):
      type = .int
      bytes = (0..<8).map { UInt8(truncatingIfNeeded: number >> Int64($0 * 8)) }
    case .string(let slice): (type, bytes) = (.string, slice.bytes)
    case .objectId(let slice): (type, bytes) = (.objectId, slice.bytes)
    case .uuid(let slice): (type, bytes) = (.uuid, slice.bytes)
    default: (type, bytes) = (nil, [])
    }
  }

  var value: RealmValue {
    switch type {
    case .int:
      .int(Int64(bitPattern: bytes.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }))
    case .string:
      String(validating: bytes, as: UTF8.self).map { .string($0) } ?? .malformedString(bytes)
    case .objectId: .objectId(bytes)
    case .uuid: .uuid(bytes)
    default: .null
    }
  }
}

extension Identity {
  /// The key that sync clients use for the object; nil if the primary key has none.
  var globalKey: GlobalKey? {
    let store = ByteStore()
    for byte in bytes { store.append(byte) }
    let slice = store.slice(at: 0, count: bytes.count)
    return withExtendedLifetime(store) {
      switch type {
      case .int: GlobalKey(primaryKey: .int(Int64(bitPattern: slice.littleEndian(at: 0))))
      case .string: GlobalKey(primaryKey: .string(slice))
      case .objectId: GlobalKey(primaryKey: .objectId(slice))
      case .uuid: GlobalKey(primaryKey: .uuid(slice))
      default: GlobalKey(primaryKey: .null)
      }
    }
  }
}
