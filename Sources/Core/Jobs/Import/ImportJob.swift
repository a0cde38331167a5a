import RealmBuilding
public import RealmInterchange
import RealmModel
public import RealmStorage

/// Imports JSON or CSV into a new or existing realm.
///
/// Invariant: the realm appears, or changes, completely or not at all. Every link in it has a target.
public struct ImportJob: Sendable {
  public struct Request: Sendable {
    public var options = ImportOptions()
    /// If true, a link to an object that does not exist becomes null, and lists and sets lose it. If false, it is an
    /// error.
    public var nullsMissingLinks = false
    /// Number of threads.
    public var jobs = 1
    /// Maximum bytes of links and index entries in memory; the rest goes to an unlinked file.
    public var memoryByteCount = MemoryBudget.usualLimit
    /// The file format of the result.
    public var formats = FormatChoice()

    public init() {}
  }

  /// What to do if the realm already has an imported object: one with the same primary key, or with the same
  /// object key in a class without primary key.
  public enum Mode: String, Sendable, CaseIterable {
    /// Report an error.
    case insert
    /// Change the properties that the input gives, and keep the others.
    case upsert
    /// Replace the object; properties that the input lacks get their default values.
    case replace
  }

  /// An existing realm that gets the objects.
  public struct Target: Sendable {
    public var path: String
    /// Key of the realm, and of the result.
    public var key: RealmKey?
    public var mode: Mode
    /// Whether to keep the original beside the result.
    public var keepsBackup: Bool

    public init(path: String, key: RealmKey?, mode: Mode = .insert, keepsBackup: Bool = false) {
      (self.path, self.key, self.mode, self.keepsBackup) = (path, key, mode, keepsBackup)
    }
  }

  /// The realm that gets the objects.
  public enum Destination: Sendable {
    /// A new realm. If `replacing`, it may replace an existing file. Without a key it is not encrypted.
    case new(String, replacing: Bool, key: RealmKey?)
    case existing(Target)
  }

  /// The result, or what it would be without a dry run.
  public struct Report: Sendable {
    /// The objects of a class.
    public struct Count: Sendable {
      public var name: String
      /// Number of objects in the result.
      public var objects: Int
      /// Number of imported objects that are new in the realm; nil for a new realm, and for embedded classes.
      public var inserted: Int?
      /// Number of imported objects that the realm already had; nil for a new realm, and for embedded classes.
      public var updated: Int?
    }

    /// The input file.
    public var path: String
    /// Path of the realm.
    public var output: String
    /// In the order of the tables.
    public var counts: [Count]
    /// Bytes of the realm.
    public var byteCount: Int
    /// The schema version of the realm; nil if it has none.
    public var schemaVersion: UInt64?
    /// Number of members that were left out because the schema does not have them.
    public var ignoredMembers: Int
    /// Number of binaries that lost a subtype other than 00 and 04; realms store bytes without one.
    public var lostSubtypes: Int
    /// The properties that were left out because they link to classes that a partial export does not have, as
    /// `Class.property`.
    public var leftOutProperties: [String]
    /// The inferred schema in the notation of `schema show --format json`; nil if the input, the request or the
    /// realm has a schema.
    public var inferredSchema: [UInt8]?
    /// Path of the original, if it was kept.
    public var backup: String?
    /// Number of changesets that the client of a synced realm uploads for the import; nil for other realms.
    public var changesets: Int?
    public var isDryRun: Bool
    /// The file format of the realm before; nil for a new realm.
    public var formatBefore: Int?
    /// The file format of the result.
    public var formatAfter = 0
    /// What the upgrade of a realm of formats 2 to 9 left out; nil for later formats.
    public var legacy: LegacyLosses?
  }

  let path: String
  let destination: Destination
  let isDryRun: Bool
  let request: Request

  /// - Parameter path: the input file; `-` for standard input.
  public init(
    path: String, to destination: Destination, request: Request = Request(), isDryRun: Bool = false
  ) {
    (self.path, self.destination) = (path, destination)
    (self.request, self.isDryRun) = (request, isDryRun)
  }

  /// - Parameter progress: receives the number of objects done and the total; called from several threads, one at a
  ///   time.
  /// - Throws: ``ImportError`` for an error in the input; `syncedTarget`, `cannotSync`; `needsUpgrade`; `inUse`,
  ///   `outputExists` and the other errors of reading and writing a realm.
  public func run(
    progress: @escaping @Sendable (Int, Int) -> Void = { _, _ in }
  ) throws -> Report {
    switch destination {
    case .new(let output, let replacing, let key):
      try make(output, replacing: replacing, key: key, progress)
    case .existing(let target): try add(to: target, progress)
    }
  }

  private func make(
    _ output: String, replacing: Bool, key: RealmKey?,
    _ progress: @escaping @Sendable (Int, Int) -> Void
  ) throws -> Report {
    try request.formats.check()
    let lock = try isDryRun ? nil : TargetLock.take(output, .system)
    defer { withExtendedLifetime(lock) {} }
    if isDryRun { try RealmUse.checkIsFree(output) }
    guard replacing || !OutputFile.exists(output) else {
      throw RealmFileError(.outputExists, path: output)
    }
    let input = try open(request.options)
    guard !isDryRun else {
      return try make(
        input, into: try RealmOutput(.nowhere, key: key), key: key, progress)
    }
    let file = try OutputFile(
      path: output, replacing: replacing, isPrivate: key != nil, operations: .system)
    let report = try make(
      input, into: try RealmOutput(.file(file), key: key), key: key, progress)
    try file.publish()
    return report
  }

  private func make(
    _ input: ImportInput, into output: RealmOutput, key: RealmKey?,
    _ progress: @escaping @Sendable (Int, Int) -> Void
  ) throws -> Report {
    var building = building(input.schemaVersion)
    building.format = try request.formats.format(for: nil)
    return try writing(building.format, key: key, into: output) { output in
      guard !request.nullsMissingLinks else {
        return try merge(input, into: nil, key: key, MergeRequest(), building, output, progress)
      }
      let builder = RealmBuilder(into: output, building)
      return report(input, try build(input, builder, progress))
    }
  }

  /// Writes the realm, in the format 20 by way of an unlinked file.
  func writing(
    _ format: FileFormat, key: RealmKey?, into output: RealmOutput,
    _ body: (RealmOutput) throws -> Report
  ) throws -> Report {
    guard format.primaryKeys == .hashed else { return try body(output) }
    var report: Report?
    let size = try HashedKeyRebuild(format: format, key: key).write(into: output) { output in
      let made = try body(output)
      report = made
      return made.byteCount
    }
    guard var report else { throw RealmFileError(.unsupported("an empty result"), path: realmPath) }
    report.byteCount = size
    return report
  }

  // MARK: New and existing realms

  func open(_ options: ImportOptions) throws -> ImportInput {
    var options = options
    if case .existing = destination { options.isStaged = true }
    if request.nullsMissingLinks { (options.isStaged, options.nullsMissingLinks) = (true, true) }
    return try ImportInput(path: path, options, jobs: request.jobs)
  }

  func building(_ version: UInt64?) -> RealmBuilder.Request {
    var building = RealmBuilder.Request()
    building.schemaVersion = version
    building.memoryByteCount = request.memoryByteCount
    building.jobs = request.jobs
    building.errorLimit = request.options.errorLimit
    return building
  }

  /// Builds a realm from the objects of the input.
  func build(
    _ input: ImportInput, _ builder: RealmBuilder,
    _ progress: @escaping @Sendable (Int, Int) -> Void
  ) throws -> RealmBuilder.Report {
    let total = input.source.objectCount
    do throws(RoadError<ImportError, BuildError>) {
      return try ObjectRoad(from: input.source, to: builder, jobs: request.jobs).run {
        progress($0, total)
      }
    } catch {
      switch error {
      case .source(let error): throw error
      case .sink(let error): throw explained(error, input)
      }
    }
  }

  func explained(_ error: BuildError, _ input: ImportInput) -> any Error {
    if case .file(let error) = error.kind { return error.adding(path: realmPath) }
    return input.source.explain(error)
  }

  /// Path of the realm.
  var realmPath: String {
    switch destination {
    case .new(let path, _, _): path
    case .existing(let target): target.path
    }
  }

  func report(_ input: ImportInput, _ built: RealmBuilder.Report) -> Report {
    Report(
      path: path, output: realmPath,
      counts: built.counts.map {
        Report.Count(name: $0.objectClass.name.text, objects: $0.objects)
      },
      byteCount: built.byteCount, schemaVersion: input.schemaVersion,
      ignoredMembers: input.source.ignoredMembers, lostSubtypes: input.source.lostSubtypes,
      leftOutProperties: input.leftOutProperties,
      inferredSchema: input.isInferred ? input.schemaDocument : nil, isDryRun: isDryRun,
      formatAfter: built.format.number)
  }
}
