import RealmModel
public import RealmStorage
import RealmSync

/// Copies a local realm at one consistent version, whatever other processes do to it meanwhile. The
/// copy has the key of the realm.
public struct CopyJob: Sendable {
  private let rewrite: RealmRewrite

  public init(
    path: String, version: Snapshot.Version = .latest, key: RealmKey?,
    destination: RealmDestination, isDryRun: Bool = false
  ) {
    rewrite = RealmRewrite(
      path: path, version: version, key: key, newKey: key, command: "copy",
      destination: destination,
      isDryRun: isDryRun, operations: .system)
  }

  /// - Parameter progress: told bytes done and in all.
  /// - Throws: `unsupported` for a synced realm, whose copy would share its identity with the server;
  ///   `inUse` for a target that is in use; the errors of reading and writing a realm.
  public func run(
    progress: @escaping (Int, Int) -> Void = { _, _ in }
  ) throws(RealmFileError) -> RewriteReport {
    try rewrite.run(
      plan: { (snapshot) throws(RealmFileError) in
        switch try HistoryKind(of: snapshot.top) {
        case .none, .inRealm:
          return RealmRewrite.Plan(top: FileBuilder.Top(openableCopyOf: snapshot)) { $0 }
        case .syncClient:
          throw RealmFileError(
            .unsupported(
              "the realm is synced, and a copy would speak to the server as the original; "
                + "`realm-cli convert --to local` makes a local copy"),
            path: snapshot.path)
        case .syncServer, .outOfRealm:
          throw RealmFileError(
            .unsupported("the realm is the one of a sync server, not of an app"),
            path: snapshot.path)
        }
      }, progress: progress)
  }
}
