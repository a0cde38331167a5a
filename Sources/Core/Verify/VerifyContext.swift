import RealmModel
package import RealmStorage

/// The data that all passes over a realm share.
package struct VerifyContext: Sendable {
  let snapshot: Snapshot
  /// The version being checked.
  let version: Snapshot.Version
  /// The realm with all readable tables; without tables for formats 2 to 9, see ``LegacyPass``.
  let realm: Realm
  /// Maximum number of findings of each severity that are kept.
  let limit: Int
  /// Names of the classes of all table slots, readable or not.
  package let classNames: [Int: String]
  /// The classes whose objects are checked; nil for all.
  let classes: Set<String>?
  /// The findings of reading the schema.
  let schemaFindings: Findings
  /// Slots of tables that exist but cannot be read.
  let unreadableSlots: Set<Int>

  /// - Throws: errors other than damage.
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
  var tables: [Table] { realm.schema.tables.filter(isWanted) }

  /// Whether the objects of the table are checked.
  func isWanted(_ table: Table) -> Bool { isWanted(className: table.className.text) }

  /// Whether the objects of the class are checked.
  func isWanted(className: String) -> Bool { classes?.contains(className) ?? true }
}
