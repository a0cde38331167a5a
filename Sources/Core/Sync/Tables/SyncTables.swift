public import RealmModel
public import RealmStorage

/// The content of the internal tables of sync and of the permissions in app classes (chapter 4, sections 5.3, 7.8
/// and 8). Columns are read by name, because the tables differ between versions of the libraries.
public struct SyncTables: Sendable {
  /// A query of flexible sync.
  public struct Subscription: Sendable, Equatable {
    /// Nil if the app gave no name.
    public var name: String?
    public var className: String
    public var query: String

    fileprivate var byteCount: Int {
      (name?.utf8.count ?? 0) + className.utf8.count + query.utf8.count
    }
  }

  /// The queries that an app sent together.
  public struct SubscriptionSet: Sendable, Equatable {
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

      /// Whether the realm has the objects that the queries select.
      var isActive: Bool { self == .complete || self == .awaitingMark }
    }

    public var version: Int64
    public var state: State
    /// The message of the server if it refused the queries.
    public var error: String?
    public var subscriptions: [Subscription]
  }

  /// A download for a subscription set that is not applied yet.
  public struct PendingBootstrap: Sendable, Equatable {
    public var subscriptionSet: Int64
    public var changesets: Int
  }

  /// An operation that was started but not finished.
  public enum Interruption: Sendable, Equatable {
    /// A client reset; `recovers` is whether local changes are kept, nil if unknown.
    case clientReset(recovers: Bool?)
    /// A migration from partition-based to flexible sync, or back.
    case flexibleMigration(state: Int64)
    /// A migration after the schema of the server changed incompatibly.
    case schemaMigration(previousVersion: Int64)
  }

  /// The permissions in the objects of a class, from the time of Realm Object Server.
  public struct Permissions: Sendable, Equatable {
    public var className: String
    /// The number of objects by the highest permission that they grant.
    public var managing = 0
    public var writing = 0
    public var reading = 0
    public var nothing = 0
  }

  /// Maximum number of rows of a table, and of subscriptions, that are listed.
  private static let rowLimit = 10_000
  /// Maximum bytes of the strings in subscription sets.
  private static let byteLimit = 16 << 20
  private static let flags = ["mayRead", "mayWrite", "mayManage"]
  /// Classes of query-based sync.
  private static let roleClassNames: Set<String> = [
    "__User", "__Role", "__Permission", "__Class", "__Realm", "__ResultSets",
  ]

  public private(set) var subscriptionSets: [SubscriptionSet] = []
  public private(set) var pendingBootstraps: [PendingBootstrap] = []
  public private(set) var interruptions: [Interruption] = []
  public private(set) var permissions: [Permissions] = []
  /// The classes of query-based sync, and the number of their objects.
  public private(set) var roleClasses: [(name: String, objects: Int)] = []
  /// False if there are more subscriptions, downloads or interruptions than are listed.
  public private(set) var isComplete = true

  /// - Throws: `damaged` if one of the tables cannot be read; the errors of an encrypted realm.
  public init(_ realm: Realm) throws(RealmFileError) {
    try readSubscriptions(realm)
    try readBootstraps(realm)
    try readInterruptions(realm)
    try readPermissions(
      realm.schema.objects, objectCount: { realm.schema.tables[$0].objectCount },
      source: { RealmSource(realm, $0, classes: [$1]) })
  }

  /// Reads only permissions: enough for a realm of formats 2 to 9, which are older than the internal tables.
  ///
  /// - Parameters:
  ///   - objectCount: number of objects of the class at a position.
  ///   - source: the objects of the class at a position.
  /// - Throws: `damaged`; the errors of an encrypted realm.
  package init(
    permissionsOf schema: ObjectSchema, objectCount: (Int) -> Int,
    source: (ObjectRequest, Int) -> any RealmObjectSource
  ) throws(RealmFileError) {
    try readPermissions(schema, objectCount: objectCount, source: source)
  }

  /// The version of the subscription set whose objects the realm has; nil without flexible sync.
  public var activeSet: Int64? {
    guard !subscriptionSets.isEmpty else { return nil }
    return subscriptionSets.filter(\.state.isActive).map(\.version).max() ?? 0
  }

  /// Whether a download or the newest queries of flexible sync are not applied yet. Reads nothing else.
  ///
  /// - Throws: `damaged`; the errors of an encrypted realm.
  package static func isUnfinished(_ realm: Realm) throws(RealmFileError) -> Bool {
    if realm.schema.table(named: InternalTables.pendingBootstrap)?.objectCount ?? 0 > 0 {
      return true
    }
    var (newest, active): (Int64, Int64) = (0, 0)
    try NamedRows.forEach(
      of: realm.schema.table(named: InternalTables.subscriptionSets), in: realm,
      columns: ["version", "state"]
    ) { _, values in
      let version = values["version"]?.int ?? 0
      newest = max(newest, version)
      if SubscriptionSet.State(code: values["state"]?.int ?? 0).isActive {
        active = max(active, version)
      }
    }
    return newest > active
  }

  // MARK: Reading

  /// Calls `body` with the values by name of each row of a table, which may not exist.
  private mutating func forEachRow(
    of name: String, in realm: Realm, _ columns: Set<String>,
    _ body: ([String: RealmValue]) -> Void
  ) throws(RealmFileError) {
    let isComplete = try NamedRows.forEach(
      of: realm.schema.table(named: name), in: realm, columns: columns, limit: SyncTables.rowLimit
    ) { _, values in body(values) }
    if !isComplete { self.isComplete = false }
  }

  private mutating func readSubscriptions(_ realm: Realm) throws(RealmFileError) {
    let embedded = realm.schema.table(named: InternalTables.subscriptions)
    var sets: [SubscriptionSet] = []
    var (rowsLeft, bytesLeft) = (SyncTables.rowLimit, SyncTables.byteLimit)
    try forEachRow(
      of: InternalTables.subscriptionSets, in: realm,
      ["version", "state", "error", "subscriptions", "name", "object_class", "query"]
    ) { values in
      let subscriptions = (values["subscriptions"]?.elements ?? []).map { object in
        let fields = NamedRows.fields(object, of: embedded)
        return Subscription(
          name: fields["name"]?.string, className: fields["object_class"]?.string ?? "",
          query: fields["query"]?.string ?? "")
      }
      rowsLeft -= subscriptions.count
      bytesLeft -= subscriptions.reduce(values["error"]?.string?.utf8.count ?? 0) {
        $0 + $1.byteCount
      }
      guard rowsLeft >= 0, bytesLeft >= 0 else { return }
      sets.append(
        SubscriptionSet(
          version: values["version"]?.int ?? 0,
          state: SubscriptionSet.State(code: values["state"]?.int ?? 0),
          error: values["error"]?.string, subscriptions: subscriptions))
    }
    if rowsLeft < 0 || bytesLeft < 0 { isComplete = false }
    subscriptionSets = sets.sorted { $0.version < $1.version }
  }

  private mutating func readBootstraps(_ realm: Realm) throws(RealmFileError) {
    var found: [PendingBootstrap] = []
    try forEachRow(of: InternalTables.pendingBootstrap, in: realm, ["query_version"]) { values in
      found.append(
        PendingBootstrap(subscriptionSet: values["query_version"]?.int ?? 0, changesets: 0))
    }
    guard let table = realm.schema.table(named: InternalTables.pendingBootstrap) else { return }
    var row = 0
    try NamedRows.forEachCount(of: "changesets", in: table, of: realm) { count in
      if row < found.count { found[row].changesets = count }
      row += 1
    }
    pendingBootstraps = found
  }

  private mutating func readInterruptions(_ realm: Realm) throws(RealmFileError) {
    var found: [Interruption] = []
    let modes = ["mode", "reset_mode", "type_of_reset"]
    try forEachRow(of: InternalTables.clientReset, in: realm, Set(modes)) { values in
      let mode = modes.compactMap { values[$0]?.int }.first
      found.append(.clientReset(recovers: mode.map { $0 == 1 }))
    }
    try forEachRow(of: InternalTables.flexibleMigration, in: realm, ["state"]) { values in
      // 0 and 2 mean not migrated and migrated: no migration is in progress.
      guard let state = values["state"]?.int, state == 1 || state == 3 else { return }
      found.append(.flexibleMigration(state: state))
    }
    try forEachRow(
      of: InternalTables.schemaMigration, in: realm, ["previous_schema_version"]
    ) { values in
      found.append(
        .schemaMigration(previousVersion: values["previous_schema_version"]?.int ?? 0))
    }
    interruptions = found
  }

  private mutating func readPermissions(
    _ schema: ObjectSchema, objectCount: (Int) -> Int,
    source: (ObjectRequest, Int) -> any RealmObjectSource
  ) throws(RealmFileError) {
    let request = NamedRows.request(Set(SyncTables.flags), of: schema)
    for position in schema.appClasses {
      let objectClass = schema.classes[position]
      let name = objectClass.name.text
      if SyncTables.roleClassNames.contains(name) {
        roleClasses.append((name, objectCount(position)))
      }
      guard objectClass.kind != .embedded,
        SyncTables.flags.allSatisfy({ objectClass.hasFlag(named: $0) })
      else { continue }
      var permissions = Permissions(className: name)
      try NamedRows.forEach(of: source(request, position)) { _, values in
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

extension ObjectClass {
  fileprivate func hasFlag(named name: String) -> Bool {
    properties.contains { $0.name.text == name && $0.type == .bool && $0.collection == nil }
  }
}
