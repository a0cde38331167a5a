public import RealmStorage

/// Opens realms with their keys, if there are any.
public protocol RealmKeySource: Sendable {
  /// Calls `open` for the realm at `path` with its key, or with nil if it has none.
  ///
  /// - Parameter open: opens the realm; may be called again with or without a key, if the first call shows
  ///   that this is right.
  /// - Throws: what `open` throws; the errors of getting a key.
  func open<Realm>(
    _ path: String, _ open: (RealmKey?) throws(JobError) -> Realm
  ) throws(JobError) -> Realm
}
