public import RealmInterchange
import RealmModel
public import RealmStorage

/// Makes a new realm from a text.
///
/// Invariant: the realm appears when every object is in it and every link leads somewhere, or not at all.
public struct ImportJob: Sendable {
  public struct Request: Sendable {
    public var options = ImportOptions()
    /// Key of the result; nil for one that is not encrypted.
    public var newKey: RealmKey?
    /// Number of threads.
    public var jobs = 1
    /// Bytes of links and entries of indexes that are kept in memory.
    public var memoryByteCount = 256 << 20

    public init() {}
  }

  /// What was made, or would be in a dry run.
  public struct Report: Sendable {
    /// The text that was read.
    public var path: String
    /// Path of the realm.
    public var output: String
    /// Objects of each class, in the order of the tables.
    public var counts: [(name: String, objects: Int)]
    /// Bytes of the realm.
    public var byteCount: Int
    /// The schema version of the realm; nil if the text states none.
    public var schemaVersion: UInt64?
    /// Members that were left out because the schema does not know them.
    public var ignoredMembers: Int
    /// The schema that was inferred, in the notation of `schema show --format json`; nil if the text has one,
    /// or the request.
    public var inferredSchema: [UInt8]?
    public var isDryRun: Bool
  }

  private let path: String
  private let output: String
  private let replacing: Bool
  private let isDryRun: Bool
  private let request: Request

  /// - Parameters:
  ///   - path: the text; `-` for standard input.
  ///   - output: where the realm goes.
  ///   - replacing: whether a file that exists is replaced.
  public init(
    path: String, output: String, replacing: Bool = false, request: Request = Request(),
    isDryRun: Bool = false
  ) {
    (self.path, self.output, self.replacing) = (path, output, replacing)
    (self.request, self.isDryRun) = (request, isDryRun)
  }

  /// - Parameter progress: gets the objects done and the total, from changing threads, one at a time.
  /// - Throws: `text` for what is wrong with the text; `inUse`, `outputExists` and the other errors of writing a
  ///   realm.
  public func run(
    progress: @escaping @Sendable (Int, Int) -> Void = { _, _ in }
  ) throws(JobError) -> Report {
    let lock = try inJob(isDryRun ? nil : TargetLock.take(output, .system))
    defer { withExtendedLifetime(lock) {} }
    if isDryRun { try inJob(RealmUse.checkIsFree(output)) }
    guard replacing || !OutputFile.exists(output) else {
      throw .file(RealmFileError(.outputExists, path: output))
    }
    let text: ImportText
    do throws(ImportError) {
      text = try ImportText(path: path, request.options, jobs: request.jobs)
    } catch {
      throw .text(error)
    }
    var building = RealmBuilder.Request()
    building.schemaVersion = text.schemaVersion
    building.memoryByteCount = request.memoryByteCount
    building.jobs = request.jobs
    guard !isDryRun else {
      let output = try inJob(RealmOutput(.nowhere, key: request.newKey))
      return try build(text, RealmBuilder(into: output, building), progress)
    }
    let file = try inJob(
      OutputFile(path: output, replacing: replacing, isPrivate: request.newKey != nil))
    let sink = try inJob(RealmOutput(.file(file), key: request.newKey))
    let report = try build(text, RealmBuilder(into: sink, building), progress)
    try inJob(file.publish())
    return report
  }

  private func build(
    _ text: ImportText, _ builder: RealmBuilder,
    _ progress: @escaping @Sendable (Int, Int) -> Void
  ) throws(JobError) -> Report {
    let source = text.source
    let total = source.objectCount
    let built: RealmBuilder.Report
    do throws(RoadError<ImportError, BuildError>) {
      built = try ObjectRoad(from: source, to: builder, jobs: request.jobs).run {
        progress($0, total)
      }
    } catch {
      switch error {
      case .source(let error): throw .text(error)
      case .sink(let error):
        if case .file(let error) = error.kind { throw .file(error.adding(path: output)) }
        throw .text(source.explain(error))
      }
    }
    return Report(
      path: path, output: output,
      counts: built.counts.map { ($0.objectClass.name.text, $0.objects) },
      byteCount: built.byteCount, schemaVersion: text.schemaVersion,
      ignoredMembers: source.ignoredMembers,
      inferredSchema: text.isInferred ? text.schemaDocument : nil, isDryRun: isDryRun)
  }
}
