public import RealmStorage

/// Opens realms with their keys, if any.
public protocol RealmKeySource: Sendable {
  /// Calls `open` for the realm at `path` with its key, or with nil if there is none.
  ///
  /// - Parameter open: opens the realm. May be called again with or without a key, depending on the
  ///   result of the first call.
  /// - Throws: the errors of `open`; the errors of reading a key.
  func open<Realm>(
    _ path: String, _ open: (RealmKey?) throws -> Realm
  ) throws -> Realm
}
