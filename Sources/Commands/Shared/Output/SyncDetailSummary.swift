internal import RealmMaintenance
internal import RealmSync

/// The state of sync in the JSON of `info --history`.
struct SyncDetailSummary: Encodable {
  /// What is not uploaded of a class.
  struct Changes: Encodable {
    var `class`: String
    var created: Int
    var updated: Int
    var deleted: Int

    init(_ changes: UnsyncedChanges.ClassChanges) {
      self.class = changes.className
      (created, updated, deleted) = (changes.created, changes.updated, changes.deleted)
    }
  }

  /// A changeset that cannot be decoded.
  struct Undecoded: Encodable {
    var version: Int
    /// Null if it is unknown.
    @OrNull var byteCount: Int?
    var reason: String

    init(_ changeset: UnsyncedChanges.Undecoded) {
      (version, reason) = (changeset.version, changeset.reason)
      byteCount = changeset.byteCount
    }
  }

  private struct SubscriptionSet: Encodable {
    struct Subscription: Encodable {
      var name: String?
      var `class`: String
      var query: String
    }
    var version: Int64
    var state: String
    var active: Bool
    var error: String?
    var subscriptions: [Subscription]
  }

  private struct Bootstrap: Encodable {
    var subscriptionSet: Int64
    var changesets: Int
  }

  private struct Permissions: Encodable {
    var `class`: String
    var manage: Int
    var write: Int
    var read: Int
    var nothing: Int
  }

  private struct RoleClass: Encodable {
    var name: String
    var objects: Int
  }

  private var unsynced: [Changes]
  private var schemaChanges: Int
  private var undecoded: [Undecoded]
  private var complete: Bool
  private var subscriptionSets: [SubscriptionSet]
  private var pendingBootstraps: [Bootstrap]
  private var interrupted: [String]
  private var permissions: [Permissions]
  private var queryBased: [RoleClass]

  init(_ detail: InfoJob.Report.SyncDetail) {
    unsynced = detail.unsynced.classes.map { Changes($0) }
    schemaChanges = detail.unsynced.schemaChanges
    undecoded = detail.unsynced.undecoded.map { Undecoded($0) }
    complete = detail.unsynced.isComplete && detail.tables.isComplete
    let tables = detail.tables
    let activeSet = tables.activeSet
    subscriptionSets = tables.subscriptionSets.map { set in
      SubscriptionSet(
        version: set.version, state: set.state.rawValue, active: set.version == activeSet,
        error: set.error,
        subscriptions: set.subscriptions.map {
          SubscriptionSet.Subscription(name: $0.name, class: $0.className, query: $0.query)
        })
    }
    pendingBootstraps = tables.pendingBootstraps.map {
      Bootstrap(subscriptionSet: $0.subscriptionSet, changesets: $0.changesets)
    }
    interrupted = tables.interruptions.map(\.name)
    permissions = tables.permissions.map {
      Permissions(
        class: $0.className, manage: $0.managing, write: $0.writing, read: $0.reading,
        nothing: $0.nothing)
    }
    queryBased = tables.roleClasses.map { RoleClass(name: $0.name, objects: $0.objects) }
  }
}

extension SyncTables.Interruption {
  /// The name for scripts.
  fileprivate var name: String {
    switch self {
    case .clientReset: "clientReset"
    case .flexibleMigration: "flexibleMigration"
    case .schemaMigration: "schemaMigration"
    }
  }
}
