import RealmModel
import RealmStorage
import RealmSync

/// Says where an SDK keeps a realm of a user (chapter 4, section 7.3).
public struct RealmPathJob: Sendable {
  /// A place where an SDK looks for the realm.
  public struct Candidate: Sendable, Equatable {
    public var path: String
    /// Which SDKs look there.
    public var sdks: String
    public var exists: Bool
    /// True for the place where a new realm is made.
    public var isUsual: Bool
  }

  public struct Report: Sendable {
    /// In the order in which an SDK looks.
    public var candidates: [Candidate]
    /// For a URL: the path of the realm on the server.
    public var serverPath: String?
  }

  private let path: String
  private let user: String
  private let realm: RealmName
  private let keys: any RealmKeySource

  /// - Parameters:
  ///   - path: as for ``UsersJob``.
  ///   - user: the identifier of the user.
  public init(path: String, user: String, realm: RealmName, keys: any RealmKeySource) {
    (self.path, self.user, self.realm, self.keys) = (path, user, realm, keys)
  }

  /// - Throws: `noUsers`, `noSuchUser`.
  public func run() throws(JobError) -> Report {
    let apps = try UsersJob(path: path, keys: keys).run().apps
    guard
      let (app, found) = apps.lazy.compactMap({ app in
        app.users.first { $0.user.identity == user }.map { (app, $0.user) }
      }).first
    else { throw .request(RequestError(.noSuchUser(user), path: path)) }
    var candidates: [Candidate] = []
    for (name, sdks) in realm.fileNames {
      for (place, isUsual) in try inJob(places(name, app, found)) {
        candidates.append(
          Candidate(
            path: place, sdks: sdks, exists: OutputFile.isRegular(place), isUsual: isUsual))
      }
    }
    return Report(candidates: candidates, serverPath: serverPath)
  }

  private func places(
    _ name: String, _ app: UsersJob.App, _ found: SyncMetadata.User
  ) throws(RealmFileError) -> [(path: String, isUsual: Bool)] {
    guard let file = FolderName.escaped(name), let folder = FolderName.escaped(user) else {
      return []
    }
    let legacy = found.legacyIdentifiers.compactMap { FolderName.escaped($0) }
    guard app.layout == .appServices else {
      return (legacy + [folder]).map {
        ("\(app.path)/\($0)/\(file)", $0 == (legacy.first ?? folder))
      }
    }
    let plain = "\(app.path)/\(folder)/\(file)"
    let absolute = Folder.absolutePath(app.path) + "/\(folder)/\(file)"
    let hash = try SHA256.digest(of: Array(absolute.utf8)).uppercased()
    var places = [
      (plain, false), (plain.hasSuffix(".realm") ? plain : plain + ".realm", true),
      ("\(app.path)/\(hash).realm", false),
    ]
    for identifier in legacy {
      places.append(("\(app.path)/realm-object-server/\(identifier)/\(file)", false))
      places.append(("\(app.path)/\(identifier)/\(file).realm", false))
    }
    return places
  }

  /// The path on an object server, where `~` stands for the user.
  private var serverPath: String? {
    guard case .url(let url) = realm else { return nil }
    let parts = url.split(separator: "/", omittingEmptySubsequences: true).dropFirst(2)
    return parts.map { $0 == "~" ? "/" + user : "/" + $0 }.joined()
  }
}
