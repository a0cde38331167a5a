public import RealmStorage

/// Why an archive of realms cannot be read or written.
public struct ArchiveError: PathError, Equatable, Sendable {
  public enum Kind: Equatable, Sendable {
    /// The file is not an archive of `BackupCreateJob`; the string says why.
    case notABackup(String)
    /// Bytes of the backup were changed or are missing; the string says which.
    case damaged(String)
    /// The archive would write outside the target, or more bytes than it declares. Nothing is
    /// restored from it.
    case hostile(String)
    /// The manifest has this version; only version 1 is known.
    case newerFormat(Int)
    /// A feature that libarchive, the archive format or the manifest does not support; the string is
    /// the message.
    case unsupported(String)
    /// There is nothing to back up. An empty archive could be mistaken for a backup.
    case noRealms
    /// The backup has no realm with this name.
    case noSuchRealm(String)
    /// The output path of a realm is a symbolic link. The target of the link is not replaced.
    case linkInTarget
    /// Two realms would have this name in the backup.
    case sameNames(String)
    /// The request is for one realm, but this many match.
    case severalRealms(Int)
  }

  public var kind: Kind
  /// The archive, or the realm that is archived or restored.
  public var path: String

  public init(_ kind: Kind, path: String = "") {
    self.kind = kind
    self.path = path
  }
}

extension ArchiveError: CustomStringConvertible {
  /// One line: the path and the problem.
  public var description: String { (path.isEmpty ? "" : "\(path): ") + problem }

  private var problem: String {
    switch kind {
    case .notABackup(let why): "this is not a backup of realm-cli: \(why)"
    case .damaged(let how): "the backup is damaged: \(how)"
    case .hostile(let how): "the archive is refused: \(how)"
    case .newerFormat(let version):
      "the backup has format \(version), and this version reads format 1"
    case .unsupported(let what): what
    case .noRealms: "there are no realms to back up"
    case .noSuchRealm(let name): "the backup has no realm named \(name)"
    case .linkInTarget: "the path of the realm is a symbolic link"
    case .sameNames(let name): "the backup would have two realms named \(name)"
    case .severalRealms(0): "the backup has no realms, expected one"
    case .severalRealms(let count): "the backup has \(count) such realms, expected one"
    }
  }
}
