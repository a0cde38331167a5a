package import RealmModel

/// The internal tables of sync, which a local realm does not need (chapter 4, section 5.3).
package enum InternalTables {
  /// The names of the tables that sync clients write.
  package static let names: Set<String> = [
    "sync_internal_schemas", "flx_metadata", "flx_subscription_sets", "flx_subscriptions",
    "flx_pending_bootstrap", "flx_pending_bootstrap_progress", "flx_pending_bootstrap_changesets",
    "flx_migration", "client_reset_metadata", "schema_migration_metadata",
  ]

  /// The table that has an object while a client reset is pending.
  package static let clientReset = "client_reset_metadata"

  /// Whether `table` is an internal table of sync.
  package static func belongsToSync(_ table: Table) -> Bool { names.contains(table.name.text) }

  /// Whether the realm was used with flexible sync. Partition-based sync leaves no trace in the file.
  package static func isFlexibleSync(_ schema: Schema) -> Bool {
    (schema.table(named: "flx_subscription_sets")?.objectCount ?? 0) > 0
      || schema.table(named: "flx_metadata") != nil
  }
}
