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
  /// The name of the folder, also if the path is `.`.
  private let name: String

  /// The realm with the list of users.
  var metadataPath: String {
    path + (layout == .appServices ? "/server-utility/" : "/io.realm.object-server-utility/")
      + AppFolder.metadata
  }

  /// The identifier of the app; nil where the SDK has no folder for each app.
  var identifier: String? {
    layout == .appServices && name != AppFolder.appServices
      ? FolderName.unescaped(name) ?? name : nil
  }
  /// The folders of other apps in this one: of releases that made one for each app, beside one that did not.
  private var otherApps: [String] = []

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
    name = Folder.absolutePath(path).split(separator: "/").last.map(String.init) ?? ""
  }

  /// The folders of apps at `path`, in it, or in a folder of an SDK in it; sorted. Layouts of several releases can lie side by side:
  /// a folder can be that of an app and have those of other apps in it.
  ///
  /// - Throws: `unreadable`, with the path.
  static func find(in path: String) throws(RealmFileError) -> [AppFolder] {
    var found = [AppFolder(path)].compactMap { $0 }
    for folder in try subfolders(of: path) {
      if let app = AppFolder(folder) { found.append(app) }
      if [appServices, objectServer].contains(where: { folder.hasSuffix("/" + $0) }) {
        found += try subfolders(of: folder).compactMap { AppFolder($0) }
      }
    }
    let paths = found.map(\.path)
    return found.map { app in
      var app = app
      app.otherApps = paths.filter { $0.hasPrefix(app.path + "/") }
      return app
    }
  }

  private static func subfolders(of path: String) throws(RealmFileError) -> [String] {
    do throws(SystemError) {
      let names = try Folder.names(in: path).compactMap { $0 }.sorted()
      return names.map { path + (path.hasSuffix("/") ? "" : "/") + $0 }.filter {
        OutputFile.isFolder($0)
      }
    } catch {
      throw RealmFileError(.unreadable(error), path: path)
    }
  }

  /// Paths of all realms except those of other apps and those in folders of no user, and the errors of what cannot be read.
  func realms() -> (paths: [String], unreadable: [RealmFileError]) {
    let search = RealmSearch(paths: [path])
    let own = search.realms.filter { realm in
      let rest = parts(of: realm)
      return rest.first.map { !AppFolder.ownFolders.contains($0) } ?? false
        && !otherApps.contains { realm.hasPrefix($0 + "/") }
    }
    return (own, search.problems)
  }

  /// The name that the file name at `path` encodes: a partition, a name or a URL.
  static func name(ofRealm path: String) -> String {
    let file = path.split(separator: "/").last.map(String.init) ?? path
    let stem = file.hasSuffix(suffix) ? String(file.dropLast(suffix.count)) : file
    return FolderName.unescaped(stem) ?? stem
  }

  /// The extension of the files of realms.
  static let suffix = ".realm"

  /// The components of the path of a realm inside the folder.
  func parts(of realm: String) -> [String] {
    realm.dropFirst(path.count).split(separator: "/").map(String.init)
  }

  /// The path where the SDK stores the realm with a name, before it is escaped; nil for names that it refuses.
  func place(of name: String, user: String) -> String? {
    guard let folder = FolderName.escaped(user), let file = FolderName.escaped(name) else {
      return nil
    }
    return "\(path)/\(folder)/\(file)\(AppFolder.suffix)"
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
    let suffix = "/\(name)/" + parts.joined(separator: "/")
    return user.realmPaths.contains { $0.utf8.elementsEqual(realm.utf8) || $0.hasSuffix(suffix) }
  }
}
