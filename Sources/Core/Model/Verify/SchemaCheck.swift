import RealmStorage

/// Checks a file's schema by the rules of the object store, as far as a file can break them
/// (chapter 3, section 8.4).
public struct SchemaCheck {
  /// The rules that the check tells about.
  public static let rules: [IntegrityRule] = [
    IntegrityRule(
      "schema.optional-link", .warning,
      "a link and a dictionary of links are optional, lists and sets of links are not",
      chapter: "3 §3.2"),
    IntegrityRule(
      "schema.optional-mixed", .warning, "mixed properties and collections are optional",
      chapter: "3 §3.2"),
    IntegrityRule(
      "schema.embedded-key", .error, "an embedded class has no primary key", chapter: "3 §11 S8"),
    IntegrityRule(
      "schema.embedded-cycle", .warning,
      "embedded classes do not contain one another in a circle", chapter: "3 §8.4"),
    IntegrityRule(
      "schema.asymmetric-local", .warning, "a local realm has no asymmetric classes",
      chapter: "3 §8.4"),
    IntegrityRule(
      "schema.synced-key", .warning,
      "in a synced realm each class that is not embedded has a primary key named _id",
      chapter: "3 §8.4"),
    IntegrityRule(
      "schema.integer-keys", .warning, "the keys of a dictionary are strings",
      chapter: "3 §3.1"),
    IntegrityRule(
      "schema.typed-link", .warning, "no property is a typed link outside mixed ones",
      chapter: "3 §3.1"),
    IntegrityRule(
      "schema.class-name", .error, "the name of a class is at most 57 bytes long",
      chapter: "3 §1.3"),
    IntegrityRule(
      "schema.unique-names", .error,
      "no two classes, and no two properties of a class, share a name",
      chapter: "3 §11 G4 S5"),
  ]

  private static let classNameLimit = 57
  /// History kinds of synced realms (chapter 4, section 1.1).
  private static let syncedHistories = 3...4

  private let schema: Schema
  private let isSynced: Bool

  public init(_ realm: Realm) {
    schema = realm.schema
    isSynced = SchemaCheck.syncedHistories.contains(realm.snapshot.top.historyType)
  }

  /// Checks all classes.
  public func check(report: (Defect) -> Void) {
    var names = Set<Name>()
    for table in schema.tables {
      if !names.insert(table.name).inserted {
        report(
          Defect("schema.unique-names", "another table has the same name", table: table.key))
      }
      if table.isClass { check(table, report) }
    }
    for table in embeddedCycles {
      report(
        Defect(
          "schema.embedded-cycle", "an object of the class can contain another one of it",
          table: table))
    }
  }

  private func check(_ table: Table, _ report: (Defect) -> Void) {
    func tell(_ rule: String, _ text: String, _ column: Column? = nil) {
      report(Defect(rule, text, table: table.key, column: column?.key))
    }
    if table.className.bytes.count > SchemaCheck.classNameLimit {
      tell("schema.class-name", "the name has \(table.className.bytes.count) bytes")
    }
    if table.kind == .embedded, let position = table.primaryKey {
      tell("schema.embedded-key", "an embedded class with a primary key", table.columns[position])
    }
    if table.kind == .asymmetric, !isSynced {
      tell("schema.asymmetric-local", "an asymmetric class in a local realm")
    }
    if isSynced, table.kind != .embedded,
      table.primaryKey.map({ table.columns[$0].name.text }) != "_id"
    {
      tell("schema.synced-key", "a synced class without a primary key named _id")
    }
    var names = Set<Name>()
    for column in table.columns {
      if !names.insert(column.name).inserted {
        tell("schema.unique-names", "another property has the same name", column)
      }
      check(column, tell)
    }
  }

  private func check(_ column: Column, _ tell: (String, String, Column) -> Void) {
    if column.type == .mixed, !column.isNullable {
      tell("schema.optional-mixed", "a mixed property that is not optional", column)
    }
    if column.type == .link {
      let mustBeOptional = column.collection == nil || column.collection == .dictionary
      if column.isNullable != mustBeOptional {
        tell(
          "schema.optional-link",
          mustBeOptional ? "the links are required" : "the links are optional",
          column)
      }
    }
    if column.type == .typedLink {
      tell("schema.typed-link", "a property of a type that no SDK makes", column)
    }
    if column.hasIntegerKeys {
      tell("schema.integer-keys", "a dictionary with integer keys", column)
    }
  }

  /// Embedded classes from which links through embedded classes lead back to them, and those between
  /// two such circles.
  private var embeddedCycles: [TableKey] {
    var links: [TableKey: Set<TableKey>] = [:]
    for table in schema.tables where table.kind == .embedded {
      links[table.key] = Set(
        table.columns.compactMap(\.target).filter { schema.table($0)?.kind == .embedded })
    }
    // What no link leads to is on no circle; nor, with the links turned round, what leads nowhere.
    let forward = SchemaCheck.withoutStarts(links)
    let backward = SchemaCheck.withoutStarts(SchemaCheck.reversed(forward))
    return backward.keys.sorted()
  }

  private static func reversed(_ links: [TableKey: Set<TableKey>]) -> [TableKey: Set<TableKey>] {
    var reversed: [TableKey: Set<TableKey>] = links.mapValues { _ in [] }
    for (origin, targets) in links {
      for target in targets where links[target] != nil { reversed[target]?.insert(origin) }
    }
    return reversed
  }

  /// Takes classes away to which no link leads, until there are none.
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
