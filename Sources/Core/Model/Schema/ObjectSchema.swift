/// The classes of a realm and their properties, independent of their storage. Realms, imported files, migration
/// plans and comparisons share this type.
public struct ObjectSchema: Sendable {
  /// All classes; ``Property/target`` refers to positions in this array.
  public let classes: [ObjectClass]
  /// Positions of the app's classes in the order of their creation, which is also their order in exports.
  public let appClasses: [Int]

  /// - Parameter appClasses: positions of the classes of the app; nil for the order of `classes`.
  public init(classes: [ObjectClass], appClasses: [Int]? = nil) {
    self.classes = classes
    self.appClasses = appClasses ?? classes.indices.filter { !classes[$0].isInternal }
  }

  /// Positions of the app's classes except embedded ones, in the order of ``appClasses``.
  public var topLevelClasses: [Int] { appClasses.filter { classes[$0].kind != .embedded } }

  /// Positions of Realm's own tables that a new realm keeps. The builder of the realm makes the others itself.
  ///
  /// - Parameter withEmbedded: whether to include tables of embedded objects.
  package func keptInternalClasses(withEmbedded: Bool = false) -> [Int] {
    classes.indices.filter {
      let table = classes[$0]
      return table.isInternal && (withEmbedded || table.kind != .embedded) && !table.isVersionTable
        && !table.isPrimaryKeyTable
    }
  }

  /// The class of the app with `name`, or nil.
  public func objectClass(named name: String) -> ObjectClass? {
    classes.first { !$0.isInternal && $0.name.text.utf8.elementsEqual(name.utf8) }
  }

  /// The target class of the links of `property`, or nil.
  public func target(of property: Property) -> ObjectClass? {
    property.target.map { classes[$0] }
  }
}

/// A class: its name, the kind of its objects, and their properties.
public final class ObjectClass: Sendable {
  /// The kind of the objects of a class.
  public enum Kind: Int, Sendable {
    case topLevel = 0
    /// Exactly one other object owns each object.
    case embedded = 1
    /// Uploaded by sync clients and then dropped.
    case asymmetric = 2
  }

  /// The name for users.
  public let name: Name
  /// Whether this is a table that Realm uses internally, such as `metadata`.
  public let isInternal: Bool
  public let kind: Kind
  public let properties: [Property]
  /// Position of the primary key in ``properties``.
  public let primaryKey: Int?

  public init(
    name: Name, isInternal: Bool = false, kind: Kind = .topLevel, properties: [Property],
    primaryKey: Int? = nil
  ) {
    (self.name, self.isInternal, self.kind) = (name, isInternal, kind)
    (self.properties, self.primaryKey) = (properties, primaryKey)
  }

  /// Prefix of the names of tables that store classes of an app.
  package static let tablePrefix = Array("class_".utf8)

  /// Whether the table with the full name `name` stores a class of an app.
  package static func isClass(tableName name: Name) -> Bool {
    name.bytes.count > tablePrefix.count && name.bytes.starts(with: tablePrefix)
  }

  /// The name for users of the table with the full name `name`: without the prefix `class_`.
  package static func className(ofTable name: Name) -> Name {
    isClass(tableName: name) ? Name(Array(name.bytes[tablePrefix.count...])) : name
  }

  /// The name of the table that stores the class.
  package var tableName: [UInt8] { (isInternal ? [] : ObjectClass.tablePrefix) + name.bytes }

  /// Whether this is the table with the schema version (chapter 3, section 8.1). The builder of a realm makes
  /// it itself.
  package var isVersionTable: Bool { isInternal && name.text == "metadata" }

  /// Whether this is the table of primary keys of formats before 10. Some upgrades left it in the file
  /// (chapter 3, section 1.4).
  package var isPrimaryKeyTable: Bool { isInternal && name.text == "pk" }

  /// The property with `name`, or nil.
  public func property(named name: String) -> Property? {
    position(ofPropertyNamed: name).map { properties[$0] }
  }

  /// Position in ``properties`` of the property with `name`, or nil.
  public func position(ofPropertyNamed name: String) -> Int? {
    properties.firstIndex { $0.name.text.utf8.elementsEqual(name.utf8) }
  }
}

/// The name of a class or property: the bytes as stored, nearly always UTF-8.
public struct Name: Hashable, Sendable, CustomStringConvertible {
  /// The bytes without terminator.
  public let bytes: [UInt8]
  /// The bytes as a string, with replacement characters for invalid UTF-8.
  public let text: String

  public init(_ bytes: [UInt8]) {
    self.bytes = bytes
    text = String(decoding: bytes, as: UTF8.self)
  }

  public init(_ text: String) {
    bytes = Array(text.utf8)
    self.text = text
  }

  /// Whether the bytes are valid UTF-8.
  public var isValid: Bool { bytes.elementsEqual(text.utf8) }

  public var description: String { text }
}
