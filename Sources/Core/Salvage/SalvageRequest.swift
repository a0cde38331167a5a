public import RealmStorage

/// What to salvage, and from which versions.
public struct SalvageRequest: Sendable {
  /// The version that is read.
  public enum Version: Equatable, Sendable {
    case newest
    /// The version before the newest one.
    case previous
    /// The version whose top array is at this offset.
    case offset(Int)
  }

  public var path: String
  /// Key of the realm and of the result.
  public var key: RealmKey?
  public var version = Version.newest
  /// Whether lost values and objects are taken from older versions.
  public var fillsFromPrevious = false
  /// Whether objects in freed space come too, in classes of their own.
  public var includesFreed = false
  /// The most objects that come from older versions.
  package var olderObjectLimit = OlderObjects.limit
  /// Number of threads.
  public var jobs = 1
  /// The most bytes of decrypted pages that are kept.
  public var cacheByteCount = Snapshot.usualCacheByteCount

  var needsOlderVersions: Bool { fillsFromPrevious || includesFreed }

  public init(path: String) { self.path = path }
}
