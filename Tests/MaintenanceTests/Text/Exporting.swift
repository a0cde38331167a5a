import RealmInterchange
import RealmJobs
import RealmStorage
import TestSupport

/// Collects a result in memory.
final class MemorySink: OutputSink, @unchecked Sendable {
  private(set) var bytes: [UInt8] = []
  private(set) var isPublished = false

  @unsafe
  func write(_ bytes: UnsafeRawBufferPointer) throws(RealmFileError) {
    unsafe self.bytes.append(contentsOf: bytes)
  }

  func publish() throws(RealmFileError) { isPublished = true }
}

/// What an export wrote and what it reported.
struct Exported {
  var bytes: [UInt8]
  var report: ExportJob.Report
  var isPublished: Bool
}

/// Exports the realm at `path` into memory.
func export(
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

/// Exports the golden realm `name`, with its key where it has one.
func exportGolden(
  _ name: String, as format: ObjectTextFormat, jobs: Int = 1, classes: [String]? = nil
) throws -> Exported {
  try export(
    Golden.path("\(name).realm"), as: format, jobs: jobs, classes: classes,
    key: try goldenKey(name))
}

/// The key of the golden realm `name`; nil if it is not encrypted.
func goldenKey(_ name: String) throws -> RealmKey? {
  name.hasSuffix("-encrypted") ? try KeyFile.read(Golden.path("\(name).key")).key : nil
}
