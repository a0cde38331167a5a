public import RealmInterchange
import RealmModel
public import RealmStorage

/// Writes the objects of a realm as text, from one consistent version, even while other processes write
/// to the file.
public struct ExportJob: Sendable {
  /// What to write.
  public struct Request: Sendable {
    public var format: ObjectTextFormat
    /// Names of classes; nil for all.
    public var classes: [String]?
    /// Number of threads.
    public var jobs: Int

    public init(format: ObjectTextFormat, classes: [String]? = nil, jobs: Int = 1) {
      self.format = format
      self.classes = classes
      self.jobs = jobs
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
  }

  public let request: Request

  public init(_ request: Request) { self.request = request }

  /// Runs the export, and publishes the sink.
  ///
  /// - Parameters:
  ///   - open: opens the realm, with the given access.
  ///   - makeSink: makes the sink for the text of the snapshot. Called again if the export starts
  ///     again; the first sink is then dropped.
  ///   - canStartAnew: false if written text cannot be taken back, for example on standard output.
  ///   - progress: receives the number of objects done and the total, from changing threads, one at
  ///     a time.
  /// - Throws: the errors of `open` and `makeSink`; `noSuchClass`, `embeddedClass`; `damaged`;
  ///   `changedWhileReading` if the realm changed after text was written that cannot be taken back;
  ///   the errors of the sink.
  public func run(
    open: (Snapshot.Access) throws(JobError) -> Snapshot,
    makeSink: (Snapshot) throws(JobError) -> any OutputSink,
    canStartAnew: Bool,
    progress: @escaping @Sendable (Int, Int) -> Void
  ) throws(JobError) -> Report {
    let first = try open(.whole)
    let proven = ProvenSink(try makeSink(first), for: first)
    do throws(JobError) {
      return try write(first, to: proven, progress)
    } catch {
      guard error.fileKind == .changedWhileReading, canStartAnew || !proven.hasWritten else {
        throw error
      }
    }
    let copy = try open(.copied)
    return try write(copy, to: ProvenSink(try makeSink(copy), for: copy), progress)
  }

  private func write(
    _ snapshot: Snapshot, to sink: ProvenSink, _ progress: @escaping @Sendable (Int, Int) -> Void
  ) throws(JobError) -> Report {
    do throws(JobError) {
      let realm = try inJob(Realm(snapshot))
      let source = try source(of: realm)
      return try inJob(write(source, of: realm, to: sink, progress))
    } catch {
      guard let kind = error.fileKind, kind != .brokenPipe else { throw error }
      // Apparent damage may be a change or truncation by another process.
      try inJob(snapshot.prove())
      throw error.adding(path: snapshot.path)
    }
  }

  /// The source of the requested objects.
  ///
  /// - Throws: `noSuchClass` for a class that does not exist; `embeddedClass` for an embedded
  ///   class, whose objects are written as parts of others.
  private func source(of realm: Realm) throws(JobError) -> RealmSource {
    var objects = ObjectRequest()
    objects.normalization = request.format.normalization
    let schema = realm.schema.objects
    // The texts of the reference include internal tables, in the order of their slots.
    let all = request.format.isCore ? Array(schema.classes.indices) : schema.appClasses
    for name in request.classes ?? [] {
      let path = realm.snapshot.path
      guard let position = all.first(where: { schema.classes[$0].name.text == name }) else {
        throw .request(RequestError(.noSuchClass(name), path: path))
      }
      guard schema.classes[position].kind != .embedded else {
        throw .request(RequestError(.embeddedClass(name), path: path))
      }
    }
    let wanted = all.filter {
      schema.classes[$0].kind != .embedded
        && (request.classes?.contains(schema.classes[$0].name.text) ?? true)
    }
    return RealmSource(realm, objects, classes: wanted)
  }

  private func write(
    _ source: RealmSource, of realm: Realm, to sink: ProvenSink,
    _ progress: @escaping @Sendable (Int, Int) -> Void
  ) throws(RealmFileError) -> Report {
    let head = RealmJSONHead(
      schemaVersion: try realm.schemaVersion(), isPartial: request.classes != nil)
    let total = source.objectCount
    let counts: [(objectClass: ObjectClass, objects: Int)]
    do throws(RoadError<RealmFileError, RealmFileError>) {
      counts = try request.format.write(source, head, jobs: request.jobs, to: sink) {
        progress($0, total)
      }
    } catch {
      throw error.failure
    }
    try sink.publish()
    return Report(
      counts: counts.map { ($0.objectClass.name.text, $0.objects) },
      internalTables: request.format.isCore
        ? [] : realm.schema.tables.filter { !$0.isClass }.map(\.name.text),
      duplicateMembers: source.duplicateMembers)
  }
}
