public import RealmStorage

/// A table of a snapshot: its columns, and where its objects are (chapter 3, sections 2 and 3).
public struct Table: Sendable {
  /// What the objects of a table are (chapter 3, section 2, "Table type").
  public enum Kind: Int, Sendable {
    case topLevel = 0
    /// Owned by exactly one other object.
    case embedded = 1
    /// Uploaded and then dropped by sync clients.
    case asymmetric = 2
  }

  /// Tables whose names start so are classes of an app.
  static let classPrefix = Array("class_".utf8)

  public let key: TableKey
  /// Ref of its top array.
  public let ref: Ref
  /// Full name, with the prefix `class_` if it has one.
  public let name: Name
  public let kind: Kind
  /// Properties in column order.
  public let columns: [Column]
  public let backlinkColumns: [BacklinkColumn]
  /// Position of the primary key in `columns`.
  public let primaryKey: Int?
  /// Live objects.
  public let objectCount: Int
  /// The next number to make an object key of (chapter 3, section 4.2).
  public let sequenceNumber: Int
  /// Root of the cluster tree of live objects.
  public let clusters: Ref
  /// Root of the cluster tree of tombstones, 0 for none.
  public let tombstones: Ref

  /// True for a class of an app; false for the tables that Realm keeps for itself.
  public var isClass: Bool { Table.isClass(name) }

  private static func isClass(_ name: Name) -> Bool {
    name.bytes.count > classPrefix.count && name.bytes.starts(with: classPrefix)
  }

  /// The name that users know of the table with the full name `name`.
  static func className(of name: Name) -> Name {
    isClass(name) ? Name(Array(name.bytes[classPrefix.count...])) : name
  }

  /// The name that users know: without the prefix of a class.
  public var className: Name { Table.className(of: name) }

  /// The column with `name`, or nil.
  public func column(named name: String) -> Column? {
    columns.first { $0.name.text == name }
  }
}
