import RealmModel
import RealmStorage

/// A list of primary keys: the targets of links whose object keys are not known yet.
///
/// ```
/// byte 0      type code plus one, 0 for null; plus 0x80 for a link that may be unresolved
/// bytes 1–4   position of the class
/// bytes 5–8   number of bytes of the primary key, which follow; up to 16 MB
/// ```
final class IdentityList: Sendable {
  fileprivate static let unresolvedMark: UInt8 = 0x80
  fileprivate static let headByteCount = 9

  fileprivate let store = ByteStore()

  var byteCount: Int { store.count }

  func append(_ value: BatchValue, target: Int, isUnresolved: Bool) {
    func begin(_ type: ColumnType?, _ count: Int) {
      store.append(
        UInt8(type.map { $0.rawValue + 1 } ?? 0)
          | (isUnresolved ? IdentityList.unresolvedMark : 0))
      store.append(UInt64(target) | UInt64(count) << 32)
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
}

/// The primary keys of all pieces, in order.
final class IdentityLog {
  private let log: ByteLog

  init(budget: MemoryBudget) { log = ByteLog(budget: budget) }

  /// Appends the primary keys of a piece.
  ///
  /// - Throws: the errors of an unlinked file.
  func append(_ list: IdentityList) throws(RealmFileError) {
    if list.byteCount > 0 { try log.append(list.store) }
  }

  /// The first bytes of an entry.
  private struct Head {
    let type: ColumnType?
    let target: Int
    let isUnresolved: Bool
    let byteCount: Int
  }

  private func head(at offset: Int) throws(RealmFileError) -> Head {
    let bytes = try log.slice(at: offset, count: IdentityList.headByteCount)
    let code = bytes[0] & ~IdentityList.unresolvedMark
    let word = bytes.littleEndian(at: 1)
    return Head(
      type: code == 0 ? nil : ColumnType(rawValue: Int(code) - 1),
      target: Int(word & 0xFFFF_FFFF), isUnresolved: bytes[0] & IdentityList.unresolvedMark != 0,
      byteCount: Int(word >> 32))
  }

  /// Moves `offset` past its entry.
  ///
  /// - Returns: the class of the target.
  /// - Throws: the errors of an unlinked file.
  func skip(_ offset: inout Int) throws(RealmFileError) -> Int {
    let head = try head(at: offset)
    offset += IdentityList.headByteCount + head.byteCount
    return head.target
  }

  /// The entry at `offset`: a primary key, and whether the link may be unresolved.
  ///
  /// - Throws: the errors of an unlinked file.
  func identity(
    at offset: Int
  ) throws(RealmFileError) -> (identity: Identity, isUnresolved: Bool) {
    let head = try head(at: offset)
    let bytes = try log.slice(at: offset + IdentityList.headByteCount, count: head.byteCount)
    return (
      Identity(target: head.target, type: head.type, bytes: bytes.bytes), head.isUnresolved
    )
  }
}
