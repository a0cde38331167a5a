import RealmModel
public import RealmStorage
import RealmSync

/// Deletes what the libraries leave beside a realm, or the realm with all that belongs to it, while
/// nobody has it open. A symbolic link is a second name of a realm: the files of both names go, and a
/// realm that is to go is no more to be had by either.
public struct DeleteFilesJob: Sendable {
  public struct Request: Sendable {
    /// Removes the lock file too.
    public var withLock: Bool
    /// Removes the copies made before upgrades of the file format too.
    public var withBackups: Bool
    /// Removes the realm too.
    public var withRealm: Bool
    /// Lets changes go that were not uploaded.
    public var discardsUnsynced: Bool
    public var isDryRun: Bool

    public init(
      withLock: Bool = false, withBackups: Bool = false, withRealm: Bool = false,
      discardsUnsynced: Bool = false, isDryRun: Bool = false
    ) {
      (self.withLock, self.withBackups, self.withRealm) = (withLock, withBackups, withRealm)
      (self.discardsUnsynced, self.isDryRun) = (discardsUnsynced, isDryRun)
    }
  }

  /// A file, what becomes of it, and why.
  public struct Item: Sendable {
    public enum Action: String, Sendable {
      case deleted, emptied, kept
    }
    public var path: String
    public var action: Action
    public var reason: String
  }

  public struct Report: Sendable {
    public var path: String
    /// In the order in which they are dealt with.
    public var items: [Item]
    public var isDryRun: Bool

    public init(path: String, items: [Item], isDryRun: Bool) {
      (self.path, self.items, self.isDryRun) = (path, items, isDryRun)
    }
  }

  private let path: String
  private let key: RealmKey?
  private let request: Request
  private let operations: FileOperations

  /// - Parameter key: for an encrypted realm; needed only where its history or tables must be looked
  ///   at: to delete it, or the download of a client reset.
  public init(path: String, key: RealmKey?, request: Request) {
    self.init(path: path, key: key, request: request, operations: .system)
  }

  /// - Parameter operations: what tests let fail.
  package init(path: String, key: RealmKey?, request: Request, operations: FileOperations) {
    (self.path, self.key, self.request, self.operations) = (path, key, request, operations)
  }

  /// - Throws: `unreadable` where there is no realm; `inUse`; `wouldLose` for a realm with changes that
  ///   were not uploaded; the errors of opening a realm where it must be looked at; `inputOutput` for a
  ///   file that cannot be deleted: those before it are gone.
  public func run() throws(JobError) -> Report {
    guard OutputFile.exists(path) else {
      // The reason of the system, as for any realm that is missing.
      _ = try inJob(Snapshot(path: path, key: key, access: .brief))
      return Report(path: path, items: [], isDryRun: request.isDryRun)
    }
    if request.isDryRun { try inJob(RealmUse.checkIsFree(path)) }
    let names = RealmUse.names(of: path)
    let newLocks = names.map { $0 + ".lock" }.filter { !OutputFile.exists($0) }
    let lock = request.isDryRun ? nil : try inJob(RealmLock(realm: path, operations: operations))
    defer { withExtendedLifetime(lock) {} }

    let files = names.flatMap(AuxiliaryFiles.list)
    let hasDownload = files.contains { $0.kind == .fresh }
    var isResetPending = false
    if request.withRealm, !request.discardsUnsynced {
      let facts = try inJob(facts())
      isResetPending = facts.isResetPending
      guard facts.pending == 0 else {
        throw .request(
          RequestError(.wouldLose(changes: facts.pending, asymmetricClasses: []), path: path))
      }
    } else if hasDownload {
      // Of a realm that cannot be read nobody knows.
      isResetPending = (try? facts().isResetPending) ?? true
    }

    // The locks come last: until then they keep others out.
    let ordered = files.filter { $0.kind != .lock } + files.filter { $0.kind == .lock }
    var items = request.withRealm ? realmItems(names) : []
    items += ordered.map { item(for: $0, isResetPending: isResetPending) }
    guard !request.isDryRun else { return Report(path: path, items: items, isDryRun: true) }
    let removal = FileRemoval(operations: operations)
    for item in items where item.action == .deleted { try inJob(removal.remove(item.path)) }
    // One that only this run made is not told, as a dry run cannot tell it.
    items.removeAll { newLocks.contains($0.path) }
    return Report(path: path, items: items, isDryRun: false)
  }

  /// The realm by its names. The link that leads to it goes after it: where the realm cannot be deleted,
  /// it keeps the name that the user knows.
  private func realmItems(_ names: [String]) -> [Item] {
    names.reversed().map { name in
      let isLink = names.count > 1 && name == path
      let reason = isLink ? "a symbolic link to the realm" : "the realm itself, as --all asks for"
      return Item(path: name, action: .deleted, reason: reason)
    }
  }

  /// What the realm says that decides what may go.
  private func facts() throws(RealmFileError) -> (pending: Int, isResetPending: Bool) {
    let access: Snapshot.Access = request.isDryRun ? .brief : .exclusive
    let snapshot = try Snapshot(path: path, key: key, access: access)
    let realm = try Realm(snapshot)
    let reset = realm.schema.table(named: InternalTables.clientReset)
    return (try ClientHistory(snapshot)?.pending.count ?? 0, (reset?.objectCount ?? 0) > 0)
  }

  private func item(for file: AuxiliaryFile, isResetPending: Bool) -> Item {
    func item(_ action: Item.Action, _ reason: String) -> Item {
      Item(path: file.path, action: action, reason: reason)
    }
    switch file.kind {
    case .lock where request.withLock || request.withRealm:
      return item(.deleted, "coordinates the apps that have the realm open; none has")
    case .lock:
      return item(
        .emptied, "its content is worthless while nobody has the realm open; --lock removes it")
    case .management:
      return item(.deleted, "mutexes of the apps that have the realm open; none has")
    case .note:
      return item(.deleted, "a pipe for notifications; an app makes it again when it needs it")
    case .compactionSpace:
      return item(.deleted, "left by a compaction that was interrupted")
    case .commitLog:
      return item(.deleted, "a commit log of file formats before 6; nothing reads it")
    case .backupLog:
      return item(.deleted, "a text log about copies made before upgrades")
    case .formatBackup where request.withBackups || request.withRealm:
      return item(.deleted, "the copy from before an upgrade of the file format")
    case .formatBackup:
      return item(
        .kept, "the copy from before an upgrade of the file format; --backups removes it")
    case .fresh where isResetPending:
      return item(.kept, "the download of a client reset that is not finished")
    case .fresh:
      return item(.deleted, "the download of a client reset; none is pending")
    }
  }
}
