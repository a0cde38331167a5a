import RealmBuilding
import RealmLegacy
import RealmModel
public import RealmStorage
import RealmSync

/// Converts a synced realm to a local one: keeps the objects, and drops the history, the state
/// and the internal tables of sync (chapter 4, section 5). An app opens the result without an
/// account.
public struct ConvertJob: Sendable {
  public struct Request: Sendable {
    /// The schema version of the result; nil for the one of the realm.
    public var schemaVersion: UInt64?
    /// Names of properties to drop from all classes that have them.
    public var droppedProperties: [String]
    /// Whether objects of asymmetric classes that were not uploaded may be lost.
    public var discardsUnsynced: Bool

    public init(
      schemaVersion: UInt64? = nil, droppedProperties: [String] = [],
      discardsUnsynced: Bool = false
    ) {
      self.schemaVersion = schemaVersion
      self.droppedProperties = droppedProperties
      self.discardsUnsynced = discardsUnsynced
    }
  }

  public struct Report: Sendable {
    public var rewrite: RewriteReport
    /// Whether the realm was synced.
    public var wasSynced: Bool
    /// Number of local changes that the server never received. They stay in the data.
    public var pendingChanges: Int
    /// Names of asymmetric classes, which local realms of the SDKs cannot have.
    public var asymmetricClasses: [String]
    /// Tables that were dropped.
    public var droppedTables: [String]
    /// Internal tables that were kept, because links connect them with other tables.
    public var keptTables: [String]
    /// Properties that were dropped, with their classes.
    public var droppedProperties: [(class: String, property: String)]
    /// Schema version of the result; nil if the app set none.
    public var schemaVersion: UInt64?
    /// Properties that servers add and apps need not declare, with their classes.
    public var serverProperties: [(class: String, property: String)]
    /// The parts of a realm of formats 2 to 9 that the result lacks; nil for later formats.
    public var legacy: LegacyLosses?
  }

  /// Names of the properties by which servers partition data.
  private static let serverPropertyNames: Set<String> = ["realm_id", "_partition"]

  private let rewrite: RealmRewrite
  private let request: Request

  /// - Parameter key: key of the realm and of the result.
  public init(
    path: String, version: Snapshot.Version = .latest, key: RealmKey?,
    destination: RealmDestination, request: Request = Request(), isDryRun: Bool = false
  ) {
    rewrite = RealmRewrite(
      path: path, version: version, key: key, newKey: key, command: "convert",
      destination: destination,
      isDryRun: isDryRun)
    self.request = request
  }

  /// - Parameter progress: receives the number of bytes done and the total.
  /// - Throws: `wouldLose` if objects exist only in the history; `serverRealm`; `unsupported` if
  ///   the realm has no schema version to change; `cannotDrop`, `noSuchProperty`; `inUse` for a
  ///   target that is in use; the errors of reading and writing a realm.
  public func run(
    progress: @escaping (Int, Int) -> Void = { _, _ in }
  ) throws -> Report {
    try rewrite.run(
      plan: { (snapshot) in try plan(snapshot) }, progress: progress)
  }

  private func plan(
    _ snapshot: Snapshot
  ) throws -> RealmRewrite.Plan<Report> {
    let kind = try HistoryKind(of: snapshot.top)
    if snapshot.isLegacy { return try legacyPlan(snapshot, kind) }
    switch kind {
    case .none, .inRealm, .syncClient: break
    case .syncServer: throw RequestError(.serverRealm, path: snapshot.path)
    case .outOfRealm: throw RequestError(.outOfRealmHistory, path: snapshot.path)
    }
    let realm = try Realm(snapshot)
    let pending = try ClientHistory(snapshot)?.pending.count ?? 0
    let asymmetric = realm.schema.classes.filter { $0.kind == .asymmetric }.map(\.className.text)
    guard pending == 0 || asymmetric.isEmpty || request.discardsUnsynced else {
      throw RequestError(
        .wouldLose(changes: pending, asymmetricClasses: asymmetric), path: snapshot.path)
    }

    do {
      var edits = try SchemaEdits(realm)
      let internalTables = realm.schema.tables.filter(InternalTables.belongsToSync)
      let dropped = edits.drop(internalTables)
      let properties = try drop(of: realm.schema, from: &edits)
      var schemaVersion = try realm.schemaVersion()
      if let version = request.schemaVersion {
        try edits.setSchemaVersion(version)
        schemaVersion = version
      }
      let keptTables = internalTables.filter { table in
        !dropped.contains { $0.key == table.key }
      }
      let (version, serverProperties) = (schemaVersion, serverProperties(of: realm.schema))
      return RealmRewrite.Plan(
        top: FileBuilder.Top(localCopyOf: snapshot), edits: try edits.nodeEdits()
      ) {
        Report(
          rewrite: $0, wasSynced: kind == .syncClient, pendingChanges: pending,
          asymmetricClasses: asymmetric, droppedTables: dropped.map(\.name.text),
          keptTables: keptTables.map(\.name.text), droppedProperties: properties,
          schemaVersion: version, serverProperties: serverProperties)
      }
    } catch {
      throw error.adding(path: snapshot.path)
    }
  }

  /// A realm of formats 2 to 9 becomes one of the current format: no library opens a copy of its own format.
  private func legacyPlan(
    _ snapshot: Snapshot, _ kind: HistoryKind
  ) throws -> RealmRewrite.Plan<Report> {
    guard request.droppedProperties.isEmpty else {
      throw RealmFileError(.legacyFormat(snapshot.format), path: snapshot.path)
    }
    let building = try rewrite.building(snapshot, nil)
    let rebuild = try LegacyRebuild(
      LegacyRealm(snapshot), building, schemaVersion: request.schemaVersion, jobs: 1)
    return RealmRewrite.Plan(objects: rebuild.objects, building.format) {
      Report(
        rewrite: $0, wasSynced: rebuild.losses.syncHistory != nil,
        pendingChanges: rebuild.losses.pendingChangesets ?? 0,
        asymmetricClasses: [], droppedTables: [], keptTables: [], droppedProperties: [],
        schemaVersion: rebuild.schemaVersion, serverProperties: [], legacy: rebuild.losses)
    }
  }

  private func drop(
    of schema: Schema, from edits: inout SchemaEdits
  ) throws -> [(class: String, property: String)] {
    var dropped: [(class: String, property: String)] = []
    var seen: Set<ExactText> = []
    for name in request.droppedProperties where seen.insert(ExactText(name)).inserted {
      let before = dropped.count
      for table in schema.classes {
        guard let column = table.column(named: name) else { continue }
        if let obstacle = edits.drop(column, of: table) {
          throw RequestError(
            .cannotDrop(obstacle), className: table.className.text, property: name)
        }
        dropped.append((table.className.text, name))
      }
      guard dropped.count > before else { throw RequestError(.noSuchProperty(name)) }
    }
    return dropped
  }

  private func serverProperties(of schema: Schema) -> [(class: String, property: String)] {
    schema.classes.flatMap { table in
      table.columns.map(\.name.text)
        .filter {
          ConvertJob.serverPropertyNames.contains($0) && !request.droppedProperties.contains($0)
        }
        .map { (table.className.text, $0) }
    }
  }
}
