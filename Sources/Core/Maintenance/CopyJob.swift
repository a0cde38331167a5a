import RealmModel
public import RealmStorage
import RealmSync

/// Copies a local realm at one consistent version, even while other processes write to it. The copy has
/// the key of the realm.
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

  /// - Parameter progress: receives the number of bytes done and the total.
  /// - Throws: `syncedCopy`, `serverRealm`; `inUse` for a target that is in use; the errors of
  ///   reading and writing a realm.
  public func run(
    progress: @escaping (Int, Int) -> Void = { _, _ in }
  ) throws(JobError) -> RewriteReport {
    try rewrite.run(
      plan: { (snapshot) throws(JobError) in
        switch try inJob(HistoryKind(of: snapshot.top)) {
        case .none, .inRealm:
          return RealmRewrite.Plan(top: FileBuilder.Top(openableCopyOf: snapshot)) { $0 }
        case .syncClient:
          throw .request(RequestError(.syncedCopy, path: snapshot.path))
        case .syncServer, .outOfRealm:
          throw .request(RequestError(.serverRealm, path: snapshot.path))
        }
      }, progress: progress)
  }
}
