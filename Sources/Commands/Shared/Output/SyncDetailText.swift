internal import RealmMaintenance
internal import RealmSync

/// The state of sync for people: labels and facts.
struct SyncDetailText {
  private(set) var rows: [(String, String)] = []

  init(_ detail: InfoJob.Report.SyncDetail) {
    rows = SyncDetailText.lines(detail.unsynced).map { ("unsynced", $0) }
    append(detail.tables)
  }

  /// Changes that are not uploaded.
  static func lines(_ changes: UnsyncedChanges) -> [String] {
    var lines = changes.classes.map(\.description)
    if changes.schemaChanges > 0 {
      lines.append(
        Text.count(changes.schemaChanges, "change of the schema", "changes of the schema"))
    }
    lines += changes.undecoded.map { "not decoded: " + $0.text }
    if !changes.isComplete { lines.append("and more, which is not counted") }
    return lines
  }

  private mutating func append(_ tables: SyncTables) {
    let activeSet = tables.activeSet
    for set in tables.subscriptionSets {
      let active = set.version == activeSet ? ", active" : ""
      let error = set.error.map { ": \($0)" } ?? ""
      rows.append(("subscriptions", "set \(set.version), \(set.state.rawValue)\(active)\(error)"))
      for subscription in set.subscriptions {
        let name = subscription.name.map { "\($0): " } ?? ""
        rows.append(
          ("", "\(name)\(subscription.className), \(subscription.query)"))
      }
    }
    for bootstrap in tables.pendingBootstraps {
      let count = Text.count(bootstrap.changesets, "changeset", "changesets")
      rows.append(
        ("not applied", "a download of \(count) for set \(bootstrap.subscriptionSet)"))
    }
    if !tables.isComplete { rows.append(("", "and more, which is not listed")) }
    for interruption in tables.interruptions { rows.append(("interrupted", interruption.text)) }
    for permissions in tables.permissions {
      rows.append(
        (
          "permissions",
          "\(permissions.className): \(permissions.managing) manage, "
            + "\(permissions.writing) write, \(permissions.reading) read, "
            + "\(permissions.nothing) nothing"
        ))
    }
    for content in tables.roleClasses {
      rows.append(
        ("query-based", "\(content.name): \(Text.count(content.objects, "object", "objects"))"))
    }
  }
}

extension UnsyncedChanges.Undecoded {
  /// `version 3, 300 B: a changeset compressed with LZFSE cannot be checked`.
  var text: String {
    "version \(version), \(byteCount.map { Text.size($0) } ?? "of unknown size"): \(reason)"
  }
}

extension SyncTables.Interruption {
  fileprivate var text: String {
    switch self {
    case .clientReset(let recovers):
      "a client reset"
        + (recovers.map { $0 ? ", which keeps local changes" : ", which drops local changes" } ?? "")
    case .flexibleMigration(1): "a migration to flexible sync"
    case .flexibleMigration: "a return from flexible sync"
    case .schemaMigration(let version):
      "a change of the server's schema; schema version \(version) before"
    }
  }
}
