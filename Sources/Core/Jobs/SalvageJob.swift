import RealmBuilding
import RealmInterchange
public import RealmSalvage
public import RealmStorage
import RealmSync

/// Recovers everything readable from a damaged realm into a new one.
///
/// 1. `SalvageRootSearch` finds the versions in the file and selects one.
/// 2. If no node of it is damaged, `ContradictionSearch` asks the rules of `verify` whether values can be wrong. If not,
///    nothing in the version is doubted. Otherwise the search looks for signs of damage.
/// 3. `SalvageReading` opens that version as a copy in which damaged nodes are unreadable and
///    recovered ones are in place.
/// 4. The objects of the copy go into a new realm: `SalvageSource` leaves out what cannot be read.
/// 5. `SalvageReport` says what was recovered and what is lost.
public struct SalvageJob: Sendable {
  /// Where the result goes.
  public enum Destination: Sendable {
    /// A new realm.
    case realm(String, replacing: Bool)
    /// Realm JSON, one object per line.
    case lines(@Sendable () throws(RealmFileError) -> any OutputSink)
  }

  /// The most attempts to build the realm. Each leaves out the values that the builder refused in earlier
  /// ones.
  private static let attemptLimit = 24

  private let request: SalvageRequest
  private let formats: FormatChoice

  /// - Parameter formats: the file format of the result.
  public init(_ request: SalvageRequest, formats: FormatChoice = FormatChoice()) {
    (self.request, self.formats) = (request, formats)
  }

  /// Lists the versions in the file; nothing is written.
  ///
  /// - Throws: the errors of ``run(to:progress:)`` except those of writing.
  public func listRoots() throws -> SalvageReport {
    var search = try SalvageRootSearch(request)
    let chosen = try search.choose()
    // Even if no version can be read, the list shows what there is.
    guard chosen != nil || request.version == .newest else { throw noVersion(in: search) }
    return try SalvageReport(listing: search, chosen)
  }

  /// Recovers the objects.
  ///
  /// - Parameter progress: receives the number of pieces or objects done and the total, on any thread.
  /// - Throws: `formatNotWritten`; `empty`, `neverCommitted`, `notARealm`, `keyMissing`, `wrongKey`, `notEncrypted`,
  ///   `newerFormat` or `oldFormat` if there is nothing to look for in the file; `halfUpgraded`;
  ///   `noOlderValues` for a realm of formats 2 to 9 if older versions are requested; `noPreviousVersion` or `noRoot` if the requested version is not
  ///   there; `nothingToSave` if nothing can be read; `inUse`; `outputExists` and the other errors
  ///   of writing a realm.
  public func run(
    to destination: Destination, progress: @escaping @Sendable (Int, Int) -> Void = { _, _ in }
  ) throws -> SalvageReport {
    do {
      return try salvage(to: destination, progress)
    } catch {
      throw error.adding(path: request.path)
    }
  }

  private func salvage(
    to destination: Destination, _ progress: @escaping @Sendable (Int, Int) -> Void
  ) throws -> SalvageReport {
    if case .realm(let output, let replacing) = destination {
      try RealmUse.checkIsFree(output)
      guard replacing || !OutputFile.exists(output) else {
        throw RealmFileError(.outputExists, path: output)
      }
    }
    let (search, chosen, contradictions) = try choose(progress)
    guard !chosen.root.isLegacy || !request.needsOlderVersions else {
      throw RequestError(.noOlderValues(format: chosen.root.format), path: request.path)
    }
    let format = try format(after: chosen.root, destination)
    let reading = try SalvageReading(search, chosen, contradictions)
    var report = SalvageReport(reading)
    report.wasSynced = HistoryKind(rawValue: chosen.root.historyType) == .syncClient
    switch destination {
    case .realm(let path, let replacing):
      report.output = path
      let lock = try TargetLock.take(path, .system)
      defer { withExtendedLifetime(lock) {} }
      let isPrivate = search.file.isEncrypted || OutputFile.isPrivate(request.path)
      let output = try build(reading, format, &report, progress) {
        try OutputFile(
          path: path, replacing: replacing, isPrivate: isPrivate, operations: .system)
      }
      if let fault = search.file.readFault { throw fault }
      try output.publish()
    case .lines(let open):
      let built = try build(reading, format, &report, progress) {
        try OutputFile(unlinkedBy: .system)
      }
      report.formatAfter = nil
      if let fault = search.file.readFault { throw fault }
      try write(built, to: open)
    }
    return report
  }

  /// The file format of the realm that is built.
  private func format(
    after root: SalvageRoot, _ destination: Destination
  ) throws -> FileFormat {
    switch destination {
    case .realm: try formats.format(of: FileFormat(root.format), path: request.path)
    case .lines: .current
    }
  }

  /// The version to read, and the rules that it breaks although each of its nodes can be read.
  private func choose(
    _ progress: @escaping @Sendable (Int, Int) -> Void
  ) throws -> (SalvageRootSearch, SalvageRootSearch.Candidate, SalvageReading.Contradictions) {
    var search = try SalvageRootSearch(request)
    func contradictions(in stored: Snapshot?) throws -> SalvageReading.Contradictions? {
      guard let stored else { return nil }
      return try ContradictionSearch.run(in: stored, jobs: request.jobs, progress)
    }
    if var chosen = try search.choose(), let stored = try search.stored(chosen),
      let found = try contradictions(in: stored), found.count == 0,
      try search.hasWholeNames(chosen, stored)
    {
      chosen.isSound = true
      return (search, chosen, found)
    }
    search = try search.doubting()
    guard let chosen = try search.choose() else { throw noVersion(in: search) }
    let found = try contradictions(in: try search.stored(chosen))
    return (search, chosen, found ?? SalvageReading.Contradictions())
  }

  /// The error if the file has no version that fits the request.
  private func noVersion(in search: SalvageRootSearch) -> any Error {
    switch request.version {
    case .newest:
      search.file.foreignContent.map {
        RealmFileError(.notARealm, path: request.path, found: $0)
      }
        ?? RealmFileError(
          .nothingToSave("the tables of no version can be read"), path: request.path)
    case .previous: RealmFileError(.noPreviousVersion, path: request.path)
    case .offset(let offset): RequestError(.noRoot(offset), path: request.path)
    }
  }

  /// Writes the realm in `file` as lines of JSON.
  private func write(
    _ file: OutputFile, to open: @escaping () throws(RealmFileError) -> any OutputSink
  ) throws {
    _ = try ExportJob(ExportJob.Request(format: .text(.ndjson), jobs: request.jobs)).run(
      open: { _ in try Snapshot(unlinked: file, key: request.key) },
      makeOutput: { _ in .text(try open()) }, canStartOver: true, progress: { _, _ in })
  }

  /// Builds the realm. If the builder refuses something, builds it again without that.
  private func build(
    _ reading: SalvageReading, _ format: FileFormat, _ report: inout SalvageReport,
    _ progress: @escaping (Int, Int) -> Void, _ makeFile: () throws -> OutputFile
  ) throws -> OutputFile {
    var selection = try SalvageSelection(reading, jobs: request.jobs)
    var building = RealmBuilder.Request()
    (building.jobs, building.schemaVersion) = (request.jobs, reading.schemaVersion)
    building.format = format
    building.platform = try reading.platform(for: format)
    var attempt = 1
    while true {
      let source = selection.source
      let file = try makeFile()
      var built: RealmBuilder.Report?
      do {
        report.byteCount = try write(
          ObjectRebuild(from: source, building) { built = $0 }, building.format,
          into: try RealmOutput(.file(file), key: request.key), progress)
      } catch let failure as RebuildError {
        if case .unsupported = failure.error.kind {
          // Damage can make more of values than their format can hold.
          guard formats.number == nil, building.format != .current else { throw failure }
          building.format = .current
          continue
        }
        guard attempt < SalvageJob.attemptLimit,
          selection.leaveOut(failure.error, source, &report)
        else { throw failure }
        attempt += 1
        continue
      }
      report.formatAfter = building.format.number
      if let built { try report.add(source, built, reading) }
      return file
    }
  }

  /// - Returns: the size of the realm in bytes.
  private func write(
    _ rebuild: ObjectRebuild, _ format: FileFormat, into output: RealmOutput,
    _ progress: @escaping (Int, Int) -> Void
  ) throws -> Int {
    guard format.primaryKeys == .hashed else { return try rebuild.write(into: output, progress) }
    return try HashedKeyRebuild(format: format, key: request.key).write(into: output) {
      try rebuild.write(into: $0, progress)
    }
  }
}
