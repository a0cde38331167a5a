import RealmInterchange
import RealmJobs
import RealmStorage
import RealmVerify
import TestSupport

/// Reads a realm in every way.
struct RealmReading {
  private let path: String
  private let key: RealmKey?
  private let choice: Int

  /// - Parameter choice: selects a format of the export and of the schema.
  init(path: String, key: RealmKey? = nil, choice: Int) {
    (self.path, self.key, self.choice) = (path, key, choice)
  }

  /// Writes `bytes` as the data of an encrypted realm.
  ///
  /// - Returns: its path.
  static func encrypt(
    _ bytes: [UInt8], with key: RealmKey, in folder: TemporaryFolder
  ) throws -> String {
    let path = folder.path("x.realm")
    let file = try OutputFile(path: path, replacing: true)
    let output = try RealmOutput(.file(file), key: key)
    try output.append(bytes)
    try output.appendZeros((4096 - bytes.count % 4096) % 4096)
    _ = try output.finish(header: nil)
    try file.publish()
    return path
  }

  private static let formats: [ExportFormat] = [
    .text(.plain), .text(.csv), .text(.ejson), .text(.coreXJSONPlus), .text(.ndjson), .sqlite,
  ]

  func run() throws {
    var report: VerifyReport?
    try FuzzRun.expecting("verify") {
      report = try VerifyJob(VerifyJob.Request(path: path, key: key)).run()
    }
    if let report, report.isPartial, report.count(.error) == 0 {
      // Unreadable values cannot be compared, and are errors of the realm.
      throw FuzzFailure("verify could not compare all values, but no rule reports an error")
    }
    try FuzzRun.expecting("info") { _ = try InfoJob(path: path, key: key).run() }
    try FuzzRun.expecting("stats") {
      var request = StatsJob.Request(path: path)
      request.key = key
      _ = try StatsJob(request).run()
    }
    let schemas = SchemaTextFormat.allCases
    let schema = schemas[schemas.index(schemas.startIndex, offsetBy: choice % schemas.count)]
    try FuzzRun.expecting("schema \(schema)") {
      _ = try SchemaTextJob(path: path, key: key, format: schema).run()
    }
    let other = RealmReading.formats[choice % RealmReading.formats.count]
    for format in [.text(.json), other] {
      let failure = try export(format, choice % 7 == 0 ? .previous : .latest)
      guard let failure = failure as? RealmFileError, failure.isDamage, choice % 7 != 0 else {
        continue
      }
      guard report.map({ $0.count(.error) > 0 }) ?? true else {
        throw FuzzFailure("verify reports no error, but the export fails: \(failure)")
      }
    }
    try FuzzRun.expecting("query") { try Queries.run(on: path, key: key, choice: choice) }
  }

  private func export(
    _ format: ExportFormat, _ version: Snapshot.Version
  ) throws -> (any PathError)? {
    try FuzzRun.expecting("export \(format)") {
      _ = try ExportJob(ExportJob.Request(format: format)).run(
        open: { access in
          try Snapshot(path: path, key: key, version: version, access: access)
        },
        makeOutput: { _ in
          format == .sqlite
            ? .database(try OutputFile(path: path + ".sqlite", replacing: true))
            : .text(CountingSink())
        }, canStartOver: true, progress: { _, _ in })
    }
  }
}

/// Counts its input.
final class CountingSink: OutputSink, @unchecked Sendable {
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
