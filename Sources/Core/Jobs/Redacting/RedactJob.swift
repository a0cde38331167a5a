import RealmBuilding
import RealmModel
public import RealmStorage
import RealmSync

/// Makes a copy of a realm that can be sent to somebody else: with the same classes, counts, links, nulls and sizes,
/// but without the content.
///
/// The copy is a new local realm, without history, free space and earlier commits.
public struct RedactJob: Sendable {
  public struct Request: Sendable {
    /// Properties to keep, as `Class.property`.
    public var keptProperties: [String] = []
    /// Classes whose properties are all kept.
    public var keptClasses: [String] = []
    /// Makes the same copy each time; nil for a random secret, which nobody knows afterwards.
    public var seed: UInt64?
    /// Number of threads.
    public var jobs = 1

    public init() {}
  }

  public struct Report: Sendable {
    public var rewrite: RewriteReport
    /// Number of objects, without embedded ones.
    public var objects: Int
    /// The kept properties as `Class.property`.
    public var kept: [String]
    /// Whether the realm is a synced one.
    public var wasSynced: Bool
    /// Internal tables that were left out.
    public var droppedTables: [String]
  }

  private let rewrite: RealmRewrite
  private let request: Request

  /// - Parameter key: key of the realm and of the result.
  public init(
    path: String, version: Snapshot.Version = .latest, key: RealmKey?,
    destination: RealmDestination, request: Request = Request(), isDryRun: Bool = false
  ) {
    rewrite = RealmRewrite(
      path: path, version: version, key: key, newKey: key, command: "redact",
      destination: destination, isDryRun: isDryRun)
    self.request = request
  }

  /// - Parameter progress: receives the number of objects done and the total.
  /// - Throws: ``RequestError`` of kind `noSuchClass` or `noSuchProperty`; ``RebuildError`` for objects that no realm
  ///   can hold; `unsupported` if there are more short primary keys than masks for them; `inUse`; the errors of
  ///   reading and writing a realm.
  public func run(
    progress: @escaping (Int, Int) -> Void = { _, _ in }
  ) throws -> Report {
    try rewrite.run(plan: plan, progress: progress)
  }

  private func plan(_ snapshot: Snapshot) throws -> RealmRewrite.Plan<Report> {
    let secret =
      request.seed.map { seed in (0..<8).map { UInt8(truncatingIfNeeded: seed &>> UInt64(8 * $0)) }
      }
      ?? (0..<32).map { _ in UInt8.random(in: 0...255) }
    let realm = try ReadableRealm(snapshot).current(jobs: request.jobs)
    let schema = realm.schema.objects
    let code = try MessageCode(key: secret)
    let names = RedactionScope.Names(
      properties: request.keptProperties, classes: request.keptClasses)
    let scope: RedactionScope
    do {
      scope = try RedactionScope(schema, keeping: names, code)
    } catch {
      throw error.adding(path: snapshot.path)
    }
    let objects = schema.topLevelClasses.reduce(0) { $0 + realm.schema.tables[$1].objectCount }
    var building = try rewrite.building(snapshot, realm)
    building.schemaVersion = try realm.schemaVersion()
    building.jobs = request.jobs
    let rebuild = ObjectRebuild { [building, jobs = request.jobs] (output, progress) in
      // One thread at a time calls it.
      let tell = UncheckedProgress(progress)
      let found = try OriginalSurvey(realm: realm, scope: scope, jobs: jobs).run {
        tell.progress($0, 2 * objects)
      }
      let attempts = try KeySurvey(
        realm: realm, scope: scope, jobs: jobs, originals: found.originals
      ).attempts()
      let texts = TextMask(originals: found.originals, attempts: attempts)
      let source = try TransformedSource(
        RealmSource(realm, Redaction.request, classes: schema.topLevelClasses),
        by: Redaction(scope: scope, texts: texts, ranks: found.ranks))
      do throws(RoadError<TransformFailure<RealmFileError, RealmFileError>, BuildError>) {
        return try ObjectRoad(
          from: source, to: RealmBuilder(into: output, building), jobs: jobs
        ).run { tell.progress(objects + $0, 2 * objects) }.byteCount
      } catch {
        switch error {
        case .source(.source(let error)), .source(.transform(let error)): throw error
        case .sink(let error): throw RebuildError.cause(error)
        }
      }
    }
    let wasSynced = try !snapshot.isLegacy && HistoryKind(of: snapshot.top) == .syncClient
    let dropped = schema.keptInternalClasses(withEmbedded: true).map {
      schema.classes[$0].name.text
    }
    return RealmRewrite.Plan(objects: rebuild, building.format) {
      Report(
        rewrite: $0, objects: objects, kept: scope.keptNames, wasSynced: wasSynced,
        droppedTables: dropped)
    }
  }
}
