import RealmStorage

/// Which realms go into a backup, and what they are called there.
public struct BackupSources: Sendable {
  /// A realm to back up.
  public struct Source: Equatable, Sendable {
    /// Where it is.
    public var path: String
    /// What it is called in the archive.
    public var name: String
  }

  /// Where the libraries keep the users in the folder of an app: for Atlas and, before that, for the
  /// object server (chapter 4, sections 7.1 and 7.8). What the users have is elsewhere in the folder.
  private static let userRealms = [
    "server-utility/metadata/sync_metadata.realm",
    "io.realm.object-server-utility/metadata/sync_metadata.realm",
  ]

  /// In the order of the archive: by name.
  public private(set) var sources: [Source] = []
  /// Folders that could not be searched, and realms whose names an archive cannot keep.
  public private(set) var problems: [JobError] = []

  /// - Parameters:
  ///   - paths: realms, which are called by their last component, and folders, whose realms are called
  ///     by the name of the folder and their path in it.
  ///   - appFolders: folders of an app with its users' realms, which must have the realm with the users.
  ///   - excluded: patterns of the shell for names, or last components of names, to leave out.
  /// - Throws: `unreadable` for a folder of no app; `sameNames` where two realms would have one name.
  public init(
    paths: [String], appFolders: [String] = [], excluding excluded: [String] = []
  ) throws(JobError) {
    for folder in appFolders {
      // The error names the place of today.
      let users = BackupSources.userRealms.map { folder + "/" + $0 }
      _ = try inJob(
        FileDescriptor.openForReading(users.first(where: OutputFile.exists) ?? users[0]))
    }
    var seen: Set<ExactText> = []
    for path in paths + appFolders {
      let search = RealmSearch(paths: [path])
      problems += search.problems.map { .file($0) }
      let isFolder = OutputFile.isFolder(path)
      for realm in search.realms {
        let name = BackupSources.name(of: realm, foundIn: isFolder ? path : nil)
        let last = name.split(separator: "/").last.map(String.init) ?? name
        let isExcluded = excluded.contains {
          Resources.matches(name, pattern: $0) || Resources.matches(last, pattern: $0)
        }
        guard !isExcluded, seen.insert(ExactText(realm)).inserted else { continue }
        do throws(ArchiveError) {
          _ = try BackupPath.parts(of: name)
          sources.append(Source(path: realm, name: name))
        } catch {
          let why = "a backup cannot keep a realm named \(name)"
          problems.append(.archive(ArchiveError(.unsupported(why), path: realm)))
        }
      }
    }
    sources.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    // Names that differ in the form of their characters only, too: neither archives nor all file
    // systems keep them apart.
    var names: Set<String> = []
    for source in sources where !names.insert(source.name).inserted {
      throw .archive(ArchiveError(.sameNames(source.name), path: source.path))
    }
  }

  /// `people.realm` for a file; `data/users/people.realm` for one found in the folder `/srv/data`.
  private static func name(of realm: String, foundIn folder: String?) -> String {
    func last(_ path: String) -> String { path.split(separator: "/").last.map(String.init) ?? "" }
    guard let folder else { return last(realm) }
    let rest = realm.dropFirst(folder.utf8.count).drop { $0 == "/" }
    let prefix = last(folder)
    return prefix.isEmpty || prefix == "." || prefix == ".." ? String(rest) : prefix + "/" + rest
  }
}
