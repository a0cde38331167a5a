public import RealmInterchange
public import RealmStorage

/// Writes the objects of a realm as text, from one consistent version, whatever other processes do
/// to the file meanwhile.
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
    /// Tables without the prefix of a class, which hold no data of users and were left out.
    public var internalTables: [String]
    /// Members of sets left out because a set of an old format held them twice.
    public var duplicateMembers: Int
  }

  public let request: Request

  public init(_ request: Request) { self.request = request }

  /// Runs the export.
  ///
  /// - Parameters:
  ///   - open: opens the realm, with the access that is asked for.
  ///   - makeSink: makes the place where the text goes, from the snapshot that is written. Called
  ///     again where the text must be started anew, for which the sink made before is dropped.
  ///   - canStartAnew: false where what was written cannot be taken back, as on standard output.
  ///   - progress: told the objects done and in all, from changing threads, one at a time.
  /// - Returns: the report, and the sink, which is not published yet.
  /// - Throws: what `open` and `makeSink` throw; `noSuchClass`; `damaged`; `changedWhileReading`
  ///   where the realm changed after text was written that cannot be taken back; the errors of the
  ///   sink.
  public func run(
    open: (Snapshot.Access) throws -> Snapshot,
    makeSink: (Snapshot) throws -> any OutputSink,
    canStartAnew: Bool,
    progress: @escaping @Sendable (Int, Int) -> Void
  ) throws -> (report: Report, sink: any OutputSink) {
    let first = try open(.whole)
    let attempt = Attempt(try makeSink(first))
    do {
      return (try write(first, to: attempt, progress), attempt.sink)
    } catch
      where error.kind == .changedWhileReading && (canStartAnew || !attempt.hasWritten)
    {
      let copy = try open(.copied)
      let second = Attempt(try makeSink(copy))
      return (try write(copy, to: second, progress), second.sink)
    }
  }

  private func write(
    _ snapshot: Snapshot, to attempt: Attempt, _ progress: @escaping @Sendable (Int, Int) -> Void
  ) throws(RealmFileError) -> Report {
    do throws(RealmFileError) {
      let realm = try Realm(snapshot)
      let export = try ObjectExport(realm, format: request.format, classes: request.classes)
      let total = export.objectCount
      let report = try export.run(jobs: request.jobs) { (text) throws(RealmFileError) in
        // Everything in the text was read before this moment: proven now, it is the version's.
        try snapshot.prove()
        try attempt.write(text)
      } progress: {
        progress($0, total)
      }
      return self.report(report, of: realm)
    } catch {
      switch error.kind {
      case .brokenPipe, .noSuchClass: throw error
      default: break
      }
      // What looks like damage may be a realm that changed, or was cut, under the reader.
      try snapshot.prove()
      throw error.adding(path: snapshot.path)
    }
  }

  private func report(_ report: ObjectExport.Report, of realm: Realm) -> Report {
    Report(
      counts: report.counts.map { ($0.table.className.text, $0.objects) },
      internalTables: request.format.isCore
        ? [] : realm.schema.tables.filter { !$0.isClass }.map(\.name.text),
      duplicateMembers: report.duplicateMembers)
  }

  /// A sink and whether anything went into it, for threads that use it one at a time.
  private final class Attempt: @unchecked Sendable {
    let sink: any OutputSink
    private(set) var hasWritten = false

    init(_ sink: any OutputSink) { self.sink = sink }

    func write(_ text: borrowing TextBuffer) throws(RealmFileError) {
      guard !text.isEmpty else { return }
      hasWritten = true
      try text.flush(to: sink)
    }
  }
}
