/// Identifies an object of a table (chapter 3, section 4.2).
public struct ObjectKey: Hashable, Sendable {
  public let raw: Int64

  @inline(__always)
  public init(_ raw: Int64) { self.raw = raw }

  /// What a link holds that leads nowhere.
  public static let null = ObjectKey(-1)

  public var isNull: Bool { raw == -1 }
  /// True for the key of a tombstone: the target was deleted elsewhere, or is not known yet.
  public var isUnresolved: Bool { raw <= -2 }

  /// The key of the tombstone of the object with this key, and the other way round. Wrapping: the
  /// mapping is its own inverse for all 64 bits.
  public var unresolved: ObjectKey { ObjectKey(-2 &- raw) }
}
