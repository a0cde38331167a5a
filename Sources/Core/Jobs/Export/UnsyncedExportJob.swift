public import RealmStorage
import RealmSync

/// Writes the changes of a synced realm that are not uploaded: one JSON object per line, for each instruction
/// of each changeset.
public struct UnsyncedExportJob: Sendable {
  public struct Report: Sendable {
    public var changesets = 0
    /// Instructions that were written.
    public var changes = 0
    /// Changesets that cannot be decoded. Each is a line that says why.
    public var undecoded = 0
  }

  /// Number of bytes that are collected before they are written.
  package var flushByteCount = 1 << 16

  public init() {}

  /// - Parameters: as for ``ExportJob``.
  /// - Throws: `notSynced`; `damaged`; `changedWhileReading` if the realm changed after output was written that
  ///   cannot be taken back; the errors of the sink.
  public func run(
    open: (Snapshot.Access) throws -> Snapshot,
    makeOutput: (Snapshot) throws -> ExportOutput,
    canStartOver: Bool
  ) throws -> Report {
    try ProvenOutput.run(open: open, makeOutput: makeOutput, canStartOver: canStartOver) {
      (snapshot, output) in
      guard try HistoryKind(of: snapshot.top) == .syncClient else {
        throw RequestError(.notSynced, path: snapshot.path)
      }
      guard !snapshot.isLegacy else {
        throw RequestError(.oldSyncHistory(snapshot.top.historySchemaVersion), path: snapshot.path)
      }
      return try write(snapshot, to: output)
    }
  }

  private func write(
    _ snapshot: Snapshot, to output: ProvenOutput
  ) throws(RealmFileError) -> Report {
    var report = Report()
    var text = ChangeText()
    let sink = try output.output(for: nil)
    if let history = try ClientHistory(snapshot) {
      try history.forEachLocalChangeset(of: snapshot) { (changeset) throws(RealmFileError) in
        guard changeset.isPending else { return }
        report.changesets += 1
        do throws(RealmFileError) {
          guard history.schemaVersion >= ClientHistory.oldestDecodedSchemaVersion else {
            throw RealmFileError(
              .unsupported("histories of schema version \(history.schemaVersion) are not decoded"))
          }
          var decoder = ChangesetDecoder(try changeset.bytes())
          while let instruction = try next(of: &decoder) {
            text.append(instruction, version: changeset.version)
            report.changes += 1
            if text.byteCount > flushByteCount { try sink?.write(text.take()) }
          }
        } catch {
          guard let why = error.undecodedReason else { throw error }
          report.undecoded += 1
          text.append(
            undecoded: why, byteCount: try changeset.byteCount(), version: changeset.version)
        }
      }
    }
    try sink?.write(text.take())
    try output.publish()
    return report
  }

  /// - Throws: `unsupported` for bytes that are not an instruction.
  private func next(of decoder: inout ChangesetDecoder) throws(RealmFileError) -> Instruction? {
    do throws(ChangesetError) {
      return try decoder.next()
    } catch {
      throw RealmFileError(.unsupported(error.description))
    }
  }
}
