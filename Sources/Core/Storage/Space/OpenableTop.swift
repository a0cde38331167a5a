extension FileBuilder.Top {
  /// The newest file format, and the schema version of an in-realm history in it and before.
  private static let newestFormat = 24
  private static let inRealm = 2

  /// That of a copy of `snapshot` which an SDK opens as it does the original, without a commit of its
  /// own: a local realm of format 24 always says that it has an in-realm history of schema version 1,
  /// be it empty. An SDK takes anything else for a file to be upgraded, and an app that deletes realms
  /// instead of migrating them would delete it (chapter 1, section 4.5).
  package init(openableCopyOf snapshot: Snapshot) {
    self.init(of: snapshot)
    if historyType == 0 { self = FileBuilder.Top(localCopyOf: snapshot) }
    if historyType == FileBuilder.Top.inRealm {
      historySchemaVersion = max(
        historySchemaVersion, FileBuilder.Top.localSchemaVersion(snapshot))
    }
  }

  /// That of a local realm with the tables of `snapshot`: no history, no identifier of a server, the
  /// version as it is.
  package init(localCopyOf snapshot: Snapshot) {
    self.init(
      version: snapshot.top.version, historyType: FileBuilder.Top.inRealm,
      historySchemaVersion: FileBuilder.Top.localSchemaVersion(snapshot), fileIdent: 0,
      keepsHistory: false)
  }

  private static func localSchemaVersion(_ snapshot: Snapshot) -> Int {
    snapshot.format == newestFormat ? 1 : 0
  }
}
