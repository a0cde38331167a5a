package import RealmModel

/// The internal tables of sync, which a local realm does not need (chapter 4, section 5.3).
package enum InternalTables {
  /// The names of the tables that sync clients write.
  package static let names: Set<String> = [
    "sync_internal_schemas", flexibleMetadata, subscriptionSets, subscriptions, pendingBootstrap,
    "flx_pending_bootstrap_progress", "flx_pending_bootstrap_changesets", flexibleMigration,
    clientReset, schemaMigration,
  ]

  /// The table with the version of the other tables of flexible sync, before `sync_internal_schemas`.
  static let flexibleMetadata = "flx_metadata"
  /// The table of subscription sets, whose lists hold the embedded objects of `subscriptions`.
  static let subscriptionSets = "flx_subscription_sets"
  static let subscriptions = "flx_subscriptions"
  /// The table with the downloads that are not applied yet.
  static let pendingBootstrap = "flx_pending_bootstrap"
  /// The table with the state of a migration between partition-based and flexible sync.
  static let flexibleMigration = "flx_migration"
  /// The table that has an object while a client reset is pending.
  package static let clientReset = "client_reset_metadata"
  /// The table that has an object during a migration after an incompatible change of the server's schema.
  static let schemaMigration = "schema_migration_metadata"

  /// Whether `table` is an internal table of sync.
  package static func belongsToSync(_ table: Table) -> Bool { names.contains(table.name.text) }

  /// Whether the realm was used with flexible sync. Partition-based sync leaves no trace in the file.
  package static func isFlexibleSync(_ schema: Schema) -> Bool {
    (schema.table(named: subscriptionSets)?.objectCount ?? 0) > 0
      || schema.table(named: flexibleMetadata) != nil
  }
}
