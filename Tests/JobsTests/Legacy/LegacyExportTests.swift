import RealmInterchange
import RealmJobs
import RealmStorage
import TestJobs
import TestSupport
import Testing

@Suite(
  "Exports of realms of formats 2 to 9 from public repositories",
  .enabled(if: corpusFolder != nil, "the corpus is not beside the package"))
struct LegacyExportTests {
  let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }

  private func export(_ file: LegacyFile, _ format: ExportFormat) throws -> ExportJob.Report {
    let path = folder.path("x." + format.name)
    var request = ExportJob.Request(format: format, jobs: 2)
    // PostgreSQL has no nanoseconds, so a script for it asks whether losses are accepted.
    request.acceptsLosses = format == .postgres
    return try ExportJob(request).run(
      open: { access in
        try Snapshot(path: file.path, key: file.key, access: access)
      },
      makeOutput: { _ in
        if case .text(let text) = format, let fileExtension = text.fileExtension {
          return .folder(
            ExportFolder(path: path, replacing: false, isPrivate: false),
            fileExtension: fileExtension)
        }
        let output = try OutputFile(path: path, replacing: false)
        return format == .sqlite ? .database(output) : .text(output)
      },
      canStartOver: true, progress: { _, _ in })
  }

  @Test("every format gets the objects that the library counts", arguments: LegacyFile.all)
  func everyFormat(file: LegacyFile) throws {
    let truth = try LegacyTruth(file.truth)
    let counts = Dictionary(truth.tables.map { ($0.name, $0.rowCount) }) { first, _ in first }
    for format in ExportFormat.allCases {
      for (name, objects) in try export(file, format).counts {
        #expect(objects == counts["class_" + name] ?? counts[name], "\(format.name): \(name)")
      }
    }
    #expect(try SQLiteFile(folder.path("x.sqlite")).problems() == [])
  }
}
