import RealmModel
public import RealmStorage
import RealmSync

/// Determines what takes up space in a realm. Reads one consistent version, even while other processes write
/// to the file, and changes nothing.
public struct StatsJob: Sendable {
  /// The request: which realm, and how much detail.
  public struct Request: Sendable {
    public var path: String
    public var key: RealmKey?
    public var version: Snapshot.Version = .latest
    /// Names of the classes that are listed; nil for all. The sums are always about the whole file.
    public var classes: [String]?
    /// How many of the largest objects, values and collections are listed.
    public var largest = 5
    /// Number of threads.
    public var jobs = 1
    /// Maximum bytes of decrypted pages of an encrypted realm that are cached.
    public var cacheByteCount = Snapshot.usualCacheByteCount

    public init(path: String) { self.path = path }
  }

  public let request: Request

  public init(_ request: Request) { self.request = request }

  /// - Parameter progress: receives the number of objects done and the total; called from several threads,
  ///   one at a time.
  /// - Throws: the errors of opening a realm; `noSuchClass`; `damaged`; `changedWhileReading`.
  public func run(
    progress: @escaping @Sendable (Int, Int) -> Void = { _, _ in }
  ) throws -> StatsReport {
    do {
      return try report(on: try snapshot(.whole), progress)
    } catch {
      guard error.fileKind == .changedWhileReading else { throw error }
    }
    return try report(on: try snapshot(.copied), progress)
  }

  private func snapshot(_ access: Snapshot.Access) throws -> Snapshot {
    try Snapshot(
      path: request.path, key: request.key, version: request.version, access: access,
      cacheByteCount: request.cacheByteCount)
  }

  private func report(
    on snapshot: Snapshot, _ progress: @escaping @Sendable (Int, Int) -> Void
  ) throws -> StatsReport {
    do {
      let realm = try ReadableRealm(snapshot)
      let listed = try listedClasses(of: realm.schema)
      let report = try report(on: realm, listed, progress)
      try snapshot.prove()
      return report
    } catch {
      // Apparent damage may be a change or truncation by another process.
      if error.fileKind != nil { try snapshot.prove() }
      throw error.adding(path: request.path)
    }
  }

  /// The positions of the classes that are listed, internal ones last.
  private func listedClasses(of schema: ObjectSchema) throws -> [Int] {
    let classes = schema.appClasses
    guard let names = request.classes else {
      return classes + schema.classes.indices.filter { schema.classes[$0].isInternal }
    }
    func name(_ position: Int) -> String { schema.classes[position].name.text }
    for wanted in names where !classes.contains(where: { name($0) == wanted }) {
      throw RequestError(.noSuchClass(wanted), path: request.path)
    }
    return classes.filter { names.contains(name($0)) }
  }

  private func report(
    on realm: ReadableRealm, _ listed: [Int], _ progress: @escaping @Sendable (Int, Int) -> Void
  ) throws(RealmFileError) -> StatsReport {
    let snapshot = realm.snapshot
    let nodes = try snapshot.makeReader()
    var census = NodeCensus(realm, nodes: nodes)
    try census.run()
    let parts = try StatsParts(&census, snapshot, nodes).parts
    let values = try countValues(of: realm, listed, progress)
    var report = StatsReport(
      path: request.path, fileFormat: snapshot.format, isEncrypted: snapshot.isEncrypted,
      version: snapshot.top.version, fileByteCount: snapshot.fileByteCount, parts: parts,
      classes: StatsClasses(census.totals, values, realm).sizes(of: listed),
      largestObjects: large(values.objects, realm.schema),
      largestValues: large(values.values, realm.schema),
      largestCollections: large(values.collections, realm.schema),
      compactedByteCount: try compactedByteCount(snapshot), concerns: [])
    report.concerns = StatsConcern.find(
      in: report, isSync: try HistoryKind(of: snapshot.top) == .syncClient)
    return report
  }

  private func countValues(
    of realm: ReadableRealm, _ listed: [Int], _ progress: @escaping @Sendable (Int, Int) -> Void
  ) throws(RealmFileError) -> ValueCensus.Report {
    var objects = ObjectRequest()
    (objects.normalization, objects.links) = (.stored, .keys)
    let source = realm.source(
      objects, classes: realm.schema.topLevelClasses.filter { listed.contains($0) })
    return try count(source, progress)
  }

  private func count<Source: RealmObjectSource>(
    _ source: Source, _ progress: @escaping @Sendable (Int, Int) -> Void
  ) throws(RealmFileError) -> ValueCensus.Report {
    let total = source.objectCount
    do throws(RoadError<RealmFileError, RealmFileError>) {
      return try ObjectRoad(
        from: source, to: ValueCensus(largest: request.largest), jobs: request.jobs
      ).run { progress($0, total) }
    } catch {
      throw error.failure
    }
  }

  private func large(_ found: Largest, _ schema: ObjectSchema) -> [StatsReport.Large] {
    found.entries.map { entry in
      let objectClass = schema.classes[entry.classPosition]
      return StatsReport.Large(
        className: objectClass.name.text,
        property: entry.property.map { objectClass.properties[$0].name.text },
        primaryKey: entry.primaryKey, objectKey: entry.key.raw, size: entry.size)
    }
  }

  /// The size of the file after a compaction, measured without writing.
  private func compactedByteCount(_ snapshot: Snapshot) throws(RealmFileError) -> Int {
    try FileBuilder(
      snapshot, top: FileBuilder.Top(openableCopyOf: snapshot), edits: NodeEdits(),
      into: try RealmOutput(.nowhere, key: request.key)
    ).write { _ in }
  }
}
