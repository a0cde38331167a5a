internal import RealmMaintenance
internal import RealmStorage

/// `realm-cli export --unsynced`.
extension ExportCommand {
  /// The JSON report.
  private struct UnsyncedSummary: Encodable {
    var path: String
    var changesets: Int
    var changes: Int
    var notDecoded: Int
  }

  func exportUnsynced(_ keys: RealmKeys) throws {
    let report = try UnsyncedExportJob().run(
      open: { access in
        try keys.snapshot(
          of: realm, version: version.version, access: access, cacheByteCount: memory.byteCount)
      },
      makeOutput: { snapshot in
        .text(try destination.open(isPrivate: snapshot.isEncrypted))
      }, canStartAnew: !destination.isStandardOutput)
    if report.undecoded > 0 {
      output.warn(
        "\(realm): \(Text.count(report.undecoded, "changeset", "changesets")) could not be decoded")
    }
    let summary = UnsyncedSummary(
      path: realm, changesets: report.changesets, changes: report.changes,
      notDecoded: report.undecoded)
    try output.write(summary, resultIsOnStandardOutput: destination.isStandardOutput) { _ in
      "\(realm.printable): \(Text.count(report.changes, "change", "changes")) in "
        + "\(Text.count(report.changesets, "changeset", "changesets")) not uploaded\n"
    }
  }
}
