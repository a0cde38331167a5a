package import RealmModel
package import RealmStorage

/// What the checks of one realm share.
package struct VerifyContext: Sendable {
  package let snapshot: Snapshot
  /// The version that is checked.
  package let version: Snapshot.Version
  /// With the tables that can be read; whoever looks for another one finds it in ``isKnown(_:)``.
  package let realm: Realm
  /// Findings of each severity that are worth keeping.
  package let limit: Int
  /// Names of the classes of all table slots, readable or not.
  package let classNames: [Int: String]
  /// The classes whose objects are checked; nil for all.
  package let classes: Set<String>?
  /// What reading the schema found.
  package let schemaFindings: Findings
  /// Slots of tables that exist and cannot be read.
  package let unreadableSlots: Set<Int>

  /// - Throws: errors that say nothing about the file.
  package init(
    _ snapshot: Snapshot, version: Snapshot.Version, classes: [String]?, limit: Int
  ) throws(RealmFileError) {
    (self.snapshot, self.version, self.limit) = (snapshot, version, limit)
    var findings = Findings(limit: limit)
    realm = try Realm(snapshot) { (error) throws(RealmFileError) in try findings.add(error) }
    schemaFindings = findings

    let nodes = try snapshot.makeReader()
    let names = Realm.tableNames(snapshot.top, nodes)
    var classNames: [Int: String] = [:]
    for slot in names.indices {
      if let name = Realm.className(inSlot: slot, of: names), !name.isEmpty {
        classNames[slot] = name
      }
    }
    self.classNames = classNames
    unreadableSlots = Set(classNames.keys).subtracting(realm.schema.tables.map(\.key.slot))
    self.classes = classes.map { Set($0) }
  }

  /// Tables whose objects are checked.
  package var tables: [Table] {
    realm.schema.tables.filter { classes?.contains($0.className.text) ?? true }
  }

  /// False where a table with `key` cannot be told from one that does not exist: what is said about
  /// links to it would be guessed.
  package func isKnown(_ key: TableKey) -> Bool {
    realm.schema.table(key) != nil || !unreadableSlots.contains(key.slot)
  }
}

/// A thread at work: its readers, which no other thread may use.
package final class VerifyWorker {
  package let reader: RealmReader

  package var nodes: NodeReader { reader.nodes }

  init(_ realm: Realm) throws(RealmFileError) { reader = try RealmReader(realm) }
}
