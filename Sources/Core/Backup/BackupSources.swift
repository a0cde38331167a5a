public import RealmStorage

/// The realms for a backup, and their names in the archive.
public struct BackupSources: Sendable {
  /// A realm to back up.
  public struct Source: Equatable, Sendable {
    /// Path of the realm.
    public var path: String
    /// Its name in the archive.
    public var name: String
  }

  /// Paths of the realm with the list of users in the folder of an app: for Atlas, and for the older
  /// object server (chapter 4, sections 7.1 and 7.8). The realms of the users are elsewhere in the
  /// folder.
  private static let userRealms = [
    "server-utility/metadata/sync_metadata.realm",
    "io.realm.object-server-utility/metadata/sync_metadata.realm",
  ]

  /// In the order of the archive: sorted by name.
  public private(set) var sources: [Source] = []
  /// Folders that could not be searched, and realms whose names an archive cannot represent.
  public private(set) var problems: [any Error] = []

  /// - Parameters:
  ///   - paths: realms and folders. A realm is named by the last component of its path, a realm in a
  ///     folder by the folder and its path in the folder.
  ///   - listed: more realms and folders, named by their whole paths without the leading slash, because a list
  ///     has realms of one name from many folders.
  ///   - share: only its realms are backed up; nil for all.
  ///   - appFolders: folders of apps. Each must contain the realm with the list of users.
  ///   - excluded: shell patterns. A realm is left out if its name, or the last component of its name,
  ///     matches.
  /// - Throws: `unreadable` if a folder is not the folder of an app; `sameNames` if two realms
  ///   would have the same name.
  public init(
    paths: [String], listed: [String] = [], share: RealmShare? = nil,
    appFolders: [String] = [], excluding excluded: [String] = []
  ) throws {
    for folder in appFolders {
      // If there is no such realm, the error names the current path.
      let users = BackupSources.userRealms.map { folder + "/" + $0 }
      _ = try FileDescriptor.openForReading(users.first(where: OutputFile.exists) ?? users[0])
    }
    var seen: Set<ExactText> = []
    let named = (paths + appFolders).map { (path: $0, isListed: false) }
    for (path, isListed) in named + listed.map({ (path: $0, isListed: true) }) {
      let search = RealmSearch(paths: [path], share: share)
      problems += search.problems as [any Error]
      let isFolder = OutputFile.isFolder(path)
      for realm in search.realms {
        let name =
          isListed
          ? BackupSources.name(ofListed: realm)
          : BackupSources.name(of: realm, foundIn: isFolder ? path : nil)
        let last = name.split(separator: "/").last.map(String.init) ?? name
        let isExcluded = excluded.contains {
          ShellPattern.matches(name, $0) || ShellPattern.matches(last, $0)
        }
        guard !isExcluded, seen.insert(ExactText(realm)).inserted else { continue }
        do throws(ArchiveError) {
          _ = try BackupPath.parts(of: name)
          sources.append(Source(path: realm, name: name))
        } catch {
          let why =
            "a backup cannot hold a realm named \(name): names have at most 255 bytes, no control character and no "
            + "backslash, and are not those of auxiliary files"
          problems.append(ArchiveError(.unsupported(why), path: realm))
        }
      }
    }
    sources.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    // Names that differ only in Unicode composition are equal here, as in archives and some file systems.
    var names: Set<String> = []
    for source in sources where !names.insert(source.name).inserted {
      throw ArchiveError(.sameNames(source.name), path: source.path)
    }
  }

  /// `srv/data/people.realm` for `/srv/data/people.realm` and for `./srv/data/people.realm`.
  private static func name(ofListed realm: String) -> String {
    realm.split(separator: "/").filter { $0 != "." }.joined(separator: "/")
  }

  /// `people.realm` for a named file, `data/users/people.realm` for a file found in the folder `/srv/data`.
  private static func name(of realm: String, foundIn folder: String?) -> String {
    func last(_ path: String) -> String { path.split(separator: "/").last.map(String.init) ?? "" }
    guard let folder else { return last(realm) }
    let rest = realm.dropFirst(folder.utf8.count).drop { $0 == "/" }
    let prefix = last(folder)
    return prefix.isEmpty || prefix == "." || prefix == ".." ? String(rest) : prefix + "/" + rest
  }
}
