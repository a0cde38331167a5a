import RealmLegacy
@_exported public import RealmModel
@_exported public import RealmStorage

/// Opens realms for programs that only read them, such as an app that moves its users' data to another database. `import
/// RealmReader` shows all of `RealmModel` and `RealmStorage` too.
public enum RealmReader {
  /// The most bytes of decrypted pages of a realm in memory, besides those in use: devices end apps that use much.
  private static let cacheByteCount = 32_000_000

  /// Opens the realm at `path`, of any format from 2 to 24. The file is never changed.
  ///
  /// What is read is a copy, proven to hold one version, in a file without a name that ends with the realm: nothing that
  /// happens to the original file later, truncation included, can end the process or mix versions. Where the file system shares
  /// the blocks of copies, as APFS, Btrfs and XFS do, the copy takes no space.
  ///
  /// - Parameter key: the key of an encrypted realm. The copy is encrypted too.
  /// - Throws: the errors of opening a `Snapshot`; `damaged` if the schema
  ///   cannot be read; `halfUpgraded` for a realm of formats 2 to 9 whose upgrade did not finish.
  public static func open(
    _ path: String, key: RealmKey? = nil
  ) throws(RealmFileError) -> any OpenRealm {
    let snapshot = try Snapshot(
      path: path, key: key, access: .copied, cacheByteCount: cacheByteCount)
    return snapshot.isLegacy ? try LegacyRealm(snapshot) : try Realm(snapshot)
  }
}
