public import RealmInterchange
import RealmModel
import RealmQuery
public import RealmStorage

/// Exports the objects of a realm as JSON, CSV, a SQLite database or a script for PostgreSQL, from one consistent version, even while other
/// processes write to the file.
public struct ExportJob: Sendable {
  /// The format, and which objects to write.
  public struct Request: Sendable {
    public var format: ExportFormat
    /// Names of classes; nil for all.
    public var classes: [String]?
    /// A query: only the objects that it finds are written. `classes` must then be one class.
    public var condition: String?
    /// Number of threads.
    public var jobs: Int
    /// How the tables of a SQLite database store values.
    public var tables = TableOptions()
    /// Name of the schema of the tables in PostgreSQL.
    public var schemaName = Request.usualSchemaName
    /// Whether a script for PostgreSQL may lose values.
    public var acceptsLosses = false

    public static let usualSchemaName = "realm"

    public init(
      format: ExportFormat, classes: [String]? = nil, condition: String? = nil, jobs: Int = 1
    ) {
      (self.format, self.classes) = (format, classes)
      (self.condition, self.jobs) = (condition, jobs)
    }
  }

  /// The result of an export.
  public struct Report: Sendable {
    /// Objects of each class, in the order of the document.
    public var counts: [(name: String, objects: Int)]
    /// Internal tables, which were left out.
    public var internalTables: [String]
    /// Number of set members that were left out because they equal another member, as in old
    /// formats and sets with NaN.
    public var duplicateMembers: Int
    /// The values that the format could not hold.
    public var losses: FormatLosses
  }

  public let request: Request

  public init(_ request: Request) { self.request = request }

  /// Runs the export, and publishes the sink.
  ///
  /// - Parameters:
  ///   - open: opens the realm, with the given access.
  ///   - makeOutput: makes the output for the snapshot. Called again if the output must start over; the
  ///     first one is then dropped.
  ///   - canStartOver: false if output cannot be taken back once written, as on standard output.
  ///   - progress: receives the number of objects done and the total, from changing threads, one at a time.
  /// - Throws: what `open` and `makeOutput` throw; `noSuchClass`, `embeddedClass`; ``QueryTextError``;
  ///   `damaged`; `changedWhileReading` if the realm changed after output was written that cannot be taken
  ///   back; the errors of the sink.
  public func run(
    open: (Snapshot.Access) throws -> Snapshot,
    makeOutput: (Snapshot) throws -> ExportOutput,
    canStartOver: Bool,
    progress: @escaping @Sendable (Int, Int) -> Void
  ) throws -> Report {
    try ProvenOutput.run(open: open, makeOutput: makeOutput, canStartOver: canStartOver) {
      (snapshot, output) in
      let readable = try ReadableRealm(snapshot)
      var objects = ObjectRequest()
      objects.normalization = request.format.normalization
      // Nothing in formats 2 to 9 ensures that primary keys are unique, which those of a database are.
      if request.format.hasTables, snapshot.isLegacy { objects.links = .keys }
      guard let condition = request.condition else {
        let source = readable.source(objects, classes: try classes(in: readable))
        return try write(source, objects, of: readable, to: output, progress)
      }
      let realm = try readable.current(ofClass: request.classes?.first, jobs: request.jobs)
      let current = ReadableRealm.current(realm)
      guard let position = try classes(in: current).first else {
        return try write(
          current.source(objects, classes: []), objects, of: current, to: output, progress)
      }
      let keys = try keys(matching: condition, classPosition: position, in: realm)
      let source = KeyedSource(realm, objects, classPosition: position, keys: keys)
      return try write(source, objects, of: current, to: output, progress)
    }
  }

  /// The objects that the query finds, in the order of their keys, as in every export.
  private func keys(
    matching condition: String, classPosition: Int, in realm: Realm
  ) throws -> [ObjectKey] {
    let schema = realm.schema.objects
    let name = schema.classes[classPosition].name.text
    let query = try withText(condition, of: .condition) { (text) throws(QueryError) in
      try Query(text, ofClass: name, in: schema)
    }
    return try query.run(in: realm, jobs: request.jobs).keys.sorted { $0.raw < $1.raw }
  }

  /// The positions of the requested classes.
  ///
  /// - Throws: `noSuchClass` for a class that does not exist; `embeddedClass` for an embedded
  ///   class, whose objects are written as parts of others.
  private func classes(in realm: ReadableRealm) throws -> [Int] {
    let schema = realm.schema
    // The formats of the reference include internal tables, in the order of their slots.
    let all = request.format.isCore ? Array(schema.classes.indices) : schema.appClasses
    for name in request.classes ?? [] {
      let path = realm.snapshot.path
      guard let position = all.first(where: { schema.classes[$0].name.text == name }) else {
        throw RequestError(.noSuchClass(name), path: path)
      }
      guard schema.classes[position].kind != .embedded else {
        throw RequestError(.embeddedClass(name), path: path)
      }
    }
    return all.filter {
      schema.classes[$0].kind != .embedded
        && (request.classes?.contains(schema.classes[$0].name.text) ?? true)
    }
  }

  /// - Parameter objects: the request that the source was made with.
  private func write(
    _ source: some RealmObjectSource, _ objects: ObjectRequest, of realm: ReadableRealm,
    to output: ProvenOutput,
    _ progress: @escaping @Sendable (Int, Int) -> Void
  ) throws -> Report {
    let total = source.objectCount
    let report: @Sendable (Int) -> Void = { progress($0, total) }
    let schemaVersion = try realm.schemaVersion()
    let written: WrittenObjects
    switch request.format {
    case .text(let format):
      let head = RealmJSONHead(schemaVersion: schemaVersion, isPartial: request.classes != nil)
      written = try onRoad { () throws(RoadError<RealmFileError, RealmFileError>) in
        try format.write(source, head, jobs: request.jobs, to: output, progress: report)
      }
    case .sqlite:
      let database = try output.database()
      written = try onRoad { () throws(RoadError<RealmFileError, RealmFileError>) in
        try SQLiteExport.write(
          source, to: database, options: request.tables, schemaVersion: schemaVersion,
          hasUniqueKeys: objects.links == .identities, jobs: request.jobs, progress: report)
      }
    case .postgres:
      let script = try output.single()
      written = try onRoad { () throws(RoadError<RealmFileError, RealmFileError>) in
        try PostgresExport.write(
          source, to: script, schemaName: request.schemaName, acceptsLosses: request.acceptsLosses,
          hasUniqueKeys: objects.links == .identities, jobs: request.jobs, progress: report)
      }
      guard request.acceptsLosses || !written.losses.hasLostValues else {
        throw ExportLossError(losses: written.losses, path: realm.snapshot.path)
      }
    }
    if request.format == .text(.ejson) {
      try output.write(schema: source.classes, of: source.schema)
    }
    try output.publish()
    return Report(
      counts: written.counts.map { ($0.objectClass.name.text, $0.objects) },
      internalTables: request.format.isCore
        ? [] : realm.schema.classes.filter(\.isInternal).map(\.name.text),
      duplicateMembers: source.duplicateMembers, losses: written.losses)
  }

  /// Runs `body`, and throws the error of the source or the sink.
  private func onRoad(
    _ body: () throws(RoadError<RealmFileError, RealmFileError>) -> WrittenObjects
  ) throws(RealmFileError) -> WrittenObjects {
    do throws(RoadError<RealmFileError, RealmFileError>) {
      return try body()
    } catch {
      throw error.failure
    }
  }
}
