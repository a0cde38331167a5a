public import RealmStorage

/// Encrypts or decrypts a realm, or changes its key. Everything else stays, except free space.
public struct ChangeKeyJob: Sendable {
  /// The change to the key.
  public enum Change: Sendable {
    case encrypt(RealmKey)
    case decrypt
    case rekey(RealmKey)

    /// The name of the command.
    public var name: String {
      switch self {
      case .encrypt: "encrypt"
      case .decrypt: "decrypt"
      case .rekey: "rekey"
      }
    }

    fileprivate var newKey: RealmKey? {
      switch self {
      case .encrypt(let key), .rekey(let key): key
      case .decrypt: nil
      }
    }
  }

  private let rewrite: RealmRewrite
  private let change: Change

  /// - Parameter key: the current key of the realm.
  public init(
    path: String, version: Snapshot.Version = .latest, key: RealmKey?, change: Change,
    destination: RealmDestination, isDryRun: Bool = false
  ) {
    rewrite = RealmRewrite(
      path: path, version: version, key: key, newKey: change.newKey, command: change.name,
      destination: destination, isDryRun: isDryRun)
    self.change = change
  }

  /// - Parameter progress: receives the number of bytes done and the total.
  /// - Throws: `alreadyEncrypted`, `notEncrypted`; `inUse`; the errors of reading and writing a
  ///   realm.
  public func run(
    progress: @escaping (Int, Int) -> Void = { _, _ in }
  ) throws -> RewriteReport {
    try rewrite.run(
      plan: { (snapshot) in
        try check(snapshot)
        return RealmRewrite.Plan(top: FileBuilder.Top(openableCopyOf: snapshot)) { $0 }
      }, progress: progress)
  }

  private func check(_ snapshot: Snapshot) throws {
    switch change {
    case .encrypt where snapshot.isEncrypted:
      throw RequestError(.alreadyEncrypted, path: snapshot.path)
    case .decrypt where !snapshot.isEncrypted, .rekey where !snapshot.isEncrypted:
      throw RequestError(.notEncrypted, path: snapshot.path)
    default: break
    }
  }
}
