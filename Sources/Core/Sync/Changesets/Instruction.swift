/// An instruction of a changeset (chapter 4, section 3.5). Tables have the names of their classes, without prefix.
/// Names are bytes that are nearly always UTF-8.
package enum Instruction: Equatable, Sendable {
  case addTable(name: InternedName, kind: TableKind, primaryKey: PrimaryKeyColumn?)
  case eraseTable(name: InternedName)
  case createObject(table: InternedName, key: ObjectIdentity)
  case eraseObject(table: InternedName, key: ObjectIdentity)
  /// Sets a property, a list element or a dictionary value.
  case update(Place, Payload, UpdateKind)
  case addInteger(Place, Int64)
  case addColumn(NewColumn)
  case eraseColumn(table: InternedName, field: InternedName)
  case arrayInsert(Place, Payload, priorSize: Int)
  case arrayMove(Place, destination: Int, priorSize: Int)
  case arrayErase(Place, priorSize: Int)
  /// The integer is the kind of the collection; older clients used it for other purposes.
  case clear(Place, Int64)
  case setInsert(Place, Payload)
  case setErase(Place, Payload)

  /// The kind of a table.
  package enum TableKind: Int, Sendable {
    case topLevel = 0
    case embedded = 1
    case asymmetric = 2
  }

  /// The primary key of a new table.
  package struct PrimaryKeyColumn: Equatable, Sendable {
    /// Empty if the table has no primary key.
    package var name: InternedName
    package var type: ValueType
    package var isNullable: Bool

    package init(name: InternedName, type: ValueType, isNullable: Bool) {
      (self.name, self.type, self.isNullable) = (name, type, isNullable)
    }

    /// Encodes the absence of a primary key, in a table that is not embedded.
    static let absent = PrimaryKeyColumn(
      name: InternedName([]), type: .globalKey, isNullable: false)
  }

  /// A property that is added to a table.
  package struct NewColumn: Equatable, Sendable {
    package var table: InternedName
    package var name: InternedName
    package var type: ValueType
    package var isNullable: Bool
    package var collection: Collection
    /// The target class of links.
    package var target: InternedName?
    /// The type of the keys of a dictionary.
    package var keyType: ValueType?

    package init(
      table: InternedName, name: InternedName, type: ValueType, isNullable: Bool,
      collection: Collection, target: InternedName? = nil, keyType: ValueType? = nil
    ) {
      (self.table, self.name, self.type) = (table, name, type)
      (self.isNullable, self.collection) = (isNullable, collection)
      (self.target, self.keyType) = (target, keyType)
    }
  }

  /// The kind of the collection in a column.
  package enum Collection: Int, Sendable {
    case none = 0
    case list = 1
    case dictionary = 2
    case set = 3
  }

  /// The kind of an update.
  package enum UpdateKind: Equatable, Sendable {
    /// A list element; `priorSize` is the size of the list before the update.
    case element(priorSize: Int)
    /// Any other place; `isDefault` for the default value of a new object.
    case value(isDefault: Bool)
  }

  /// The place of the value that an instruction changes.
  package struct Place: Equatable, Sendable {
    package var table: InternedName
    package var key: ObjectIdentity
    package var field: InternedName
    package var path: [Step]

    package init(
      table: InternedName, key: ObjectIdentity, field: InternedName, path: [Step] = []
    ) {
      (self.table, self.key, self.field, self.path) = (table, key, field, path)
    }
  }

  /// A step from a property to a nested value.
  package enum Step: Equatable, Sendable {
    case index(Int)
    /// A field of an embedded object, or a key of a dictionary.
    case name(InternedName)
  }

  /// The type of a value (section 3.3).
  package enum ValueType: Int, Sendable {
    /// Null; mixed if it is the type of a column.
    case null = 0
    case int = 1
    case bool = 2
    case string = 3
    case binary = 4
    case timestamp = 5
    case float = 6
    case double = 7
    case decimal = 8
    case link = 9
    case objectId = 10
    case uuid = 11
    case globalKey = -1
    case newObject = -2
    case dictionary = -3
    case erased = -4
    case list = -5
    case set = -6
  }

  /// A string that a changeset defines once and then refers to by number.
  package struct InternedName: Hashable, Sendable {
    package var bytes: [UInt8]

    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The bytes as a string; invalid UTF-8 is replaced.
    package var text: String { String(decoding: bytes, as: UTF8.self) }
  }

  /// The identity of an object in its table (section 3.4).
  package enum ObjectIdentity: Hashable, Sendable {
    case null
    case int(Int64)
    case string(InternedName)
    /// The identity in tables without a primary key.
    case globalKey(high: UInt64, low: UInt64)
    case objectId([UInt8])
    case uuid([UInt8])
  }

  /// A value in a changeset.
  package enum Payload: Hashable, Sendable {
    case null
    case int(Int64)
    case bool(Bool)
    case string([UInt8])
    case binary([UInt8])
    case timestamp(seconds: Int64, nanoseconds: Int32)
    case float(UInt32)
    case double(UInt64)
    /// The value ±coefficient · 10^exponent.
    case decimal(coefficient: UInt128, exponent: Int, isNegative: Bool)
    case link(table: InternedName, key: ObjectIdentity)
    case objectId([UInt8])
    case uuid([UInt8])
    /// Creates an embedded object.
    case newObject
    /// Makes the value an empty dictionary.
    case newDictionary
    /// Makes the value an empty list.
    case newList
    /// Makes the value an empty set.
    case newSet
    /// Removes the key from a dictionary.
    case erased
  }
}
