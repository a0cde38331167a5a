public import RealmModel
public import RealmStorage

/// What the internal tables of sync and the classes of permissions say (chapter 4, sections 5.3, 7.8 and 8).
/// Reads columns by their names, as the tables differ between versions of the libraries.
public struct SyncTables: Sendable {
  /// A query of flexible sync.
  public struct Subscription: Sendable, Equatable {
    /// Nil if the app gave no name.
    public var name: String?
    public var className: String
    public var query: String
  }

  /// Queries that were sent together.
  public struct SubscriptionSet: Sendable, Equatable {
    /// The states of a set, by their codes.
    public enum State: String, Sendable {
      case pending, bootstrapping, complete, error, awaitingMark, unknown

      init(code: Int64) {
        self =
          switch code {
          case 1: .pending
          case 2: .bootstrapping
          case 3: .complete
          case 4: .error
          case 6: .awaitingMark
          default: .unknown
          }
      }
    }

    public var version: Int64
    public var state: State
    /// What the server refused.
    public var error: String?
    public var subscriptions: [Subscription]
  }

  /// A download for a subscription set that was not applied yet.
  public struct PendingBootstrap: Sendable, Equatable {
    public var subscriptionSet: Int64
    public var changesets: Int
  }

  /// An operation that was started and not confirmed.
  public enum Interruption: Sendable, Equatable {
    /// `recovers` is whether local changes are kept; nil if the table does not say.
    case clientReset(recovers: Bool?)
    /// From partition-based sync to flexible sync, or back.
    case flexibleMigration(state: Int64)
    /// The schema of the server changed incompatibly.
    case schemaMigration(previousVersion: Int64)
  }

  /// Objects with permissions, of the time of Realm Object Server.
  public struct Permissions: Sendable, Equatable {
    public var className: String
    /// Objects by what they allow at most.
    public var managing = 0
    public var writing = 0
    public var reading = 0
    public var nothing = 0
  }

  /// The most rows that are read of a table.
  private static let rowLimit = 10_000
  private static let flags = ["mayRead", "mayWrite", "mayManage"]
  /// Classes of query-based sync.
  private static let roleClasses: Set<String> = [
    "__User", "__Role", "__Permission", "__Class", "__Realm", "__ResultSets",
  ]

  public private(set) var subscriptionSets: [SubscriptionSet] = []
  public private(set) var pendingBootstraps: [PendingBootstrap] = []
  public private(set) var interruptions: [Interruption] = []
  public private(set) var permissions: [Permissions] = []
  /// Classes of roles and subscriptions of query-based sync, and the number of their objects.
  public private(set) var roleClasses: [(name: String, objects: Int)] = []

  /// - Throws: `damaged` if one of the tables cannot be read; the errors of an encrypted realm.
  public init(_ realm: Realm) throws(RealmFileError) {
    try readSubscriptions(realm)
    try readInterruptions(realm)
    try readPermissions(realm)
  }

  /// The version of the set whose queries the realm holds; nil without flexible sync.
  public var activeSet: Int64? {
    guard !subscriptionSets.isEmpty else { return nil }
    return subscriptionSets.filter { $0.state == .complete || $0.state == .awaitingMark }
      .map(\.version).max() ?? 0
  }

  /// Whether the newest queries are not applied yet, or a download is not.
  public var isUnfinished: Bool {
    !pendingBootstraps.isEmpty || subscriptionSets.map(\.version).max() ?? 0 > activeSet ?? 0
  }

  // MARK: Reading

  /// Calls `body` for the rows of a table with their values by name; for none if there is no such table.
  private func forEachRow(
    of name: String, in realm: Realm,
    _ body: ([String: RealmValue]) throws(RealmFileError) -> Void
  ) throws(RealmFileError) {
    try NamedRows.forEach(
      of: realm.schema.table(named: name), in: realm, limit: SyncTables.rowLimit
    ) { (_, values) throws(RealmFileError) in try body(values) }
  }

  private mutating func readSubscriptions(_ realm: Realm) throws(RealmFileError) {
    let embedded = realm.schema.table(named: "flx_subscriptions")
    var sets: [SubscriptionSet] = []
    try forEachRow(of: "flx_subscription_sets", in: realm) { values throws(RealmFileError) in
      let subscriptions = (values["subscriptions"]?.elements ?? []).map { object in
        let fields = NamedRows.fields(object, of: embedded)
        return Subscription(
          name: fields["name"]?.string, className: fields["object_class"]?.string ?? "",
          query: fields["query"]?.string ?? "")
      }
      sets.append(
        SubscriptionSet(
          version: values["version"]?.int ?? 0,
          state: SubscriptionSet.State(code: values["state"]?.int ?? 0),
          error: values["error"]?.string, subscriptions: subscriptions))
    }
    subscriptionSets = sets.sorted { $0.version < $1.version }
    var bootstraps: [PendingBootstrap] = []
    try forEachRow(of: "flx_pending_bootstrap", in: realm) { values throws(RealmFileError) in
      bootstraps.append(
        PendingBootstrap(
          subscriptionSet: values["query_version"]?.int ?? 0,
          changesets: values["changesets"]?.elements?.count ?? 0))
    }
    pendingBootstraps = bootstraps
  }

  private mutating func readInterruptions(_ realm: Realm) throws(RealmFileError) {
    var found: [Interruption] = []
    try forEachRow(of: InternalTables.clientReset, in: realm) { values throws(RealmFileError) in
      let mode = ["mode", "reset_mode", "type_of_reset"].compactMap { values[$0]?.int }.first
      found.append(.clientReset(recovers: mode.map { $0 == 1 }))
    }
    try forEachRow(of: "flx_migration", in: realm) { values throws(RealmFileError) in
      // 0 and 2 are not migrated and migrated: nothing is going on.
      guard let state = values["state"]?.int, state == 1 || state == 3 else { return }
      found.append(.flexibleMigration(state: state))
    }
    try forEachRow(of: "schema_migration_metadata", in: realm) { values throws(RealmFileError) in
      found.append(
        .schemaMigration(previousVersion: values["previous_schema_version"]?.int ?? 0))
    }
    interruptions = found
  }

  private mutating func readPermissions(_ realm: Realm) throws(RealmFileError) {
    for table in realm.schema.classes {
      let name = table.className.text
      if SyncTables.roleClasses.contains(name) { roleClasses.append((name, table.objectCount)) }
      guard SyncTables.flags.allSatisfy({ table.column(named: $0)?.type == .bool }) else {
        continue
      }
      var permissions = Permissions(className: name)
      try forEachRow(of: table.name.text, in: realm) { values throws(RealmFileError) in
        if values["mayManage"]?.bool == true {
          permissions.managing += 1
        } else if values["mayWrite"]?.bool == true {
          permissions.writing += 1
        } else if values["mayRead"]?.bool == true {
          permissions.reading += 1
        } else {
          permissions.nothing += 1
        }
      }
      self.permissions.append(permissions)
    }
  }
}
