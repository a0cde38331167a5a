/// A function that appends the history of a new realm, after its tables.
///
/// - Returns: the root of the history, and the facts for the top array.
package typealias HistoryMaker =
  @Sendable (RealmFileWriter) throws(RealmFileError) -> (root: Ref, facts: RealmFileWriter.Facts)

/// Writes a new realm from the trees of a snapshot: table names, tables, history.
package struct FileBuilder {
  /// The content of the top array of the new realm, other than the tables.
  package struct Top: Equatable, Sendable {
    package var facts: RealmFileWriter.Facts
    /// Whether the history is copied.
    var keepsHistory: Bool

    package init(_ facts: RealmFileWriter.Facts, keepsHistory: Bool) {
      (self.facts, self.keepsHistory) = (facts, keepsHistory)
    }

    /// The same content as in the top array of `snapshot`.
    package init(of snapshot: Snapshot) {
      let top = snapshot.top
      self.init(
        RealmFileWriter.Facts(
          version: top.version, historyType: top.historyType,
          historySchemaVersion: top.historySchemaVersion, fileIdent: top.fileIdent),
        keepsHistory: true)
    }
  }

  private let snapshot: Snapshot
  private let top: Top
  private let edits: NodeEdits
  private let history: HistoryMaker?
  private let output: RealmOutput

  /// - Parameter history: makes the history of the new realm, and replaces the facts of `top`. Not called for a
  ///   realm without any commit.
  package init(
    _ snapshot: Snapshot, top: Top, edits: NodeEdits, history: HistoryMaker? = nil,
    into output: RealmOutput
  ) {
    (self.snapshot, self.top, self.edits) = (snapshot, top, edits)
    (self.history, self.output) = (history, output)
  }

  /// Writes the file, without publishing the output.
  ///
  /// - Parameter progress: receives the number of bytes of data written so far.
  /// - Returns: the size of the file in bytes.
  /// - Throws: `damaged` and the errors of the source, without a path; the errors of the output.
  package func write(progress: @escaping (Int) -> Void) throws(RealmFileError) -> Int {
    let writer = try RealmFileWriter(into: output, format: snapshot.fileFormat)
    guard snapshot.top.ref != 0 else { return try writer.finish(nil, top.facts) }

    let nodes = try snapshot.makeReaderOfAll()
    var copier = NodeCopier(nodes: nodes, writer: writer, edits: edits, progress: progress)
    let keepsHistory = history == nil && top.keepsHistory && snapshot.top.history != 0
    var trees = try nodes.traversing { () throws(RealmFileError) in
      RealmFileWriter.Trees(
        tableNames: try copier.copy(snapshot.top.tableNames),
        tables: try copier.copy(snapshot.top.tables),
        history: keepsHistory ? try copier.copy(snapshot.top.history) : 0)
    }
    try copier.checkEdits()
    guard let history else { return try writer.finish(trees, top.facts) }
    let (root, facts) = try history(writer)
    trees.history = root
    return try writer.finish(trees, facts)
  }
}

extension FileBuilder.Top {
  /// The code of the history kind of local realms.
  private static let inRealm = 2

  /// The top array for a copy of `snapshot` that SDKs open without upgrading it. A local realm of format 24 needs an
  /// in-realm history of schema version 1, even if it is empty. Any other file is upgraded by an SDK, or deleted by
  /// an app that deletes realms instead of migrating them (chapter 1, section 4.5). Formats up to 9 need no history.
  package init(openableCopyOf snapshot: Snapshot) {
    self.init(of: snapshot)
    guard !snapshot.isLegacy else { return }
    if facts.historyType == 0 { self = FileBuilder.Top(localCopyOf: snapshot) }
    if facts.historyType == FileBuilder.Top.inRealm {
      facts.historySchemaVersion = max(
        facts.historySchemaVersion, snapshot.fileFormat.localHistorySchemaVersion)
    }
  }

  /// The top array for a local realm with the tables of `snapshot`: the same version, no history and no file
  /// identifier.
  package init(localCopyOf snapshot: Snapshot) {
    self.init(
      RealmFileWriter.Facts(
        version: snapshot.top.version, historyType: FileBuilder.Top.inRealm,
        historySchemaVersion: snapshot.fileFormat.localHistorySchemaVersion, fileIdent: 0),
      keepsHistory: false)
  }
}
