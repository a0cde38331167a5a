package import RealmModel
package import RealmStorage

/// Checks the schema of a file against the rules of the object store that a file can break (chapter 3,
/// section 8.4).
package struct ObjectStoreCheck {
  /// History kinds of synced realms (chapter 4, section 1.1).
  private static let syncedHistories = 3...4

  private let schema: Schema
  private let isSynced: Bool

  package init(_ realm: Realm) {
    schema = realm.schema
    isSynced = ObjectStoreCheck.syncedHistories.contains(realm.snapshot.top.historyType)
  }

  /// Checks the tables that the caller selected.
  package func check(_ tables: [Table], _ findings: inout Findings) {
    for table in tables where table.isClass { check(table, &findings) }
    let cycles = Set(embeddedCycles)
    for table in tables where cycles.contains(table.key) {
      tell(
        .schemaEmbeddedCycle, "an object of the class can contain another object of the class",
        table, nil, &findings)
    }
    // Section 8.1: the object store reads the first row and adds one if the table is empty.
    if let table = schema.table(named: "metadata"), table.column(named: "version") != nil,
      table.objectCount > 1
    {
      tell(
        .schemaMetadata, "the table has \(table.objectCount) rows; one is expected", table, nil,
        &findings)
    }
  }

  private func tell(
    _ rule: Rule, _ text: String, _ table: Table, _ column: Column? = nil,
    _ findings: inout Findings
  ) {
    findings.about(
      Findings.Subject(
        at: table.ref, className: table.className.text, property: column?.name.text))
    findings.add(rule, text)
  }

  private func check(_ table: Table, _ findings: inout Findings) {
    if table.kind == .asymmetric, !isSynced {
      tell(.schemaAsymmetricLocal, "an asymmetric class in a local realm", table, nil, &findings)
    }
    if isSynced, table.kind != .embedded,
      table.primaryKey.map({ table.columns[$0].name.text }) != "_id"
    {
      tell(
        .schemaSyncedKey, "a synced class without a primary key named _id", table, nil, &findings)
    }
    for column in table.columns { check(column, table, &findings) }
  }

  private func check(_ column: Column, _ table: Table, _ findings: inout Findings) {
    if column.type == .mixed, !column.isNullable {
      tell(.schemaOptionalMixed, "a mixed property that is not optional", table, column, &findings)
    }
    if column.type == .link {
      let mustBeOptional = column.collection == nil || column.collection == .dictionary
      if column.isNullable != mustBeOptional {
        tell(
          .schemaOptionalLink,
          mustBeOptional ? "the links are required" : "the links are optional",
          table, column, &findings)
      }
    }
    if column.type == .typedLink {
      tell(.schemaTypedLink, "a property of a type that no SDK writes", table, column, &findings)
    }
    if column.hasIntegerKeys {
      tell(.schemaIntegerKeys, "a dictionary with integer keys", table, column, &findings)
    }
  }

  /// Embedded classes that contain themselves, directly or through other embedded classes, and the
  /// classes between two such cycles.
  private var embeddedCycles: [TableKey] {
    var links: [TableKey: Set<TableKey>] = [:]
    for table in schema.tables where table.kind == .embedded {
      links[table.key] = Set(
        table.columns.compactMap(\.target).filter { schema.table($0)?.kind == .embedded })
    }
    // A class without incoming links is on no cycle, and neither is a class without outgoing links (a
    // start after the links are reversed).
    let forward = ObjectStoreCheck.withoutStarts(links)
    let backward = ObjectStoreCheck.withoutStarts(ObjectStoreCheck.reversed(forward))
    return backward.keys.sorted()
  }

  private static func reversed(_ links: [TableKey: Set<TableKey>]) -> [TableKey: Set<TableKey>] {
    var reversed: [TableKey: Set<TableKey>] = links.mapValues { _ in [] }
    for (origin, targets) in links {
      for target in targets where links[target] != nil { reversed[target]?.insert(origin) }
    }
    return reversed
  }

  /// Repeatedly removes the classes without incoming links.
  private static func withoutStarts(
    _ links: [TableKey: Set<TableKey>]
  ) -> [TableKey: Set<TableKey>] {
    var counts = reversed(links).mapValues(\.count)
    var starts = counts.filter { $0.value == 0 }.map(\.key)
    var left = links
    while let start = starts.popLast() {
      for target in left.removeValue(forKey: start) ?? [] {
        guard let count = counts[target] else { continue }
        counts[target] = count - 1
        if count == 1 { starts.append(target) }
      }
    }
    return left
  }
}
