import RealmModel
import RealmStorage
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
    /// Realms that belong to no known user.
    public var orphans: [RealmFile]
    /// What the SDK will do when the app starts again.
    public var fileActions: [SyncMetadata.FileAction]
    /// Why the realm with the list of users could not be read.
    public var problem: JobError?
  }

  public struct User: Sendable {
    public var user: SyncMetadata.User
    public var realms: [RealmFile]
  }

  /// A realm and its state of sync.
  public struct RealmFile: Sendable {
    public var path: String
    /// The text that the file name stands for: a partition, a name or a URL.
    public var name: String
    /// Nil if the realm cannot be read.
    public var info: InfoJob.Report?
    public var problem: JobError?
  }

  private let path: String
  private let keys: any RealmKeySource

  /// - Parameters:
  ///   - path: the folder of an app, or one above it, up to the base folder of an SDK.
  ///   - keys: opens the realms.
  public init(path: String, keys: any RealmKeySource) { (self.path, self.keys) = (path, keys) }

  /// - Throws: `noUsers` if there is no folder of an app.
  public func run() throws(JobError) -> Report {
    let folders = AppFolder.find(in: path)
    guard !folders.isEmpty else { throw .request(RequestError(.noUsers, path: path)) }
    return Report(apps: folders.map(list))
  }

  private func list(_ folder: AppFolder) -> App {
    var app = App(
      path: folder.path, layout: folder.layout, identifier: folder.identifier, users: [],
      orphans: [], fileActions: [], problem: nil)
    var metadata: SyncMetadata?
    do throws(JobError) {
      metadata = try keys.open(folder.metadataPath) { (key) throws(JobError) in
        let snapshot = try inJob(
          Snapshot(path: folder.metadataPath, key: key, version: .latest, access: .copied))
        let realm = try inJob(ReadableRealm(snapshot)).current(jobs: 1)
        return try inJob(SyncMetadata(realm))
      }
    } catch {
      app.problem = error
    }
    var rest = folder.realms()
    for user in metadata?.users ?? [] {
      var own: [String] = []
      rest.removeAll { path in
        guard folder.isRealm(path, of: user) else { return false }
        own.append(path)
        return true
      }
      app.users.append(User(user: user, realms: own.map { describe($0) }))
    }
    app.orphans = rest.map { describe($0) }
    app.fileActions = metadata?.fileActions ?? []
    return app
  }

  private func describe(_ path: String) -> RealmFile {
    let last = path.split(separator: "/").last.map(String.init) ?? path
    let stem = last.hasSuffix(".realm") ? String(last.dropLast(".realm".count)) : last
    var file = RealmFile(path: path, name: FolderName.unescaped(stem) ?? stem, info: nil)
    do throws(JobError) {
      file.info = try keys.open(path) { (key) throws(JobError) in
        try InfoJob(path: path, key: key).run()
      }
    } catch {
      file.problem = error
    }
    return file
  }
}
