import RealmModel
import RealmStorage
import RealmSync

/// The users of an app, from the realm in which its SDK keeps them; their realms are not read.
struct AppUsers {
  let folder: AppFolder
  /// Nil if the list of users cannot be read.
  let metadata: SyncMetadata?
  /// Why it cannot be read.
  let problem: (any Error)?

  var users: [SyncMetadata.User] { metadata?.users ?? [] }

  func user(_ identity: String) -> SyncMetadata.User? { users.first { $0.identity == identity } }

  /// The apps at or below `path`.
  ///
  /// - Throws: `noUsers` if there is no folder of an app; `unreadable` for a folder.
  static func read(
    in path: String, keys: any RealmKeySource
  ) throws -> [AppUsers] {
    let folders = try AppFolder.find(in: path)
    guard !folders.isEmpty else { throw RequestError(.noUsers, path: path) }
    return folders.map { AppUsers($0, keys) }
  }

  /// The apps at or below `path` that have a user.
  ///
  /// - Throws: `noSuchUser`, or why a list of users cannot be read: the user may be in it; the errors of
  ///   ``read(in:keys:)``.
  static func read(
    in path: String, having identity: String, keys: any RealmKeySource
  ) throws -> [AppUsers] {
    let apps = try read(in: path, keys: keys)
    let found = apps.filter { $0.user(identity) != nil }
    guard found.isEmpty else { return found }
    if let problem = apps.lazy.compactMap(\.problem).first { throw problem }
    throw RequestError(.noSuchUser(identity), path: path)
  }

  private init(_ folder: AppFolder, _ keys: any RealmKeySource) {
    self.folder = folder
    do {
      metadata = try keys.open(folder.metadataPath) { (key) in
        let snapshot = try Snapshot(
          path: folder.metadataPath, key: key, version: .latest, access: .copied)
        let realm = try ReadableRealm(snapshot).current(jobs: 1)
        return try SyncMetadata(realm)
      }
      problem = nil
    } catch {
      (metadata, problem) = (nil, error)
    }
  }
}
