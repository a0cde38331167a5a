import RealmJobs
package import RealmStorage
import Synchronization

/// Opens realms with the key that the user gave.
///
/// May be used from several threads. A key file is read once, because standard input can only be
/// read once. A key command runs once per realm and one at a time, because it may ask for a
/// password.
package final class RealmKeys: RealmKeySource {
  package enum Source: Sendable {
    case none
    case file(String)
    case command(String)
  }

  /// What happens to the key if a realm is not encrypted.
  package enum Rule: Sendable {
    /// An error: the user named one realm and one key file for it.
    case mustFit
    /// The realm is opened without the key.
    case whereFitting
    /// The key is read only for an encrypted realm: a command, or the environment, is not about a specific realm.
    case whereNeeded
  }

  private let source: Source
  private let rule: Rule
  private let warn: @Sendable (String) -> Void
  /// The key from the key file, after the file has been read. Locked while a key is read.
  private let fetched = Mutex<RealmKey?>(nil)

  package init(source: Source, rule: Rule, warn: @escaping @Sendable (String) -> Void) {
    (self.source, self.rule, self.warn) = (source, rule, warn)
  }

  /// Calls `open` for the realm at `path` with its key, or with nil if it has none.
  ///
  /// - Parameter open: opens the realm. Called again with or without the key, depending on the
  ///   result of the first call.
  /// - Throws: the errors of `open`; ``KeyError`` if there is no usable key.
  package func open<Realm>(
    _ path: String, _ open: (RealmKey?) throws -> Realm
  ) throws -> Realm {
    switch rule {
    case .mustFit:
      return try open(try key(for: path))
    case .whereFitting:
      do {
        return try open(try key(for: path))
      } catch {
        guard case .notEncrypted? = error.fileKind else { throw error }
        return try open(nil)
      }
    case .whereNeeded:
      do {
        return try open(nil)
      } catch {
        guard case .keyMissing? = error.fileKind else { throw error }
        guard let key = try key(for: path) else { throw error }
        return try open(key)
      }
    }
  }

  /// A snapshot of the realm at `path`, opened with its key.
  ///
  /// - Throws: the errors of opening a realm; ``KeyError`` if there is no usable key.
  func snapshot(
    of path: String, version: Snapshot.Version, access: Snapshot.Access, cacheByteCount: Int
  ) throws -> Snapshot {
    try open(path) { (key) in
      try Snapshot(
        path: path, key: key, version: version, access: access, cacheByteCount: cacheByteCount)
    }
  }

  private func key(for path: String) throws(KeyError) -> RealmKey? {
    switch source {
    case .none: return nil
    case .command(let command):
      return try fetched.withLock { (_) throws(KeyError) in
        try KeyCommand.run(command, realm: path)
      }
    case .file(let file):
      return try fetched.withLock { (known) throws(KeyError) in
        if let known { return known }
        let key = try NewKeyOption.key(in: file, warn: warn)
        known = key
        return key
      }
    }
  }
}
