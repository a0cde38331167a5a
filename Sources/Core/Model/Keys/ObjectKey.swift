import RealmStorage

/// Identifies an object of a table (chapter 3, section 4.2).
public struct ObjectKey: BitwiseCopyable, Hashable, Sendable {
  public let raw: Int64

  @inline(__always)
  public init(_ raw: Int64) { self.raw = raw }

  /// The key of a null link.
  public static let null = ObjectKey(-1)

  public var isNull: Bool { raw == -1 }
  /// Whether this is the key of a tombstone, whose object another device deleted or has yet to upload.
  public var isUnresolved: Bool { raw <= -2 }

  /// The key of the object's tombstone; for the key of a tombstone, the key of its object. The subtraction
  /// wraps, so that the mapping is its own inverse for all 64-bit values.
  public var unresolved: ObjectKey { ObjectKey(-2 &- raw) }
}

/// The identity of an object in all files of a synced realm. The object key is computed from it (chapter 3,
/// sections 4.3 and 4.4).
package struct GlobalKey: Hashable {
  package var high: UInt64
  package var low: UInt64

  /// The bits of the hash that an object key keeps.
  private static let hashMask: UInt64 = 0x3FFF_FFFF_FFFF_FFFF

  package init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }

  /// The global key of an object with this primary key.
  ///
  /// - Returns: nil for a value that cannot be a primary key.
  package init?(primaryKey value: MixedValue) {
    switch value {
    case .null: (high, low) = (1, 0)
    case .int(let number): (high, low) = (0, UInt64(bitPattern: number))
    case .string(let bytes), .objectId(let bytes):
      guard let digest = bytes.sha1 else { return nil }
      low = RealmStorage.littleEndian(digest[0..<8])
      high = RealmStorage.littleEndian(digest[8..<16])
    case .uuid(let bytes):
      guard bytes.count == 16 else { return nil }
      (high, low) = (bytes.littleEndian(at: 0), bytes.littleEndian(at: 8))
    default: return nil
    }
  }

  /// The global key of an object of a table without a primary key.
  ///
  /// - Returns: nil for the key of a tombstone. A high half of 0 stands for the file's own identifier.
  package init?(squeezed key: ObjectKey) {
    guard key.raw >= 0 else { return nil }
    let raw = UInt64(key.raw)
    low = raw & 0xFF | (raw & 0xFF_FFFF_0000) >> 8
    high = (raw & 0xFF00) >> 8 | (raw & 0xFFFF_FF00_0000_0000) >> 32
  }

  /// The object key of an object of a table without a primary key; the inverse of ``init(squeezed:)``.
  /// The low half has at most 32 bits.
  package var squeezedKey: ObjectKey {
    ObjectKey(
      Int64(
        bitPattern: low & 0xFF | (high & 0xFF) << 8 | (low & 0xFFFF_FF00) << 8
          | (high & 0x3FFF_FF00) << 32))
  }

  /// The object key computed from the hash of a primary key. The collision map can override it.
  package var hashedKey: ObjectKey { ObjectKey(Int64(low & GlobalKey.hashMask)) }
}
