import RealmStorage
import RealmSync

/// The folder in which an SDK keeps the users of an app and their realms (chapter 4, sections 7.1 and 7.8).
struct AppFolder {
  private static let (appServices, objectServer) = ("mongodb-realm", "realm-object-server")
  private static let metadata = "metadata/sync_metadata.realm"
  /// Folders that belong to no user.
  private static let ownFolders: Set<String> = [
    "server-utility", "recovered-realms", "io.realm.object-server-utility",
    "io.realm.object-server-recovered-realms",
  ]

  let path: String
  let layout: UsersJob.App.Layout

  /// The realm with the list of users.
  var metadataPath: String {
    path + (layout == .appServices ? "/server-utility/" : "/io.realm.object-server-utility/")
      + AppFolder.metadata
  }

  /// The identifier of the app.
  var identifier: String? {
    guard layout == .appServices, let last = path.split(separator: "/").last else { return nil }
    return FolderName.unescaped(String(last)) ?? String(last)
  }

  private init?(_ path: String) {
    var path = path
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    self.path = path
    if OutputFile.isFolder(path + "/server-utility") {
      layout = .appServices
    } else if OutputFile.isFolder(path + "/io.realm.object-server-utility") {
      layout = .objectServer
    } else {
      return nil
    }
  }

  /// The folders of apps at `path`, in it, or in a folder of an SDK in it; sorted.
  static func find(in path: String) -> [AppFolder] {
    if let folder = AppFolder(path) { return [folder] }
    let inside = subfolders(of: path)
    let folders = inside.compactMap { AppFolder($0) }
    guard folders.isEmpty else { return folders }
    return inside.filter { folder in
      [appServices, objectServer].contains { folder.hasSuffix("/" + $0) }
    }.flatMap {
      [AppFolder($0)].compactMap { $0 } + subfolders(of: $0).compactMap { AppFolder($0) }
    }
  }

  private static func subfolders(of path: String) -> [String] {
    do throws(SystemError) {
      let names = try Folder.names(in: path).compactMap { $0 }.sorted()
      return names.map { path + (path.hasSuffix("/") ? "" : "/") + $0 }.filter {
        OutputFile.isFolder($0)
      }
    } catch {
      // A folder that cannot be read has no apps; the command then says that it found none.
      return []
    }
  }

  /// Paths of all realms but those that belong to no user.
  func realms() -> [String] {
    RealmSearch(paths: [path]).realms.filter { realm in
      let rest = parts(of: realm)
      return rest.first.map { !AppFolder.ownFolders.contains($0) } ?? false
    }
  }

  /// The components of the path of a realm inside the folder.
  private func parts(of realm: String) -> [String] {
    realm.dropFirst(path.count).split(separator: "/").map(String.init)
  }

  /// Whether the realm at `path` belongs to `user`: it is in a folder of the user, or the SDK recorded its
  /// path. Recorded paths are compared from the folder of the SDK on, because the folders above change.
  func isRealm(_ realm: String, of user: SyncMetadata.User) -> Bool {
    let parts = parts(of: realm)
    let owners = ([user.identity] + user.legacyIdentifiers).compactMap { FolderName.escaped($0) }
    if parts.count > 1 {
      let isNested = parts[0] == AppFolder.objectServer && parts.count > 2
      if owners.contains(parts[isNested ? 1 : 0]) { return true }
    }
    guard let app = path.split(separator: "/").last else { return false }
    let suffix = "/\(app)/" + parts.joined(separator: "/")
    return user.realmPaths.contains { $0.utf8.elementsEqual(realm.utf8) || $0.hasSuffix(suffix) }
  }
}
