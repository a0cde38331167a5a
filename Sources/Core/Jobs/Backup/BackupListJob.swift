public import RealmBackup

/// Shows the content of a backup, read from its manifest only.
public struct BackupListJob: Sendable {
  private let path: String

  /// - Parameter path: `-` for standard input.
  public init(path: String) { self.path = path }

  /// - Throws: `unreadable`, `notABackup`, `damaged`, `hostile`, `newerFormat`, `unsupported`.
  public func run() throws -> BackupManifest { try BackupWalk(path: path).manifest }
}
