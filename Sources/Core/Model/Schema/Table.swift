public import RealmStorage

/// A table of a snapshot: its columns, and the refs of its objects (chapter 3, sections 2 and 3). A
/// class, because tables are passed along with every link, and a reference costs less than the
/// fields.
public final class Table: Sendable {
  /// The codes of chapter 3, section 2, "Table type".
  public typealias Kind = ObjectClass.Kind

  public let key: TableKey
  /// Ref of its top array.
  public let ref: Ref
  /// Position among the tables of the schema.
  public let position: Int
  /// Full name, with the prefix `class_` if it has one.
  public let name: Name
  /// True for a class of an app; false for tables that Realm uses internally.
  public let isClass: Bool
  /// The name for users: without the prefix of a class.
  public let className: Name
  public let kind: Kind
  /// Properties in column order.
  public let columns: [Column]
  public let backlinkColumns: [BacklinkColumn]
  /// Position of the primary key in `columns`.
  public let primaryKey: Int?
  /// Number of live objects.
  public let objectCount: Int
  /// The number from which the next object key is made (chapter 3, section 4.2).
  public let sequenceNumber: Int
  /// Root of the cluster tree of live objects.
  public let clusters: Ref
  /// Root of the cluster tree of tombstones; 0 if there is none.
  public let tombstones: Ref

  init(
    key: TableKey, ref: Ref, position: Int, name: Name, kind: Kind, columns: [Column],
    backlinkColumns: [BacklinkColumn], primaryKey: Int?, objectCount: Int, sequenceNumber: Int,
    clusters: Ref, tombstones: Ref
  ) {
    (self.key, self.ref, self.position, self.name) = (key, ref, position, name)
    self.kind = kind
    isClass = Table.isClass(name)
    className = Table.className(of: name)
    (self.columns, self.backlinkColumns, self.primaryKey) = (columns, backlinkColumns, primaryKey)
    (self.objectCount, self.sequenceNumber) = (objectCount, sequenceNumber)
    (self.clusters, self.tombstones) = (clusters, tombstones)
  }

  private static func isClass(_ name: Name) -> Bool {
    name.bytes.count > ObjectClass.tablePrefix.count
      && name.bytes.starts(with: ObjectClass.tablePrefix)
  }

  /// The name for users of the table with the full name `name`.
  static func className(of name: Name) -> Name {
    isClass(name) ? Name(Array(name.bytes[ObjectClass.tablePrefix.count...])) : name
  }

  /// The column with `name`, or nil.
  public func column(named name: String) -> Column? {
    columns.first { $0.name.text.utf8.elementsEqual(name.utf8) }
  }
}
