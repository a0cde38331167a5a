internal import RealmMaintenance
internal import RealmSync

/// The state of sync for people: labels and facts.
struct SyncDetailText {
  private(set) var rows: [(String, String)] = []

  init(_ detail: InfoJob.Report.SyncDetail) {
    for change in detail.unsynced.classes { rows.append(("unsynced", change.text)) }
    if detail.unsynced.schemaChanges > 0 {
      rows.append(
        (
          "unsynced",
          Text.count(
            detail.unsynced.schemaChanges, "change of the schema", "changes of the schema")
        ))
    }
    for changeset in detail.unsynced.undecoded {
      rows.append(
        (
          "not decoded",
          "version \(changeset.version), \(Text.size(changeset.byteCount)): \(changeset.reason)"
        ))
    }
    if !detail.unsynced.isComplete { rows.append(("unsynced", "and more, which is not counted")) }
    append(detail.tables)
  }

  private mutating func append(_ tables: SyncTables) {
    for set in tables.subscriptionSets {
      let active = set.version == tables.activeSet ? ", active" : ""
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

extension UnsyncedChanges.ClassChanges {
  /// `Person: 2 created, 1 updated, 0 deleted`.
  var text: String {
    "\(className): \(created) created, \(updated) updated, \(deleted) deleted"
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
