package import RealmStorage

/// The type of a column's values, or of the elements of its collections: the type codes of chapter 3,
/// section 3.1.
package enum ColumnType: Int, Sendable, CaseIterable {
  case int = 0
  case bool = 1
  case string = 2
  case binary = 4
  case mixed = 6
  case timestamp = 8
  case float = 9
  case double = 10
  case decimal = 11
  case link = 12
  case backlink = 14
  case objectId = 15
  case typedLink = 16
  case uuid = 17

  /// The property type that users know.
  var propertyType: PropertyType {
    switch self {
    case .int: .int
    case .bool: .bool
    case .string: .string
    case .binary: .binary
    case .mixed: .mixed
    case .timestamp: .timestamp
    case .float: .float
    case .double: .double
    case .decimal: .decimal
    case .link: .link
    case .objectId: .objectId
    case .typedLink: .typedLink
    case .uuid: .uuid
    // A backlink column is not a property, but the other end of a link.
    case .backlink: .link
    }
  }
}

/// Identifies a column of a table and states its type (chapter 3, section 4.1). It takes precedence over the
/// type and attribute arrays of the spec.
///
/// ```
/// bits 0–15   leaf index: position of the column in a cluster
/// bits 16–21  type code
/// bits 22–29  attributes
/// bits 30–61  tag
/// ```
package struct ColumnKey: Hashable, Sendable {
  /// Attribute bits as the key and the spec store them (section 3.2).
  package enum Attribute {
    package static let indexed = 1
    package static let nullable = 16
    package static let list = 32
    package static let dictionary = 64
    package static let set = 128
    package static let fulltextIndexed = 256
  }
  /// The type code of "list of links" in keys of formats 10 to 23.
  package static let linkListCode = 13

  package let raw: Int64

  package init(_ raw: Int64) { self.raw = raw }

  /// The key of a new column.
  ///
  /// - Parameter tag: a value of 32 bits.
  package init(
    leafIndex: Int, _ type: ColumnType, collection: CollectionKind?, isNullable: Bool, tag: Int,
    _ format: FileFormat = .current
  ) {
    let kind =
      switch collection {
      case .list: Attribute.list
      case .set: Attribute.set
      case .dictionary: Attribute.dictionary
      case nil: 0
      }
    let attributes = kind | (isNullable ? Attribute.nullable : 0)
    let code = type == .link && collection == .list ? format.linkListCode : type.rawValue
    raw =
      Int64(leafIndex) | Int64(code) << 16 | Int64(attributes) << 22 | Int64(tag) << 30
  }

  package static let null = ColumnKey(0x7FFF_FFFF_FFFF_FFFF)

  /// Position of the column's leaf in a cluster.
  package var leafIndex: Int { Int(raw & 0xFFFF) }
  package var typeCode: Int { Int(raw >> 16 & 0x3F) }
  package var attributes: Int { Int(raw >> 22 & 0xFF) }

  /// The type of the values; nil for a code that no format up to 24 uses.
  package var type: ColumnType? {
    typeCode == ColumnKey.linkListCode ? .link : ColumnType(rawValue: typeCode)
  }

  /// Whether values, or the elements of a collection, may be null.
  package var isNullable: Bool { attributes & Attribute.nullable != 0 }

  /// The kind of collection; nil for a single value.
  package var collection: CollectionKind? {
    if attributes & Attribute.list != 0 || typeCode == ColumnKey.linkListCode { return .list }
    if attributes & Attribute.set != 0 { return .set }
    return attributes & Attribute.dictionary != 0 ? .dictionary : nil
  }
}

/// Identifies a table as long as it exists (chapter 3, section 1.2). Bits 0–15 are its slot, bits 16–30 a tag
/// that changes when the slot is reused.
@usableFromInline
package struct TableKey: Hashable, Comparable, Sendable {
  /// 0…0x7FFFFFFE for a table; 0x7FFFFFFF is the null key.
  package let raw: Int

  package init(_ raw: Int) { self.raw = raw }

  package static let null = TableKey(0x7FFF_FFFF)

  /// Position of the table in the group's arrays.
  package var slot: Int { raw & 0xFFFF }

  @usableFromInline
  package static func < (a: TableKey, b: TableKey) -> Bool { a.raw < b.raw }
}
