package import RealmStorage

/// Where a snapshot stores the objects of a class (chapter 3, sections 2 and 3).
///
/// It is a class rather than a struct because every link is passed with its table, and a reference costs less
/// to pass than the fields.
package final class Table: Sendable {
  /// The class of the objects.
  package let objectClass: ObjectClass
  package let key: TableKey
  /// Ref of the table's top array.
  package let ref: Ref
  /// Position among the tables of the schema, and of its class among the classes.
  package let position: Int
  /// Full name, with the prefix `class_` if it has one.
  package let name: Name
  /// One column per property of the class, in the same order.
  package let columns: [Column]
  package let backlinkColumns: [BacklinkColumn]
  /// Number of live objects.
  package let objectCount: Int
  /// The number for the next generated object key (chapter 3, section 4.2).
  package let sequenceNumber: Int
  /// Root of the cluster tree of live objects.
  package let clusters: Ref
  /// Root of the cluster tree of tombstones; 0 if there is none.
  package let tombstones: Ref

  /// - Parameters:
  ///   - draft: the table as it was read.
  ///   - target: returns the position of the table with a key; nil if there is none.
  init(_ draft: TableDraft, position: Int, target: (TableKey) -> Int?) {
    let layout = draft.layout
    let properties = draft.columns.map { column in
      layout.property(of: column, target: column.target.flatMap(target))
    }
    objectClass = ObjectClass(
      name: ObjectClass.className(ofTable: draft.name),
      isInternal: !ObjectClass.isClass(tableName: draft.name),
      kind: layout.kind, properties: properties, primaryKey: draft.primaryKey)
    columns = zip(draft.columns, properties).map { Column($0, $1) }
    (key, ref, self.position, name) = (layout.key, layout.top.ref, position, draft.name)
    backlinkColumns = draft.backlinkColumns
    (objectCount, clusters, tombstones) = (draft.objectCount, draft.clusters, draft.tombstones)
    sequenceNumber = layout.top.slotInteger(at: TableLayout.Slot.sequenceNumber)
  }

  /// Whether the table stores a class of an app. Realm uses all other tables internally.
  package var isClass: Bool { !objectClass.isInternal }
  /// The name for users: without the prefix `class_`.
  package var className: Name { objectClass.name }
  package var kind: ObjectClass.Kind { objectClass.kind }
  /// Position of the primary key in `columns`.
  package var primaryKey: Int? { objectClass.primaryKey }

  /// The column with `name`, or nil.
  package func column(named name: String) -> Column? {
    columns.first { $0.name.text.utf8.elementsEqual(name.utf8) }
  }
}
