import RealmModel
public import RealmStorage
import RealmSync

/// Deletes the files that the libraries leave beside a realm, or the realm with all its files,
/// while no process has it open, and the temporary files of killed runs of this tool in its folder. A
/// symbolic link is a second name of a realm: files of both names are deleted, and with `withRealm` the
/// realm and the link.
public struct DeleteFilesJob: Sendable {
  public struct Request: Sendable {
    /// Whether to remove the lock file too.
    public var withLock: Bool
    /// Whether to remove the copies made before upgrades of the file format too.
    public var withBackups: Bool
    /// Whether to remove the realm too.
    public var withRealm: Bool
    /// Whether to give up changes that were not uploaded.
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

  /// A file, the action for it, and the reason.
  public struct Item: Sendable {
    public enum Action: String, Sendable {
      case deleted, emptied, kept
    }
    public var path: String
    /// Nil for the realm, a link to it, and a temporary file of this tool.
    public var kind: AuxiliaryFile.Kind?
    public var action: Action
    /// One clause: why it is safe to delete, or why it is kept.
    public var reason: String
  }

  public struct Report: Sendable {
    public var path: String
    /// In the order in which they are handled.
    public var items: [Item]
    public var isDryRun: Bool

    public init(path: String, items: [Item], isDryRun: Bool) {
      (self.path, self.items, self.isDryRun) = (path, items, isDryRun)
    }
  }

  private let path: String
  private let key: RealmKey?
  private let request: Request
  /// Tests replace them to inject faults.
  package var operations = FileOperations.system

  /// - Parameter key: key of an encrypted realm. It is needed only if history or tables must be
  ///   read before the realm, or the download of a client reset, is deleted.
  public init(path: String, key: RealmKey?, request: Request) {
    (self.path, self.key, self.request) = (path, key, request)
  }

  /// - Throws: `unreadable` if the realm does not exist; `inUse`; `wouldLose` for a realm with
  ///   changes that were not uploaded; `unknownSyncHistory` if it is unknown whether there are any; the
  ///   errors of opening a realm if it must be read; `inputOutput` for a file that cannot be deleted.
  ///   Files before it stay deleted.
  public func run() throws -> Report {
    guard OutputFile.exists(path) else {
      // Throws the error of the system, as for any missing realm.
      _ = try Snapshot(path: path, key: key, access: .brief)
      return Report(path: path, items: [], isDryRun: request.isDryRun)
    }
    if request.isDryRun { try RealmUse.checkIsFree(path) }
    let names = RealmUse.names(of: path)
    let newLocks = names.map { $0 + ".lock" }.filter { !OutputFile.exists($0) }
    let lock = request.isDryRun ? nil : try RealmLock(realm: path, operations: operations)
    defer { withExtendedLifetime(lock) {} }

    if request.withRealm, !request.discardsUnsynced { try checkIsUploaded() }
    let files = AuxiliaryFiles.list(forRealmAt: path)
    let reset = files.contains { $0.kind == .fresh } ? clientReset() : .none
    let temporary = temporaryFiles(names)

    // Lock files come last: until then, they keep other processes out.
    let ordered = files.filter { $0.kind != .lock } + files.filter { $0.kind == .lock }
    var items = request.withRealm ? realmItems(names) : []
    items += temporary.map(item)
    items += ordered.map { item(for: $0, reset) }
    guard !request.isDryRun else { return Report(path: path, items: items, isDryRun: true) }
    for file in temporary { try file.remove(operations) }
    let removal = FileRemoval(operations: operations)
    let done = Set(temporary.map(\.path))
    for item in items where item.action == .deleted && !done.contains(item.path) {
      try removal.remove(item.path)
    }
    // A lock that this run created is not reported, because a dry run cannot report it.
    items.removeAll { newLocks.contains($0.path) }
    return Report(path: path, items: items, isDryRun: false)
  }

  /// The temporary files of this tool in the folders of the realm.
  private func temporaryFiles(_ names: [String]) -> [TemporaryFile] {
    var folders: [String] = []
    for folder in names.map(OutputFile.folder)
    where !folders.contains(where: { OutputFile.isSameFile($0, folder) }) {
      folders.append(folder)
    }
    return folders.flatMap { TemporaryFile.list(in: $0) }
  }

  private func item(for file: TemporaryFile) -> Item {
    func item(_ action: Item.Action, _ reason: String) -> Item {
      Item(path: file.path, kind: nil, action: action, reason: reason)
    }
    return switch file.use {
    case .abandoned: item(.deleted, "unfinished output of a run of realm-cli that was killed")
    case .inUse: item(.kept, "a run of realm-cli is writing it")
    case .shared:
      item(
        .kept,
        "changed less than a day ago; a run of realm-cli on another machine may be writing it")
    case .unknown(let error):
      item(.kept, "a run of realm-cli may be writing it: \(error)")
    }
  }

  /// The realm by all its names. The link is deleted after the realm: if the realm cannot be
  /// deleted, it keeps the name that the user knows.
  private func realmItems(_ names: [String]) -> [Item] {
    names.reversed().map { name in
      let isLink = names.count > 1 && name == path
      let reason = isLink ? "a symbolic link to the realm" : "the realm itself"
      return Item(path: name, kind: nil, action: .deleted, reason: reason)
    }
  }

  /// Whether the app of the realm has to finish a client reset.
  private enum ClientReset {
    case none, pending
    /// A reset may be pending; the clause says why that is unknown.
    case unknown(String)
  }

  private func snapshot() throws(RealmFileError) -> Snapshot {
    try Snapshot(path: path, key: key, access: request.isDryRun ? .brief : .exclusive)
  }

  /// - Throws: `wouldLose`; `unknownSyncHistory` if the history cannot tell; the errors of reading the realm.
  private func checkIsUploaded() throws {
    let snapshot = try snapshot()
    if let version = ClientHistory.unknownSchemaVersion(of: snapshot.top) {
      throw RequestError(.unknownSyncHistory(version), path: path)
    }
    let pending = try ClientHistory(snapshot)?.pending.count ?? 0
    guard pending == 0 else {
      throw RequestError(.wouldLose(changes: pending, asymmetricClasses: []), path: path)
    }
  }

  /// The history does not matter here, only its schema version: a later one may record resets elsewhere.
  private func clientReset() -> ClientReset {
    do throws(RealmFileError) {
      let snapshot = try snapshot()
      if let version = ClientHistory.unknownSchemaVersion(of: snapshot.top) {
        return .unknown(RequestError(.unknownSyncHistory(version)).description)
      }
      // The table of client resets is younger than format 9.
      guard !snapshot.isLegacy else { return .none }
      let reset = try Realm(snapshot).schema.table(named: InternalTables.clientReset)
      return (reset?.objectCount ?? 0) > 0 ? .pending : .none
    } catch {
      return .unknown("the realm cannot be read, \(error)")
    }
  }

  private func item(for file: AuxiliaryFile, _ reset: ClientReset) -> Item {
    func item(_ action: Item.Action, _ reason: String) -> Item {
      Item(path: file.path, kind: file.kind, action: action, reason: reason)
    }
    if let name = file.foreignName {
      return item(.kept, "holds a file that the libraries do not create: \(name)")
    }
    switch file.kind {
    case .lock where request.withLock || request.withRealm:
      return item(.deleted, "coordinates the apps that have the realm open; no app has")
    case .lock:
      return item(
        .emptied, "its content has no use while no app has the realm open")
    case .management:
      return item(.deleted, "mutexes of the apps that have the realm open; no app has")
    case .note:
      return item(.deleted, "a pipe for notifications; an app creates it again")
    case .compactionSpace:
      return item(.deleted, "left by an interrupted compaction")
    case .commitLog:
      return item(.deleted, "a commit log of file formats before 6; nothing reads it")
    case .backupLog:
      return item(.deleted, "a text log about backups from upgrades")
    case .formatBackup where request.withBackups || request.withRealm:
      return item(.deleted, "the backup from an upgrade of the file format")
    case .formatBackup:
      return item(
        .kept, "the backup from an upgrade of the file format")
    case .fresh:
      switch reset {
      case .none:
        return item(.deleted, "the download of a client reset, and no reset is pending")
      case .pending: return item(.kept, "the download of a client reset that is pending")
      case .unknown(let why):
        return item(.kept, "the download of a client reset, which may be pending: \(why)")
      }
    }
  }
}
