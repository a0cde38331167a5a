package import RealmModel

/// Internal tables of sync (chapter 4, section 5.3), which a local realm does not need.
package enum InternalTables {
  /// Names of the tables that sync clients write.
  package static let names: Set<String> = [
    "sync_internal_schemas", "flx_metadata", "flx_subscription_sets", "flx_subscriptions",
    "flx_pending_bootstrap", "flx_pending_bootstrap_progress", "flx_pending_bootstrap_changesets",
    "flx_migration", "client_reset_metadata", "schema_migration_metadata",
  ]

  /// The table that has an object while a client reset is pending.
  package static let clientReset = "client_reset_metadata"

  /// True for a table that belongs to sync.
  package static func belongsToSync(_ table: Table) -> Bool { names.contains(table.name.text) }

  /// True if the realm was used with flexible sync; partition-based sync leaves no mark in the file.
  package static func isFlexibleSync(_ schema: Schema) -> Bool {
    (schema.table(named: "flx_subscription_sets")?.objectCount ?? 0) > 0
      || schema.table(named: "flx_metadata") != nil
  }
}
