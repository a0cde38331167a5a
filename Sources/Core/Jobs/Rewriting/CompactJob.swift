public import RealmStorage

/// Rewrites a realm without its free space. Like a compaction by an SDK, it keeps history, version
/// and sync state.
public struct CompactJob: Sendable {
  /// The condition for compacting a realm, with the two numbers that `shouldCompactOnLaunch`
  /// receives in an app. Both parts must hold.
  public struct Condition: Sendable {
    /// Compacts only if the file has more bytes than this.
    public var sizeOver: Int?
    /// Compacts only if less than this percentage of the file is used.
    public var usedBelow: Double?

    public init(sizeOver: Int? = nil, usedBelow: Double? = nil) {
      (self.sizeOver, self.usedBelow) = (sizeOver, usedBelow)
    }

    func holds(size: Int, used: Int) -> Bool {
      if let sizeOver, size <= sizeOver { return false }
      guard let usedBelow else { return true }
      return Double(used) * 100 < usedBelow * Double(size)
    }
  }

  /// The result of the job.
  public struct Report: Sendable {
    /// Size of the file in bytes, and the part used by objects, schema and history.
    public var size: Int
    public var used: Int
    /// Whether the condition holds. If not, a new file is a copy, and a realm stays as it is in place.
    public var isConditionMet = true
    /// Nil if nothing was written.
    public var rewrite: RewriteReport?
  }

  package var rewrite: RealmRewrite
  private let condition: Condition

  /// - Parameters:
  ///   - key: key of the realm and of the result.
  public init(
    path: String, version: Snapshot.Version = .latest, key: RealmKey?,
    destination: RealmDestination, condition: Condition = Condition(), isDryRun: Bool = false
  ) {
    rewrite = RealmRewrite(
      path: path, version: version, key: key, newKey: key, command: "compact",
      destination: destination,
      isDryRun: isDryRun)
    self.condition = condition
  }

  /// - Parameter progress: receives the number of bytes done and the total.
  /// - Throws: `inUse`; the errors of reading and writing a realm.
  public func run(
    progress: @escaping (Int, Int) -> Void = { _, _ in }
  ) throws -> Report {
    let (size, used) = try byteCounts()
    guard condition.holds(size: size, used: used) else {
      return try rewrite.unchanged(progress: progress) {
        Report(size: size, used: used, isConditionMet: false, rewrite: $0)
      }
    }
    return try rewrite.run(
      plan: {
        RealmRewrite.Plan(top: FileBuilder.Top(openableCopyOf: $0)) {
          Report(size: size, used: used, rewrite: $0)
        }
      }, progress: progress)
  }

  /// Size of the file in bytes, and the part used by objects, schema and history.
  private func byteCounts() throws(RealmFileError) -> (size: Int, used: Int) {
    try Snapshot.withBriefSnapshot(
      path: rewrite.path, key: rewrite.key, version: rewrite.version
    ) { (snapshot) throws(RealmFileError) in
      let free = try FreeList.byteCount(snapshot.top, nodes: try snapshot.makeReader())
      return (snapshot.fileByteCount, snapshot.top.logicalSize - free)
    }
  }
}
