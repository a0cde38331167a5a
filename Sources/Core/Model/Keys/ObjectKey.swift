/// Identifies an object of a table (chapter 3, section 4.2).
public struct ObjectKey: BitwiseCopyable, Hashable, Sendable {
  public let raw: Int64

  @inline(__always)
  public init(_ raw: Int64) { self.raw = raw }

  /// The key of a null link.
  public static let null = ObjectKey(-1)

  public var isNull: Bool { raw == -1 }
  /// True for the key of a tombstone: the target was deleted by another device or is not known yet.
  public var isUnresolved: Bool { raw <= -2 }

  /// Converts the key of an object to the key of its tombstone, and back. Wrapping, because the mapping
  /// is its own inverse for all 64-bit values.
  public var unresolved: ObjectKey { ObjectKey(-2 &- raw) }
}
