import RealmStorage
import RealmSync

/// Finds where an SDK stores a user's realm (chapter 4, section 7.3).
public struct RealmPathJob: Sendable {
  /// A place where an SDK looks for the realm.
  public struct Candidate: Sendable, Equatable {
    public var path: String
    /// Which SDKs look there.
    public var sdks: String
    public var exists: Bool
    /// True for the place where a new realm is created.
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

  /// - Throws: `noUsers`, `noSuchUser`, `foreignRealmName`; why a list of users cannot be read.
  public func run() throws -> Report {
    var report = Report(candidates: [], serverPath: serverPath)
    for app in try AppUsers.read(in: path, having: user, keys: keys) {
      guard let found = app.user(user) else { continue }
      for place in try places(app.folder, found) {
        // Two SDKs can look in one place.
        guard !report.candidates.contains(where: { $0.path == place.path }) else { continue }
        report.candidates.append(place)
      }
    }
    return report
  }

  private func places(
    _ folder: AppFolder, _ found: SyncMetadata.User
  ) throws -> [Candidate] {
    switch (realm, folder.layout) {
    case (.url(let url), .objectServer): return urlPlaces(url, folder, found)
    case (.url, .appServices), (_, .objectServer):
      throw RequestError(.foreignRealmName(isURL: folder.layout == .appServices), path: path)
    default: break
    }
    var places: [Candidate] = []
    for (name, sdks) in realm.fileNames {
      places += try self.places(name, sdks, folder, found)
    }
    if let name = realm.doublyEncodedName(user: user),
      let place = folder.place(of: name, user: user)
    {
      places.append(candidate(place, "realm-swift, older versions"))
    }
    return places
  }

  private func candidate(_ path: String, _ sdks: String, isUsual: Bool = false) -> Candidate {
    Candidate(path: path, sdks: sdks, exists: OutputFile.isRegular(path), isUsual: isUsual)
  }

  private func urlPlaces(
    _ url: String, _ folder: AppFolder, _ found: SyncMetadata.User
  ) -> [Candidate] {
    let owners = (found.legacyIdentifiers + [user]).compactMap { FolderName.escaped($0) }
    guard let file = FolderName.escaped(url) else { return [] }
    return owners.enumerated().map { i, owner in
      candidate("\(folder.path)/\(owner)/\(file)", "object server", isUsual: i == 0)
    }
  }

  /// The places for a name, in the order of section 7.3.
  private func places(
    _ name: String, _ sdks: String, _ folder: AppFolder, _ found: SyncMetadata.User
  ) throws(RealmFileError) -> [Candidate] {
    let name =
      name.hasSuffix(AppFolder.suffix) ? String(name.dropLast(AppFolder.suffix.count)) : name
    guard let file = FolderName.escaped(name), let owner = FolderName.escaped(user) else {
      return []
    }
    func hash(_ text: String) throws(RealmFileError) -> String {
      try SHA256.digest(of: Array(text.utf8)).uppercased() + AppFolder.suffix
    }
    let plain = "\(folder.path)/\(owner)/\(file)"
    let absolute = Folder.absolutePath(folder.path) + "/\(owner)/\(file)"
    var places = [
      candidate(plain, sdks), candidate(plain + AppFolder.suffix, sdks, isUsual: true),
      candidate("\(folder.path)/\(try hash(absolute))", sdks),
    ]
    guard let partition = realm.partitionText else { return places }
    places.append(candidate("\(folder.path)/\(owner)/\(try hash(partition))", sdks))
    for identifier in found.legacyIdentifiers {
      places.append(
        candidate("\(folder.path)/realm-object-server/\(identifier)/\(file)", sdks))
    }
    for identifier in found.legacyIdentifiers {
      guard let legacy = folder.place(of: partition, user: identifier) else { continue }
      places.append(candidate(legacy, sdks))
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
