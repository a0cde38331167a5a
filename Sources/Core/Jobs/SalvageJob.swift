import RealmBuilding
import RealmInterchange
import RealmModel
public import RealmSalvage
public import RealmStorage
import RealmSync

/// Makes a new realm of all that can still be read in a damaged one.
///
/// 1. `DamagedFile` gives the bytes, decrypted page by page. `SalvageRoots` finds the versions, `BitRepair`
///    flipped bits of the newest one.
/// 2. `DamageWalk` finds out which nodes of the chosen version can be trusted.
/// 3. `SalvageImage` is a copy of the file that can be opened, in which the other nodes are unreadable.
///    `SalvageReading` makes it, with new nodes for lost ones, and finds what older versions have.
/// 4. The objects of the copy take the object road into a new realm: `SalvageSource` leaves out what cannot be
///    read, and tells of it.
public struct SalvageJob: Sendable {
  /// Where the result goes.
  public enum Destination: Sendable {
    /// A new realm.
    case realm(String, replacing: Bool)
    /// Realm JSON, one object a line.
    case lines(@Sendable () throws(RealmFileError) -> any OutputSink)
  }

  /// Values that the new realm refuses are left out one after another, this many times.
  private static let attemptLimit = 24

  private let request: SalvageRequest

  public init(_ request: SalvageRequest) { self.request = request }

  // MARK: Roots

  /// Lists the roots; nothing is written.
  ///
  /// - Throws: the errors of ``run(to:progress:)`` but those of writing.
  public func listRoots() throws -> SalvageReport {
    let file = try open()
    var search = try SalvageRootSearch(file)
    var report = report(on: file, search)
    // Without a readable version, the list still shows what there is.
    var chosen =
      if request.version == .newest { try search.best() } else { try choose(search) }
    if var known = chosen {
      try search.settleFormat(&known)
      chosen = known
    }
    report.roots = try search.candidates().map { candidate in
      var root = candidate.summary
      root.isChosen = root.offset == chosen?.root.ref && chosen?.root.origin != .rebuilt
      return root
    }
    if let chosen, chosen.root.origin == .rebuilt {
      var root = chosen.summary
      root.isChosen = true
      report.roots.insert(root, at: 0)
    }
    return report
  }

  private func open() throws(RealmFileError) -> DamagedFile {
    try DamagedFile(path: request.path, key: request.key, cacheByteCount: request.cacheByteCount)
  }

  private func report(on file: DamagedFile, _ search: SalvageRootSearch) -> SalvageReport {
    var report = SalvageReport(
      path: file.path, fileByteCount: file.fileByteCount, isEncrypted: file.isEncrypted)
    report.headerProblems = search.roots.headerProblems
    (report.cutOffRoot, report.dataByteCount) = (search.roots.cutOffRoot, file.byteCount)
    return report
  }

  /// - Throws: `noPreviousVersion`; `noRoot`; `notARealm` or `nothingToSave` if no version can be read.
  private func choose(
    _ search: SalvageRootSearch
  ) throws -> SalvageRootSearch.Candidate {
    switch request.version {
    case .newest:
      guard let best = try search.best() else {
        throw search.file.foreignContent.map {
          RealmFileError(.notARealm, path: request.path, found: $0)
        }
          ?? RealmFileError(
            .nothingToSave("the tables of no version can be read"), path: request.path)
      }
      return best
    case .previous:
      guard let best = try search.best(),
        let previous = search.roots.roots.first(where: { $0.version < best.root.version })
      else { throw RealmFileError(.noPreviousVersion, path: request.path) }
      return try search.candidate(previous)
    case .offset(let offset):
      guard let root = search.roots.roots.first(where: { $0.ref == offset }) else {
        throw RequestError(.noRoot(offset), path: request.path)
      }
      return try search.candidate(root)
    }
  }

  // MARK: The result

  /// - Parameter progress: receives the number of objects done and the total.
  /// - Throws: `empty`, `neverCommitted`, `notARealm`, `keyMissing`, `wrongKey`, `notEncrypted`, `newerFormat`, `oldFormat` for a file
  ///   in which nothing can be looked for; `legacyFormat` for a realm of formats 2 to 9; `nothingToSave` if
  ///   nothing can be read; `inUse`; `outputExists` and the other errors of writing a realm.
  public func run(
    to destination: Destination, progress: @escaping (Int, Int) -> Void = { _, _ in }
  ) throws -> SalvageReport {
    do {
      return try salvage(to: destination, progress)
    } catch {
      throw error.adding(path: request.path)
    }
  }

  private func salvage(
    to destination: Destination, _ progress: @escaping (Int, Int) -> Void
  ) throws -> SalvageReport {
    if case .realm(let output, let replacing) = destination {
      try RealmUse.checkIsFree(output)
      guard replacing || !OutputFile.exists(output) else {
        throw RealmFileError(.outputExists, path: output)
      }
    }
    var search = try SalvageRootSearch(open())
    if request.version == .newest { search = try search.corrected() }
    let file = search.file
    var chosen = try choose(search)
    try search.settleFormat(&chosen)
    guard !FileHeader.legacyFormats.contains(chosen.root.format) else {
      throw RealmFileError(.legacyFormat(chosen.root.format))
    }
    var report = report(on: file, search)
    report.correctedBits = search.flips.map { ($0.offset, $0.bit) }
    if request.version != .newest { report.cutOffRoot = nil }
    // A version that was asked for is no substitute.
    if request.version == .newest, chosen.root.origin != .rebuilt {
      report.isNewestLost = search.isOlder(chosen.root)
      report.isNewestUnknown = !report.isNewestLost && !search.isNewestKnown
    }
    var root = chosen.summary
    root.isChosen = true
    report.roots = [root]
    report.wasSynced = HistoryKind(rawValue: chosen.root.historyType) == .syncClient
    let reading = try SalvageReading(search, chosen, request)
    report.add(reading)
    switch destination {
    case .realm(let path, let replacing):
      report.output = path
      let lock = try TargetLock.take(path, .system)
      defer { withExtendedLifetime(lock) {} }
      let isPrivate = file.isEncrypted || OutputFile.isPrivate(request.path)
      let output = try build(reading, &report, progress) {
        () throws(RealmFileError) in
        try OutputFile(path: path, replacing: replacing, isPrivate: isPrivate)
      }
      if let fault = file.readFault { throw fault }
      try output.publish()
    case .lines(let open):
      let built = try build(reading, &report, progress) {
        () throws(RealmFileError) in
        try OutputFile(unlinkedBy: .system)
      }
      if let fault = file.readFault { throw fault }
      try write(built, to: open)
    }
    report.addLostNames(reading)
    return report
  }

  /// Writes the lines of the realm in `file`.
  private func write(
    _ file: OutputFile, to open: @escaping () throws(RealmFileError) -> any OutputSink
  ) throws {
    _ = try ExportJob(ExportJob.Request(format: .text(.ndjson), jobs: request.jobs)).run(
      open: { _ in try Snapshot(unlinked: file, key: request.key) },
      makeOutput: { _ in
        let sink = try open()
        return .text(sink)
      }, canStartAnew: true,
      progress: { _, _ in })
  }

  /// Builds the realm. What it refuses is taken for lost, and it is built again.
  private func build(
    _ reading: SalvageReading, _ report: inout SalvageReport,
    _ progress: @escaping (Int, Int) -> Void, _ makeFile: () throws(RealmFileError) -> OutputFile
  ) throws -> OutputFile {
    let (salvaged, isDamaged) = (reading.salvaged, reading.isDamaged)
    var keys = try SalvageKeys(salvaged, isDamaged: isDamaged, jobs: request.jobs)
    var refused: [SalvageSource.RefusedValue] = []
    var older = reading.older
    var building = RealmBuilder.Request()
    building.jobs = request.jobs
    var lostVersion: Finding?
    do throws(RealmFileError) {
      building.schemaVersion = try salvaged.realm.schemaVersion()
    } catch {
      guard let finding = Finding(error) else { throw error }
      lostVersion = finding
    }
    var last: (any Error)?
    for _ in 0..<SalvageJob.attemptLimit {
      let source = SalvageSource(
        salvaged, isDamaged: isDamaged, keys, older: older, refused: refused)
      let file = try makeFile()
      let output = try RealmOutput(.file(file), key: request.key)
      var built: RealmBuilder.Report?
      do {
        report.byteCount = try ObjectRebuild(from: source, building) { built = $0 }
          .write(into: output, progress)
      } catch let failure as RebuildError {
        last = failure
        if report.leaveOutFreed(failure.error, source, &older) { continue }
        guard SalvageRefusal.note(failure.error, salvaged, &keys, &refused) else { throw failure }
        continue
      }
      if let built { try report.add(source, built, reading) }
      if let lostVersion { report.add(lostVersion) }
      if let table = salvaged.tableOfNoClass, !report.wasSynced {
        throw RealmFileError(
          .nothingToSave(
            "there is no class: the name of table \(table.name.text), which has \(table.objectCount) objects, does not "
              + "begin with class_"))
      }
      guard report.objectCount > 0 || report.isComplete else {
        throw RealmFileError(.nothingToSave("no object of any class can be read"))
      }
      return file
    }
    throw last ?? RealmFileError(.nothingToSave("nothing can be read"))
  }
}
