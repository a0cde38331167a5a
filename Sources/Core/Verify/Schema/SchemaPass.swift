import RealmModel
import RealmStorage

/// Checks tables and specs (chapter 3, section 11), and the rules of the object store that a file can break
/// (chapter 3, section 8.4), in one piece.
struct SchemaPass: VerifyPass {
  /// History kinds of synced realms (chapter 4, section 1.1).
  private static let syncedHistories = 3...4

  private let context: VerifyContext
  private let schema: Schema
  private let isSynced: Bool

  init(_ context: VerifyContext) {
    self.context = context
    schema = context.realm.schema
    isSynced = SchemaPass.syncedHistories.contains(context.snapshot.top.historyType)
  }

  func pieces() -> [VerifyPiece] {
    [
      VerifyPiece { _ in
        // Reading the schema checked tables and specs.
        var findings = context.schemaFindings
        check(context.tables, &findings)
        return VerifyPiece.Outcome(findings)
      }
    ]
  }

  private func check(_ tables: [Table], _ findings: inout Findings) {
    for table in tables {
      checkFormat(of: table, &findings)
      if table.isClass { check(table, &findings) }
    }
    let cycles = embeddedCycles
    for table in tables where cycles.contains(table.key) {
      add(
        .schemaEmbeddedCycle, "an object of the class can contain another object of the class",
        table, &findings)
    }
    if let table = schema.table(named: "metadata") { checkVersion(table, &findings) }
  }

  /// Checks the table of the schema version (section 8.1): the object store reads the first row of one column. It
  /// adds the row if the table is empty, and the column if there are no columns.
  private func checkVersion(_ table: Table, _ findings: inout Findings) {
    if let column = table.column(named: "version") {
      if column.type != .int || column.collection != nil {
        let type = column.collection.map { "\($0) of \(column.type)" } ?? "\(column.type)"
        add(
          .schemaMetadata, "the property has type \(type), expected int", table, column: column,
          &findings)
      } else if table.objectCount > 1 {
        add(
          .schemaMetadata, "the table has \(table.objectCount) rows, expected 1", table, &findings)
      }
    } else if !table.columns.isEmpty {
      let names = table.columns.prefix(3).map(\.name.text).joined(separator: ", ")
      add(
        .schemaMetadata,
        "the table has no property version, but \(names)\(table.columns.count > 3 ? ", …" : "")",
        table, &findings)
    }
  }

  private func add(
    _ rule: Rule, _ message: String, _ table: Table, column: Column? = nil,
    _ findings: inout Findings
  ) {
    findings.about(
      Findings.Subject(
        at: table.ref, className: table.className.text, property: column?.name.text))
    findings.add(rule, message)
  }

  private func check(_ table: Table, _ findings: inout Findings) {
    if table.kind == .asymmetric, !isSynced {
      add(
        .schemaAsymmetricLocal, "the class is asymmetric, but the realm is local", table, &findings)
    }
    if isSynced, table.kind != .embedded,
      table.primaryKey.map({ table.columns[$0].name.text }) != "_id"
    {
      add(.schemaSyncedKey, "the class has no primary key named _id", table, &findings)
    }
    for column in table.columns { check(column, table, &findings) }
  }

  /// Checks that the file format has what the table and its columns need.
  private func checkFormat(of table: Table, _ findings: inout Findings) {
    let format = context.snapshot.fileFormat
    if let missing = format.missing(for: table.kind) {
      add(.specFormat, "format \(format.number) has no \(missing)", table, &findings)
    }
    for (column, property) in zip(table.columns, table.objectClass.properties) {
      guard let missing = format.missing(for: property) else { continue }
      add(
        .specFormat, "format \(format.number) has no \(missing)", table, column: column, &findings)
    }
  }

  private func check(_ column: Column, _ table: Table, _ findings: inout Findings) {
    if column.type == .mixed, !column.isNullable {
      add(.schemaOptionalMixed, "the mixed property is required", table, column: column, &findings)
    }
    if column.type == .link {
      let mustBeOptional = column.collection == nil || column.collection == .dictionary
      if column.isNullable != mustBeOptional {
        add(
          .schemaOptionalLink,
          mustBeOptional ? "the links are required" : "the links are optional",
          table, column: column, &findings)
      }
    }
    if column.type == .typedLink {
      add(
        .schemaTypedLink, "the property has a type that no SDK writes", table, column: column,
        &findings)
    }
    if column.hasIntegerKeys {
      add(.schemaIntegerKeys, "the dictionary has integer keys", table, column: column, &findings)
    }
  }

  /// The embedded classes that contain themselves, directly or through other embedded classes, and the
  /// classes between two such cycles.
  private var embeddedCycles: Set<TableKey> {
    var links: [TableKey: Set<TableKey>] = [:]
    for table in schema.tables where table.kind == .embedded {
      links[table.key] = Set(
        table.columns.compactMap(\.target).filter { schema.table($0)?.kind == .embedded })
    }
    // A class without incoming links is on no cycle. Neither is a class without outgoing links, which is
    // a start in the reversed links.
    let forward = SchemaPass.withoutStarts(links)
    let backward = SchemaPass.withoutStarts(SchemaPass.reversed(forward))
    return Set(backward.keys)
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
