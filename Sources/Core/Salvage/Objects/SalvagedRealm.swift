import RealmBuilding
package import RealmModel
package import RealmStorage

/// A realm with the classes whose table can be read.
package struct SalvagedRealm: Sendable {
  /// A table that cannot be read.
  struct LostTable: Sendable {
    /// Name of the class or internal table; empty if it is lost too.
    let name: String
    let isInternal: Bool
    let rule: Rule
    let offset: Int
    let message: String
  }

  package let realm: Realm
  let lostTables: [LostTable]
  /// What the realm lacks because it was made from one of formats 2 to 9; nil for a realm that was not.
  let conversion: ConversionLosses?

  /// - Parameters:
  ///   - snapshot: a version of a format from 10 on.
  ///   - conversion: what was lost when it was made from a realm of formats 2 to 9.
  /// - Throws: `damaged` if the list of tables cannot be read.
  package init(
    _ snapshot: Snapshot, _ conversion: ConversionLosses? = nil
  ) throws(RealmFileError) {
    self.conversion = conversion
    var visitor = Visitor()
    let schema = try SchemaReader(nodes: try snapshot.makeReader()).read(snapshot.top, &visitor)
    realm = Realm(snapshot, schema: schema)
    lostTables = visitor.lost
  }

  /// In a realm without classes, a table with objects that no SDK made: one of a program that uses the
  /// storage engine itself, or a class with a damaged name. In synced realms, the Realm libraries
  /// themselves have more such tables.
  var tableOfNoClass: Table? {
    let tables = realm.schema.tables
    guard !tables.contains(where: \.isClass), !lostTables.contains(where: { !$0.isInternal }) else {
      return nil
    }
    return tables.first { table in
      let stored = realm.schema.objects.classes[table.position]
      return table.objectCount > 0 && !stored.isVersionTable && !stored.isPrimaryKeyTable
    }
  }

  private struct Visitor: SchemaVisitor {
    var lost: [LostTable] = []

    mutating func visit(names: Node, _ entries: Node) {}
    mutating func visit(emptySlot slot: Int, _ element: RefElement, name: Name) {}
    mutating func visit(_ layout: TableLayout, name: Name) {}

    mutating func lost(
      _ error: RealmFileError, slot: Int, name: Name
    ) throws(RealmFileError) {
      guard let finding = Finding(error) else { throw error }
      lost.append(
        LostTable(
          name: ObjectClass.className(ofTable: name).text,
          isInternal: !ObjectClass.isClass(tableName: name), rule: finding.rule,
          offset: finding.offset, message: finding.message))
    }
  }
}
