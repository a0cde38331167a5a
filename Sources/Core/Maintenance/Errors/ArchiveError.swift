/// Why an archive of realms cannot be read or written.
public struct ArchiveError: Error, Equatable, Sendable {
  public enum Kind: Equatable, Sendable {
    /// ``BackupCreateJob`` did not write this file; the text says why.
    case notABackup(String)
    /// Bytes of the backup are not the ones that were written; the text says which.
    case damaged(String)
    /// The archive would write outside the target, or more than it says: nothing is taken from it.
    case hostile(String)
    /// The manifest has this version, and only version 1 is known.
    case newerFormat(Int)
    /// What libarchive, the form of the archive or the manifest cannot carry; the text says it.
    case unsupported(String)
    /// There is nothing to back up: an archive of nothing would be taken for a backup.
    case noRealms
    /// The backup has no realm of the name given by the user.
    case noSuchRealm(String)
    /// There is a symbolic link in the place of a realm. Its target is not replaced.
    case linkInTarget
    /// Two realms would have this name in the backup.
    case sameNames(String)
    /// The request is for one realm, and this many match it.
    case severalRealms(Int)
  }

  public var kind: Kind
  /// The archive, or the realm that goes in or comes out.
  public var path: String

  public init(_ kind: Kind, path: String = "") {
    self.kind = kind
    self.path = path
  }
}

extension ArchiveError: CustomStringConvertible {
  /// One line: the path, and what is wrong there.
  public var description: String { (path.isEmpty ? "" : "\(path): ") + problem }

  private var problem: String {
    switch kind {
    case .notABackup(let why): "this is not a backup of realm-cli: \(why)"
    case .damaged(let how): "the backup is damaged: \(how)"
    case .hostile(let how): "the archive is refused: \(how)"
    case .newerFormat(let version):
      "the backup has format \(version), and this version reads format 1"
    case .unsupported(let what): what
    case .noRealms: "there are no realms in it"
    case .noSuchRealm(let name): "the backup has no realm named \(name)"
    case .linkInTarget: "there is a symbolic link in the place of the realm"
    case .sameNames(let name): "the backup would have two realms named \(name)"
    case .severalRealms(0): "the backup has no realms, and one is asked for"
    case .severalRealms(let count): "the backup has \(count) such realms, and one is asked for"
    }
  }
}
