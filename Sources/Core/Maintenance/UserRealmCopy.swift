import RealmStorage
import RealmSync

/// Finds a realm of one user of an app, and the place where the SDK looks for that of another user.
public struct UserRealmCopy: Sendable {
  private let path: String
  private let source: String
  private let target: String
  private let realm: String?
  private let keys: any RealmKeySource

  /// - Parameters:
  ///   - path: as for ``UsersJob``.
  ///   - source: the identifier of the user whose realm is copied.
  ///   - target: the identifier of the user who gets the copy, of the same app.
  ///   - realm: the name of the file, or what it stands for; nil for the only realm.
  public init(
    path: String, from source: String, to target: String, realm: String?,
    keys: any RealmKeySource
  ) {
    (self.path, self.realm, self.keys) = (path, realm, keys)
    (self.source, self.target) = (source, target)
  }

  /// The realm, and the path of its copy.
  ///
  /// - Parameter makesFolder: whether the folder of the copy is made if it does not exist.
  /// - Throws: `noUsers`, `noSuchUser`, `noSuchUserRealm`; `cannotCreate` for the folder.
  public func paths(makesFolder: Bool) throws(JobError) -> (source: String, target: String) {
    let apps = try UsersJob(path: path, keys: keys).run().apps
    guard
      let (app, owner) = apps.lazy.compactMap({ app in
        app.users.first { $0.user.identity == source }.map { (app, $0) }
      }).first
    else { throw refusal(.noSuchUser(source)) }
    guard app.layout == .appServices, app.users.contains(where: { $0.user.identity == target }),
      let folder = FolderName.escaped(target)
    else { throw refusal(.noSuchUser(target)) }
    let found = owner.realms.filter { file in
      guard let realm else { return true }
      return file.name == realm || fileName(of: file.path) == realm
    }
    guard found.count == 1 else {
      throw refusal(.noSuchUserRealm((found.isEmpty ? owner.realms : found).map(\.name)))
    }
    if makesFolder {
      var created: [String] = []
      try inJob(TargetFolder.make([folder], in: app.path, created: &created))
    }
    return (found[0].path, "\(app.path)/\(folder)/\(fileName(of: found[0].path))")
  }

  private func refusal(_ kind: RequestError.Kind) -> JobError {
    .request(RequestError(kind, path: path))
  }

  private func fileName(of path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? path
  }
}
