package import RealmInterchange
package import RealmJobs
package import RealmStorage
package import TestSupport

/// The output of an export and its report.
package struct Exported {
  package var bytes: [UInt8]
  package var report: ExportJob.Report
  package var isPublished: Bool
}

/// Exports the realm at `path` into memory.
package func export(
  _ path: String, as format: ObjectTextFormat, jobs: Int = 1, classes: [String]? = nil,
  key: RealmKey? = nil, cacheByteCount: Int = Snapshot.usualCacheByteCount
) throws -> Exported {
  let sink = MemorySink()
  let job = ExportJob(ExportJob.Request(format: .text(format), classes: classes, jobs: jobs))
  let report = try job.run(
    open: { access in
      try Snapshot(path: path, key: key, access: access, cacheByteCount: cacheByteCount)
    },
    makeOutput: { _ in .text(sink) },
    canStartOver: false, progress: { _, _ in })
  return Exported(bytes: sink.bytes, report: report, isPublished: sink.isPublished)
}

/// Exports the golden realm `name`, with its key if it is encrypted.
package func exportGolden(
  _ name: String, as format: ObjectTextFormat, jobs: Int = 1, classes: [String]? = nil
) throws -> Exported {
  try export(
    Golden.path("\(name).realm"), as: format, jobs: jobs, classes: classes,
    key: try Golden.key(name))
}

/// Exports the realm at `path` into the SQLite database `x.sqlite` in `folder`, and throws if SQLite finds errors.
package func exportDatabase(
  _ path: String, in folder: TemporaryFolder, classes: [String]? = nil, condition: String? = nil,
  key: RealmKey? = nil
) throws -> (file: SQLiteFile, report: ExportJob.Report) {
  let target = folder.path("x.sqlite")
  let job = ExportJob(
    ExportJob.Request(format: .sqlite, classes: classes, condition: condition, jobs: 2))
  let report = try job.run(
    open: { access in try Snapshot(path: path, key: key, access: access) },
    makeOutput: { _ in .database(try OutputFile(path: target, replacing: true)) },
    canStartOver: true, progress: { _, _ in })
  let file = SQLiteFile(target)
  let problems = try file.problems()
  guard problems.isEmpty else {
    throw SQLiteFile.Problem(message: "\(path): \(problems.joined(separator: ", "))")
  }
  return (file, report)
}

/// The number of objects that a query finds in the realm at `path`.
package func count(_ query: String, ofClass className: String, in path: String) throws -> Int {
  var request = QueryJob.Request(className: className)
  (request.text, request.answer) = (query, .nothing)
  return try QueryJob(request).run(
    open: { access in try Snapshot(path: path, access: access) },
    makeOutput: { _ in MemorySink() }, canStartOver: true
  ).found
}

/// The objects of the realm at `path` as the reference writes them.
package func objects(of path: String, key: RealmKey? = nil) throws -> [UInt8] {
  try export(path, as: .coreXJSONPlus, key: key).bytes
}

/// The realm at `path` as Realm JSON.
package func realmJSON(of path: String) throws -> JSONValue {
  try JSONParser.parse(try export(path, as: .json).bytes)
}

extension TemporaryFolder {
  /// Imports Realm JSON into a new realm in the folder.
  ///
  /// - Parameter name: the name of the realm without the extension.
  /// - Returns: the path of the realm.
  package func importRealm(
    _ json: String, as name: String = "imported", key: RealmKey? = nil
  ) throws -> String {
    let realm = path("\(name).realm")
    _ = try ImportJob(
      path: try write(Array(json.utf8), to: "\(name).json"),
      to: .new(realm, replacing: true, key: key)
    ).run()
    return realm
  }
}

/// A migration plan with the steps of one version, given one a line.
package func migrationPlan(_ steps: String, to version: Int = 4) -> String {
  "realm-migration: 1\nversions:\n  - to: \(version)\n    steps:\n"
    + steps.split(separator: "\n").map { "      - \($0)\n" }.joined()
}
