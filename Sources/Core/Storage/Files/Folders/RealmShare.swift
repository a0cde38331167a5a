/// One of several equal shares of all realms, for runs that divide the work among machines.
///
/// The share of a realm depends on its path alone, so that runs on different machines agree without talking
/// to each other.
public struct RealmShare: Equatable, Sendable {
  /// From 1.
  public let number: Int
  /// How many shares there are.
  public let count: Int

  /// Nil unless `number` is from 1 to `count`.
  public init?(_ number: Int, of count: Int) {
    guard count >= 1, (1...count).contains(number) else { return nil }
    (self.number, self.count) = (number, count)
  }

  /// Whether the realm at `path` is in this share: its number is the FNV-1a hash (64 bits) of the bytes of the
  /// path, modulo ``count``, plus 1.
  public func contains(_ path: String) -> Bool {
    let hash = path.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) {
      ($0 ^ UInt64($1)) &* 0x100_0000_01b3
    }
    return Int(hash % UInt64(count)) + 1 == number
  }
}
