package import RealmModel
package import RealmStorage

/// The data that the checks of one realm share.
package struct VerifyContext: Sendable {
  package let snapshot: Snapshot
  /// The version being checked.
  package let version: Snapshot.Version
  /// The realm with all readable tables; without tables for formats 2 to 9, see ``LegacyChecks``.
  package let realm: Realm
  /// Maximum number of findings of each severity to keep.
  package let limit: Int
  /// Names of the classes of all table slots, readable or not.
  package let classNames: [Int: String]
  /// The classes whose objects are checked; nil for all.
  package let classes: Set<String>?
  /// The findings of reading the schema.
  package let schemaFindings: Findings
  /// Slots of tables that exist but cannot be read.
  package let unreadableSlots: Set<Int>

  /// - Throws: errors that say nothing about the file.
  package init(
    _ snapshot: Snapshot, version: Snapshot.Version, classes: [String]?, limit: Int
  ) throws(RealmFileError) {
    (self.snapshot, self.version, self.limit) = (snapshot, version, limit)
    if snapshot.isLegacy {
      realm = Realm(withoutTables: snapshot)
      (schemaFindings, unreadableSlots) = (Findings(limit: 0), [])
    } else {
      let (realm, rules) = try Realm.checking(snapshot, limit: limit)
      (self.realm, schemaFindings, unreadableSlots) = (realm, rules.findings, rules.lostSlots)
    }

    let nodes = try snapshot.makeReader()
    let names = Realm.tableNames(snapshot.top, nodes)
    var classNames: [Int: String] = [:]
    for slot in names.indices {
      if let name = Realm.className(inSlot: slot, of: names), !name.isEmpty {
        classNames[slot] = name
      }
    }
    self.classNames = classNames
    self.classes = classes.map { Set($0) }
  }

  /// Tables whose objects are checked.
  package var tables: [Table] { realm.schema.tables.filter(isWanted) }

  /// Whether the objects of the table are checked.
  package func isWanted(_ table: Table) -> Bool { isWanted(className: table.className.text) }

  /// Whether the objects of the class are checked.
  func isWanted(className: String) -> Bool { classes?.contains(className) ?? true }
}

/// The readers of a worker thread, which no other thread may use.
package final class VerifyWorker {
  package let reader: RealmReader

  package var nodes: NodeReader { reader.nodes }

  init(_ realm: Realm) throws(RealmFileError) { reader = try RealmReader(realm) }
}
