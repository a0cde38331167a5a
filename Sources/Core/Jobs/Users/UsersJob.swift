public import RealmStorage
public import RealmSync

/// Lists the users of the apps in a folder, and the realms of each (chapter 4, section 7).
public struct UsersJob: Sendable {
  public struct Report: Sendable {
    public var apps: [App]
  }

  /// The folder of an app.
  public struct App: Sendable {
    /// How the folder is laid out.
    public enum Layout: String, Sendable {
      case appServices, objectServer
    }

    public var path: String
    public var layout: Layout
    /// The identifier of the app; nil for an object server.
    public var identifier: String?
    public var users: [User]
    /// Realms that belong to no known user; if the list of users cannot be read, all realms.
    public var orphans: [RealmFile]
    /// The action that the SDK takes when the app starts again.
    public var fileActions: [SyncMetadata.FileAction]
    /// False if the app has more users or file actions than are listed, or none that can be read.
    public var isComplete: Bool
    /// Folders and files that cannot be read.
    public var unreadable: [RealmFileError]
    /// Why the realm with the list of users could not be read.
    public var problem: (any Error)?
  }

  public struct User: Sendable {
    public var user: SyncMetadata.User
    public var realms: [RealmFile]
  }

  /// A realm and its state of sync.
  public struct RealmFile: Sendable {
    public var path: String
    /// The name that the file name encodes: a partition, a name or a URL.
    public var name: String
    /// Nil if the realm cannot be read.
    public var info: InfoJob.Report?
    public var problem: (any Error)?
  }

  private let path: String
  private let keys: any RealmKeySource

  /// - Parameters:
  ///   - path: the folder of an app, or one above it, up to the base folder of an SDK.
  ///   - keys: opens the realms.
  public init(path: String, keys: any RealmKeySource) { (self.path, self.keys) = (path, keys) }

  /// - Throws: `noUsers` if there is no folder of an app; `unreadable` for a folder.
  public func run() throws -> Report {
    Report(apps: try AppUsers.read(in: path, keys: keys).map(list))
  }

  private func list(_ app: AppUsers) -> App {
    let folder = app.folder
    let (realms, unreadable) = folder.realms()
    var users: [User] = []
    var rest = realms
    for user in app.users {
      var own: [String] = []
      rest.removeAll { path in
        guard folder.isRealm(path, of: user) else { return false }
        own.append(path)
        return true
      }
      users.append(User(user: user, realms: own.map { describe($0) }))
    }
    return App(
      path: folder.path, layout: folder.layout, identifier: folder.identifier, users: users,
      orphans: rest.map { describe($0) }, fileActions: app.metadata?.fileActions ?? [],
      isComplete: app.metadata?.isComplete ?? false, unreadable: unreadable,
      problem: app.problem)
  }

  private func describe(_ path: String) -> RealmFile {
    var file = RealmFile(path: path, name: AppFolder.name(ofRealm: path), info: nil)
    do {
      file.info = try keys.open(path) { (key) in
        try InfoJob(path: path, key: key).run()
      }
    } catch {
      file.problem = error
    }
    return file
  }
}
