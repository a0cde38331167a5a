public import RealmStorage

/// Tells what is in a backup, from its manifest alone.
public struct BackupListJob: Sendable {
  private let path: String

  /// - Parameter path: `-` for standard input.
  public init(path: String) { self.path = path }

  /// - Throws: `unreadable`, `notABackup`, `damagedBackup`, `hostileBackup`, `unsupported`.
  public func run() throws(RealmFileError) -> BackupManifest { try BackupWalk(path: path).manifest }
}
