package import RealmModel
package import RealmStorage
import Synchronization

/// Makes the history with which a realm that never was synced uploads its whole content (chapter 4, section
/// 4): the schema first, then all objects.
package final class UploadHistory: Sendable {
  /// Objects and bytes at which a changeset ends: a client uploads a changeset as a whole.
  private static let (objectLimit, byteLimit) = (1000, 500_000)
  /// Maximum bytes of a changeset: servers refuse messages of more than 16 MiB, header included.
  package static let sizeLimit = 16 << 20 - 256
  /// The most objects that are named because they are too large.
  private static let obstacleLimit = 100

  /// The result.
  package struct Report: Sendable {
    package var objectCount = 0
    package var changesetCount = 0
    /// Bytes of the changesets.
    package var byteCount = 0
    /// Objects that are too large to upload.
    package var obstacles: [SyncObstacle] = []
  }

  private let source: RealmSource
  private let version: Int
  private let now: Int
  private let sizeLimit: Int
  private let state = Mutex(Report())

  /// - Parameters:
  ///   - now: seconds since 1970.
  ///   - sizeLimit: maximum bytes of a changeset; tests set smaller ones.
  package init(_ realm: Realm, now: Int, sizeLimit: Int = UploadHistory.sizeLimit) {
    source = RealmSource(realm)
    version = realm.snapshot.top.version
    (self.now, self.sizeLimit) = (now, sizeLimit)
  }

  /// What was made last.
  package var report: Report { state.withLock { $0 } }

  /// Appends the history.
  ///
  /// - Throws: `damaged` and the errors of the source; `unsupported` if an object is too large, after all
  ///   objects were read: ``report`` names them.
  package func append(
    to writer: RealmFileWriter
  ) throws(RealmFileError) -> (root: Ref, facts: RealmFileWriter.Facts) {
    var run = Run(writer, time: Int64(now) * 1000 - ClientHistoryWriter.epoch, sizeLimit)
    let instructions = ObjectInstructions(source.schema)
    instructions.addSchema(to: &run.changeset)
    if run.changeset.bytes.count > sizeLimit {
      run.report.obstacles.append(
        SyncObstacle(
          kind: .schemaTooLarge(byteCount: run.changeset.bytes.count, limit: sizeLimit),
          className: "", property: nil))
    }
    try run.endChangeset()
    let cursor = try source.makeCursor()
    for part in try source.parts() {
      cursor.open(part)
      while let batch = try cursor.next() {
        for row in 0..<batch.count { try add(batch, row, instructions, to: &run) }
      }
      try source.accept(cursor.close(), of: part)
    }
    try run.endChangeset()
    if run.unnamed > 0 {
      run.report.obstacles.append(
        SyncObstacle(kind: .moreTooLarge(count: run.unnamed), className: "", property: nil))
    }
    let report = run.report
    state.withLock { $0 = report }
    guard report.obstacles.isEmpty else {
      throw RealmFileError(.unsupported("objects are too large to upload"))
    }
    let root = try run.history.finish(
      integers: [ClientHistoryLayout.Slot.uploadableBytes: report.byteCount],
      events: [
        ClientHistoryWriter.SchemaEvent(
          schemaVersion: Int64(ClientHistory.newestSchemaVersion),
          library: ClientHistoryWriter.library, baseVersion: Int64(version), time: Int64(now))
      ])
    return (
      root,
      RealmFileWriter.Facts(
        version: version + run.history.count, historyType: HistoryKind.syncClient.rawValue,
        historySchemaVersion: ClientHistory.newestSchemaVersion, fileIdent: 0)
    )
  }

  /// The changesets so far.
  private struct Run {
    var history: ClientHistoryWriter
    var changeset = ChangesetEncoder()
    /// Objects in the changeset.
    var objectCount = 0
    var report = Report()
    /// Objects that are too large, but not named.
    var unnamed = 0
    let time: Int64
    let sizeLimit: Int

    init(_ writer: RealmFileWriter, time: Int64, _ sizeLimit: Int) {
      history = ClientHistoryWriter(writer)
      (self.time, self.sizeLimit) = (time, sizeLimit)
    }

    mutating func endChangeset() throws(RealmFileError) {
      try history.append(
        ClientHistoryWriter.Entry(
          changeset: StoredChangeset.wrap(changeset.bytes), timestamp: time))
      report.byteCount += changeset.bytes.count
      report.changesetCount += changeset.bytes.isEmpty ? 0 : 1
      report.objectCount += objectCount
      changeset = ChangesetEncoder()
      objectCount = 0
    }
  }

  private func add(
    _ batch: ObjectBatch, _ row: Int, _ instructions: ObjectInstructions, to run: inout Run
  ) throws(RealmFileError) {
    // A large collection is read once, so its object is not tried twice.
    if run.objectCount > 0, batch.columns.contains(where: { $0?.hasRuns ?? false }) {
      try run.endChangeset()
    }
    let mark = run.changeset.mark
    var fits = try instructions.add(
      batch, row: row, to: &run.changeset, sizeLimit: run.sizeLimit)
    if !fits {
      run.changeset.reset(to: mark)
      if run.objectCount > 0 {
        try run.endChangeset()
        fits = try instructions.add(
          batch, row: row, to: &run.changeset, sizeLimit: run.sizeLimit)
        if !fits { run.changeset = ChangesetEncoder() }
      }
    }
    guard fits else {
      guard run.report.obstacles.count < UploadHistory.obstacleLimit else {
        run.unnamed += 1
        return
      }
      let content = source.schema.classes[batch.classPosition]
      run.report.obstacles.append(
        SyncObstacle(
          kind: .tooLarge(
            key: instructions.identity(of: batch, row: row).text, limit: run.sizeLimit),
          className: content.name.text, property: nil))
      return
    }
    run.objectCount += 1
    if run.objectCount == UploadHistory.objectLimit
      || run.changeset.bytes.count >= UploadHistory.byteLimit
    {
      try run.endChangeset()
    }
  }
}

extension Instruction.ObjectIdentity {
  /// The identity for messages.
  var text: String {
    switch self {
    case .null: "null"
    case .int(let number): "\(number)"
    case .string(let name): "\"\(name.text)\""
    case .globalKey(let high, let low): "{\(high),\(low)}"
    case .objectId(let bytes), .uuid(let bytes): bytes.hexadecimal
    }
  }
}
