import RealmStorage

/// The target of a link by primary key.
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

/// A list of primary keys: the targets of links with object keys that are not known yet.
///
/// ```
/// byte 0       type code plus one, 0 for null; 0x80 for a link that may be unresolved
/// bytes 1–8    position of the class
/// bytes 9–16   number of bytes that follow
/// ```
final class IdentityList: Sendable {
  private static let unresolvedMark: UInt8 = 0x80
  private static let headByteCount = 17

  private let store = ByteStore()

  var byteCount: Int { store.count }

  func append(_ value: BatchValue, target: Int, isUnresolved: Bool) {
    func begin(_ type: ColumnType?, _ count: Int) {
      store.append(
        UInt8(type.map { $0.rawValue + 1 } ?? 0)
          | (isUnresolved ? IdentityList.unresolvedMark : 0))
      store.append(UInt64(target))
      store.append(UInt64(count))
    }
    switch value {
    case .int(let number):
      begin(.int, 8)
      store.append(UInt64(bitPattern: number))
    case .string(let bytes):
      begin(.string, bytes.count)
      store.append(bytes)
    case .objectId(let bytes):
      begin(.objectId, bytes.count)
      store.append(bytes)
    case .uuid(let bytes):
      begin(.uuid, bytes.count)
      store.append(bytes)
    default: begin(nil, 0)
    }
  }

  func append(_ other: IdentityList) { store.append(other.store) }

  /// Moves `offset` past the entry there.
  ///
  /// - Returns: the class of the target, and whether the link may be unresolved.
  func skip(_ offset: inout Int) -> (target: Int, isUnresolved: Bool) {
    defer { offset += IdentityList.headByteCount + Int(store.number(at: offset + 9)) }
    return (
      Int(store.number(at: offset + 1)),
      store.slice(at: offset, count: 1)[0] & IdentityList.unresolvedMark != 0
    )
  }

  /// The primary key at `offset`.
  func identity(at offset: Int) -> Identity {
    let code = store.slice(at: offset, count: 1)[0] & ~IdentityList.unresolvedMark
    return Identity(
      target: Int(store.number(at: offset + 1)),
      type: code == 0 ? nil : ColumnType(rawValue: Int(code) - 1),
      bytes: store.slice(
        at: offset + IdentityList.headByteCount, count: Int(store.number(at: offset + 9))
      ).bytes)
  }
}
