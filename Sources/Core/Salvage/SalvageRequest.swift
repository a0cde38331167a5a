public import RealmStorage

/// What to salvage, and from which versions.
public struct SalvageRequest: Sendable {
  /// The version to read.
  public enum Version: Equatable, Sendable {
    case newest
    /// The version before the newest one.
    case previous
    /// The version whose top array is at this offset.
    case offset(Int)
  }

  /// Path of the damaged realm.
  public var path: String
  /// Key of the realm and of the result.
  public var key: RealmKey?
  public var version = Version.newest
  /// Whether older versions replace lost values and objects.
  public var fillsFromPrevious = false
  /// Whether deleted objects in freed space are included, in classes of their own.
  public var includesFreed = false
  /// Whether values and objects are left out that can be read, because bytes near them are damaged.
  public var dropsDoubtful = false
  /// The most objects that older versions add.
  package var olderObjectLimit = OlderObjects.limit
  /// Number of threads.
  public var jobs = 1
  /// The most bytes of decrypted pages to keep.
  public var cacheByteCount = Snapshot.usualCacheByteCount

  /// Whether older versions add to the result.
  package var needsOlderVersions: Bool { fillsFromPrevious || includesFreed }

  public init(path: String) { self.path = path }
}
