import RealmStorage
import RealmSync

/// Finds a realm of one user of an app, and the place where the SDK looks for another user's realm.
public struct UserRealmPaths: Sendable {
  /// A realm, and where its copy goes.
  public struct Paths: Sendable, Equatable {
    public var source: String
    public var target: String
    fileprivate var appFolder: String
    fileprivate var userFolder: String

    /// Runs `body`, which makes the copy, with the folder of the other user. If that did not exist, it is removed
    /// when `body` fails.
    ///
    /// - Throws: `cannotCreate` for the folder; the errors of `body`.
    public func withFolder<R>(_ body: () throws -> R) throws -> R {
      let created = CreatedFolders()
      do {
        try TargetFolder.make([userFolder], in: appFolder, created: created)
        let result = try body()
        created.keep()
        return result
      } catch {
        created.removeEmpty()
        throw error
      }
    }
  }

  private let path: String
  private let source: String
  private let target: String
  private let realm: String?
  private let keys: any RealmKeySource

  /// - Parameters:
  ///   - path: as for ``UsersJob``.
  ///   - source: the identifier of the user whose realm is copied.
  ///   - target: the identifier of the user who gets the copy, of the same app.
  ///   - realm: the file name, or the name that it encodes; nil for the only realm.
  public init(
    path: String, from source: String, to target: String, realm: String?,
    keys: any RealmKeySource
  ) {
    (self.path, self.realm, self.keys) = (path, realm, keys)
    (self.source, self.target) = (source, target)
  }

  /// The realm, and the path of its copy.
  ///
  /// - Throws: `noUsers`, `noSuchUser`, `noCommonApp`, `objectServerUsers`, `noSuchUserRealm`, `severalApps`,
  ///   `hashedRealmName`; why a list of users cannot be read.
  public func paths() throws -> Paths {
    let apps = try AppUsers.read(in: path, having: source, keys: keys)
    let common = apps.filter { $0.user(target) != nil }
    guard !common.isEmpty else {
      // Throws `noSuchUser` if no app knows the other user.
      _ = try AppUsers.read(in: path, having: target, keys: keys)
      throw refusal(.noCommonApp(source, target))
    }
    let folders = common.filter { $0.folder.layout == .appServices }
    guard !folders.isEmpty else { throw refusal(.objectServerUsers) }
    var all: [String] = []
    var found: [(folder: AppFolder, realm: String)] = []
    for app in folders {
      guard let owner = app.user(source) else { continue }
      for file in app.folder.realms().paths where app.folder.isRealm(file, of: owner) {
        let name = AppFolder.name(ofRealm: file)
        all.append(name)
        guard realm == nil || realm == name || realm == fileName(of: file) else { continue }
        found.append((app.folder, file))
      }
    }
    guard found.count == 1 else {
      let matching = found.map(\.folder.path)
      if Set(matching).count == matching.count, matching.count > 1 {
        throw refusal(.severalApps(matching))
      }
      throw refusal(
        .noSuchUserRealm(found.isEmpty ? all : found.map { AppFolder.name(ofRealm: $0.realm) }))
    }
    return try paths(found[0].realm, in: found[0].folder)
  }

  private func paths(_ realm: String, in folder: AppFolder) throws -> Paths {
    guard let userFolder = FolderName.escaped(target) else { throw refusal(.noSuchUser(target)) }
    let (parts, file) = (folder.parts(of: realm), fileName(of: realm))
    let name = AppFolder.name(ofRealm: realm)
    var place = "\(folder.path)/\(userFolder)/\(file)"
    if parts.count == 2, parts[0] == FolderName.escaped(source) {
      // Older versions of realm-swift began the name with the user.
      if name.hasPrefix(source + "/"),
        let own = FolderName.escaped(target + name.dropFirst(source.count))
      {
        place = "\(folder.path)/\(userFolder)/\(own)\(AppFolder.suffix)"
      }
    } else if parts.count == 1, UserRealmPaths.isHash(name) {
      throw RequestError(.hashedRealmName(file), path: realm)
    } else if let usual = folder.place(of: name, user: target) {
      // The realm is where an earlier version of the SDK put it, under an earlier identifier of the user.
      place = usual
    }
    return Paths(
      source: realm, target: place, appFolder: folder.path, userFolder: userFolder)
  }

  /// Whether a file is named by the SHA-256 of its path.
  private static func isHash(_ name: String) -> Bool {
    name.utf8.count == 64 && name.allSatisfy(\.isHexDigit)
  }

  private func refusal(_ kind: RequestError.Kind) -> RequestError {
    RequestError(kind, path: path)
  }

  private func fileName(of path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? path
  }
}
