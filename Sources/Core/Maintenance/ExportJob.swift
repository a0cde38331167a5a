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

  /// What was written.
  public struct Report: Sendable {
    /// Objects of each class, in the order of the document.
    public var counts: [(name: String, objects: Int)]
    /// Internal tables, which were left out.
    public var internalTables: [String]
    /// Number of members of sets that were left out because they equal another one: old formats and sets
    /// with NaN have them.
    public var duplicateMembers: Int
  }

  public let request: Request

  public init(_ request: Request) { self.request = request }

  /// Runs the export, and publishes the sink.
  ///
  /// - Parameters:
  ///   - open: opens the realm, with the given access.
  ///   - makeSink: makes the sink for the text of the snapshot. Called again if the text must start
  ///     again; the first sink is then dropped.
  ///   - canStartAnew: false if written text cannot be taken back, as on standard output.
  ///   - progress: gets the objects done and the total, from changing threads, one at a time.
  /// - Throws: what `open` and `makeSink` throw; `noSuchClass`, `embeddedClass`; `damaged`; `changedWhileReading`
  ///   if the realm changed after text was written that cannot be taken back; the errors of the sink.
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
      let tables = try tables(of: realm)
      return try inJob(write(tables, of: realm, to: sink, progress))
    } catch {
      guard let kind = error.fileKind, kind != .brokenPipe else { throw error }
      // What looks like damage may be a realm that another process changed or cut.
      try inJob(snapshot.prove())
      throw error.adding(path: snapshot.path)
    }
  }

  /// The tables of the classes that are asked for; nil for all.
  private func tables(of realm: Realm) throws(JobError) -> [Table]? {
    guard let classes = request.classes else { return nil }
    let all = ObjectExport.tables(of: realm.schema, format: request.format)
    for name in classes {
      let path = realm.snapshot.path
      guard let table = all.first(where: { $0.className.text == name }) else {
        throw .request(RequestError(.noSuchClass(name), path: path))
      }
      guard table.kind != .embedded else {
        throw .request(RequestError(.embeddedClass(name), path: path))
      }
    }
    return all.filter { classes.contains($0.className.text) }
  }

  private func write(
    _ tables: [Table]?, of realm: Realm, to sink: ProvenSink,
    _ progress: @escaping @Sendable (Int, Int) -> Void
  ) throws(RealmFileError) -> Report {
    let export = try ObjectExport(realm, format: request.format, tables: tables)
    let total = export.objectCount
    let report = try export.run(jobs: request.jobs, into: sink) { progress($0, total) }
    try sink.publish()
    return self.report(report, of: realm)
  }

  private func report(_ report: ObjectExport.Report, of realm: Realm) -> Report {
    Report(
      counts: report.counts.map { ($0.table.className.text, $0.objects) },
      internalTables: request.format.isCore
        ? [] : realm.schema.tables.filter { !$0.isClass }.map(\.name.text),
      duplicateMembers: report.duplicateMembers)
  }
}
