import Foundation
import RealmBuilding
import RealmInterchange
import RealmJobs
import RealmModel
import RealmSalvage
import RealmStorage
import RealmVerify
import TestSupport

/// Makes and reads mutations in this process.
struct Worker {
  private let options: FuzzOptions
  /// The mutated realms or queries; empty for imports.
  private let inputs: [(name: String, bytes: [UInt8])]
  /// The exports to mutate and import.
  private let exports: [ImportInput]
  private let key: RealmKey?
  /// The queries and their realm, if queries are mutated.
  private let queries: Queries?

  init(_ options: FuzzOptions) throws {
    self.options = options
    let key = try options.key.map { path throws(KeyError) in try KeyFile.read(path).key }
    self.key = key
    queries = options.isQuerying ? try Queries(options.realms[0], key: key) : nil
    guard !options.isImporting else {
      inputs = []
      exports = try options.realms.flatMap { try ImportInput.exports(of: $0, key: key) }
      return
    }
    exports = []
    inputs =
      try queries?.texts
      ?? options.realms.map {
        (
          URL(fileURLWithPath: $0).lastPathComponent,
          try readFile($0)
        )
      }
  }

  /// Runs all mutations; ends the process at the first one that fails.
  func run() throws {
    let folder = try TemporaryFolder()
    Watchdog.install()
    // The file does not cause the initial memory of the process.
    _ = try read(options.first, isMutated: false, in: folder)
    let ordinary = Watchdog.peakByteCount
    // The peak is that of the process: an input may leave a peak that is too high for a smaller input after it.
    var allowed = 0
    for seed in options.first..<(options.first + options.mutations) {
      let (name, byteCount) = try read(seed, isMutated: true, in: folder)
      guard options.megabytes > 0 else { continue }
      let growth = (Watchdog.peakByteCount - ordinary) >> 20
      allowed = max(allowed, options.megabytes + byteCount >> 19)
      guard growth <= allowed else {
        FileHandle.standardError.write(
          Data("seed \(seed) (\(name)) takes \(growth) MB of memory\n".utf8))
        exit(1)
      }
    }
    withExtendedLifetime(folder) {}
  }

  /// Reads one of the inputs, mutated or not.
  ///
  /// - Returns: the input and its size.
  private func read(
    _ seed: Int, isMutated: Bool, in folder: TemporaryFolder
  ) throws -> (name: String, byteCount: Int) {
    if options.isImporting {
      var input = exports[seed % exports.count]
      if isMutated { input.mutate(seed: seed) }
      let path = try input.write(to: folder)
      try step(seed, input.name, "import") {
        try Imports.run(path, realm: (input.realm, key), seed: seed)
      }
      return (input.name, input.byteCount)
    }
    var (name, bytes) = inputs[seed % inputs.count]
    if let queries {
      if isMutated { bytes = queries.mutation(of: bytes, seed: UInt64(seed)) }
      try step(seed, name, "query") { try queries.run(bytes, ofClass: name, seed: seed) }
      return (name, bytes.count)
    }
    if isMutated {
      var mutation = Mutation(of: bytes, seed: UInt64(seed))
      bytes = mutation.make()
    } else {
      name = "unchanged"
    }
    try read(seed: seed, name, folder.path("x.realm"), of: bytes)
    return (name, bytes.count)
  }

  private func step(_ seed: Int, _ name: String, _ what: String, _ body: () throws -> Void) throws {
    Watchdog.describe("seed \(seed) (\(name), \(what))")
    Watchdog.start(seconds: options.seconds)
    defer { Watchdog.start(seconds: 0) }
    do {
      try body()
    } catch is any PathError {
      // What a damaged realm must end in.
    }
  }

  private func read(seed: Int, _ name: String, _ path: String, of bytes: [UInt8]) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    func step(_ what: String, _ body: () throws -> Void) throws {
      try self.step(seed, name, what, body)
    }
    if options.isRewriting {
      do {
        return try Rewrites(of: path, key: key, seed: seed).run(step)
      } catch let failure as Rewrites.Failure {
        FileHandle.standardError.write(Data("seed \(seed) (\(name)): \(failure)\n".utf8))
        exit(1)
      }
    }
    if options.isSalvaging {
      return try step("salvage") { try salvage(path, seed: seed, "seed \(seed) (\(name))") }
    }
    for isQuick in [true, false] {
      try step(isQuick ? "verify --quick" : "verify") {
        let report = try VerifyJob(
          VerifyJob.Request(path: path, key: key, isQuick: isQuick, jobs: 2)
        ).run()
        // Unreadable values cannot be compared, and are errors of the realm.
        precondition(!report.isPartial || report.count(.error) > 0, "no rule reports an error")
      }
    }
    if options.isVerifying { return }
    try step("query") { try Queries.run(on: path, key: key, seed: seed) }
    try step("info") { _ = try InfoJob(path: path, key: key).run() }
    let result = path + ".result"
    for destination in [RealmDestination.stream(CountingSink()), .file(result, replacing: true)] {
      try step("compact") {
        _ = try CompactJob(path: path, key: key, destination: destination).run()
      }
    }
    for isDropping in [false, true] {
      try step(isDropping ? "convert without a property" : "convert") {
        _ = try ConvertJob(
          path: path, key: key, destination: .stream(CountingSink()),
          request: ConvertJob.Request(
            schemaVersion: UInt64(seed),
            droppedProperties: isDropping ? try property(seed, of: path) : [],
            discardsUnsynced: true)
        ).run()
      }
    }
    for format in SchemaTextFormat.allCases {
      try step("schema \(format)") {
        _ = try SchemaTextJob(path: path, key: key, format: format).run()
      }
    }
    for format in [ObjectTextFormat.json, .coreXJSONPlus, .ejson, .plain, .csv] {
      for version in [Snapshot.Version.latest, .previous] {
        try step("export \(format)") {
          try export(.text(format), path, version) { .text(CountingSink()) }
        }
      }
    }
    try step("export sqlite") {
      try export(.sqlite, path, .latest) {
        .database(try OutputFile(path: path + ".sqlite", replacing: true))
      }
    }
  }

  private func export(
    _ format: ExportFormat, _ path: String, _ version: Snapshot.Version,
    to makeOutput: () throws -> ExportOutput
  ) throws {
    _ = try ExportJob(ExportJob.Request(format: format)).run(
      open: { access in
        try Snapshot(path: path, key: key, version: version, access: access)
      },
      makeOutput: { _ in try makeOutput() }, canStartOver: true,
      progress: { _, _ in })
  }
}

extension Worker {
  /// Salvages the realm at `path`, with or without older versions, by the seed. Ends the process if the result has
  /// errors, or if nothing is recovered because the new realm refuses an object.
  private func salvage(_ path: String, seed: Int, _ description: String) throws {
    let result = path + ".saved"
    var request = SalvageRequest(path: path)
    (request.key, request.jobs) = (key, 2)
    (request.fillsFromPrevious, request.includesFreed) = (seed & 1 != 0, seed & 2 != 0)
    do {
      _ = try SalvageJob(request).run(to: .realm(result, replacing: true))
    } catch let failure as RebuildError {
      guard failure.error.objectKey != nil else { throw failure }
      FileHandle.standardError.write(Data("\(description) cannot be salvaged: \(failure)\n".utf8))
      exit(1)
    }
    let report = try VerifyJob(VerifyJob.Request(path: result, key: key)).run()
    guard let finding = report.findings.first(where: { $0.severity == .error }) else { return }
    FileHandle.standardError.write(
      Data("\(description) is salvaged with \(finding.rule.rawValue): \(finding.message)\n".utf8))
    exit(1)
  }

  /// The name of one of the properties of the realm at `path`, if it has any.
  private func property(_ seed: Int, of path: String) throws -> [String] {
    let schema = try Realm(try Snapshot(path: path, key: key)).schema
    let names = schema.classes.flatMap { $0.columns.map(\.name.text) }
    return names.isEmpty ? [] : [names[seed % names.count]]
  }
}

/// Counts its input.
private final class CountingSink: OutputSink, @unchecked Sendable {
  private(set) var byteCount = 0

  @unsafe
  func write(_ bytes: UnsafeRawBufferPointer) throws(RealmFileError) { byteCount += bytes.count }

  func publish() {}
}

extension VerifyReport {
  /// Whether a comparison is missing.
  fileprivate var isPartial: Bool {
    totals.contains { [.linkNotCompared, .keyNotCompared, .indexNotCompared].contains($0.rule) }
  }
}
