import Foundation
import RealmInterchange
import RealmJobs
import RealmModel
import RealmStorage
import RealmVerify
import TestSupport

/// Makes and tests the realm of a seed.
struct RoundTrip {
  let seed: Int
  /// The folder in which the realm and its JSON are kept; nil to keep nothing.
  let keptFolder: String?
  private let realm: RandomRealm
  private let folder: TemporaryFolder

  init(seed: Int, isSynced: Bool, keeping folder: String?) throws {
    (self.seed, keptFolder) = (seed, folder)
    realm = RandomRealm(seed: seed, isSynced: isSynced)
    self.folder = try TemporaryFolder()
  }

  /// The failure of a test.
  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  /// Rules that the schema itself breaks.
  private static let inherent: Set<Rule> = [
    .schemaAsymmetricLocal, .schemaEmbeddedCycle, .indexCapitalX,
  ]

  func run() throws {
    let isLines = seed % 2 == 1
    let text = try folder.write(Array((isLines ? realm.lines : realm.text).utf8), to: "made")
    try keep(text, as: isLines ? "made.ndjson" : "made.json")
    let made = try build(text, "made")
    let json = try export(made, .json)
    let lines = try export(made, .ndjson)
    let document = try JSONParser.parse(json)
    if let difference = DocumentComparison(schema: realm.schema).difference(
      realm.document, document)
    {
      throw Failure(description: "the export differs: \(difference)")
    }
    let again = try build(
      try folder.write(isLines ? json : lines, to: "exported"), "again")
    guard try export(again, .json) == json, try export(again, .ndjson) == lines else {
      throw Failure(description: "the export of the imported export differs")
    }
    try checkDatabase(of: made)
    try checkEdits(of: made)
    try checkRedaction(of: made)
  }

  /// Imports JSON, and verifies the realm.
  ///
  /// - Returns: path of the realm.
  private func build(_ text: String, _ name: String) throws -> String {
    let path = folder.path(name + ".realm")
    var request = ImportJob.Request()
    request.jobs = seed % 3 + 1
    do {
      _ = try ImportJob(
        path: text, to: .new(path, replacing: false, key: nil), request: request
      ).run()
    } catch {
      throw Failure(description: "the import of the text that was \(name): \(error)")
    }
    try keep(path, as: name + ".realm")
    try verify(path, name)
    return path
  }

  private func verify(_ path: String, _ name: String) throws {
    let report = try VerifyJob(VerifyJob.Request(path: path, key: nil)).run()
    if let finding = report.findings.first(where: { !RoundTrip.inherent.contains($0.rule) }) {
      throw Failure(description: "verify finds in the realm that was \(name): \(finding)")
    }
  }

  private func run(
    _ format: ExportFormat, of path: String, to output: ExportOutput
  ) throws -> ExportJob.Report {
    try ExportJob(ExportJob.Request(format: format, jobs: seed % 2 + 1)).run(
      open: { access in
        try Snapshot(path: path, key: nil, access: access)
      },
      makeOutput: { _ in output }, canStartOver: false, progress: { _, _ in })
  }

  private func export(_ path: String, _ format: ObjectTextFormat) throws -> [UInt8] {
    let target = folder.path("text")
    _ = try run(
      .text(format), of: path, to: .text(try OutputFile(path: target, replacing: true)))
    return try readFile(target)
  }

  private func checkDatabase(of path: String) throws {
    let target = folder.path("x.sqlite")
    let report = try run(
      .sqlite, of: path, to: .database(try OutputFile(path: target, replacing: true)))
    let file = SQLiteFile(target)
    if let problem = try file.problems().first {
      throw Failure(description: "SQLite finds in the database: \(problem)")
    }
    let expected = realm.objects.compactMap { $0?.count }
    guard report.counts.map(\.objects) == expected else {
      throw Failure(
        description: "the database has \(report.counts.map(\.objects)) objects, not \(expected)")
    }
  }

  /// Sets the optional properties of each class to null, and then deletes some of its objects.
  private func checkEdits(of made: String) throws {
    let path = folder.path("edited.realm")
    try FileManager.default.copyItem(atPath: made, toPath: path)
    let schema = try Realm(path: path).objectSchema
    for position in schema.appClasses where schema.classes[position].kind != .asymmetric {
      let objectClass = schema.classes[position]
      var request = EditRequest(className: objectClass.name.text)
      request.query = "TRUEPREDICATE LIMIT(\(seed % 5 + 2))"
      request.jobs = seed % 2 + 1
      let assignments = objectClass.properties.enumerated().filter { i, property in
        i != objectClass.primaryKey && property.isOptional && property.collection == nil
          // What an assignment cannot name.
          && !property.name.text.utf8.contains(where: "= \t\r\n".utf8.contains)
      }.map { "\($0.element.name.text) = null" }
      if !assignments.isEmpty {
        _ = try UpdateJob(
          path: path, key: nil, destination: .inPlace(backup: false), request: request,
          assignments: assignments
        ).run()
        try verify(path, "updated")
      }
      _ = try DeleteJob(
        path: path, key: nil, destination: .inPlace(backup: false), request: request
      ).run()
      try verify(path, "without some objects of \(objectClass.name)")
    }
  }

  private func checkRedaction(of made: String) throws {
    let path = folder.path("redacted.realm")
    var request = RedactJob.Request()
    (request.seed, request.jobs) = (UInt64(seed), seed % 3 + 1)
    _ = try RedactJob(
      path: made, key: nil, destination: .file(path, replacing: true), request: request
    ).run()
    try verify(path, "redacted")
    let (before, after) = (try objectCounts(of: made), try objectCounts(of: path))
    guard before == after else {
      throw Failure(description: "the redacted realm has \(after) objects, not \(before)")
    }
  }

  /// Number of objects of each class, without embedded ones.
  private func objectCounts(of path: String) throws -> [Int] {
    try InfoJob(path: path, key: nil).run().classes.filter { $0.kind != .embedded }
      .map(\.objectCount)
  }

  private func keep(_ path: String, as name: String) throws {
    guard let keptFolder else { return }
    let target = URL(fileURLWithPath: keptFolder).appendingPathComponent("\(seed).\(name)")
    if FileManager.default.fileExists(atPath: target.path) {
      try FileManager.default.removeItem(at: target)
    }
    try FileManager.default.copyItem(at: URL(fileURLWithPath: path), to: target)
  }
}
