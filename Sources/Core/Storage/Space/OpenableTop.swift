extension FileBuilder.Top {
  /// The history kind of local realms.
  private static let inRealm = 2

  /// The top array for a copy of `snapshot` that SDKs open without upgrading it: a local realm of
  /// format 24 needs an in-realm history of schema version 1, even an empty one. An SDK upgrades
  /// any other file, and an app that deletes realms instead of migrating them deletes it (chapter
  /// 1, section 4.5). The libraries of formats up to 9 need no history.
  package init(openableCopyOf snapshot: Snapshot) {
    self.init(of: snapshot)
    guard !snapshot.isLegacy else { return }
    if facts.historyType == 0 { self = FileBuilder.Top(localCopyOf: snapshot) }
    if facts.historyType == FileBuilder.Top.inRealm {
      facts.historySchemaVersion = max(
        facts.historySchemaVersion, FileBuilder.Top.localSchemaVersion(snapshot))
    }
  }

  /// The top array for a local realm with the tables of `snapshot`: no history, no file identifier,
  /// same version.
  package init(localCopyOf snapshot: Snapshot) {
    self.init(
      RealmFileWriter.Facts(
        version: snapshot.top.version, historyType: FileBuilder.Top.inRealm,
        historySchemaVersion: FileBuilder.Top.localSchemaVersion(snapshot), fileIdent: 0),
      keepsHistory: false)
  }

  private static func localSchemaVersion(_ snapshot: Snapshot) -> Int {
    snapshot.format == FileHeader.newestFormat ? 1 : 0
  }
}
