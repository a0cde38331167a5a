import RealmModel
import RealmStorage

/// Encodes classes and properties for the content hash (docs/hash.md). The order of classes and properties does not
/// matter, nor how a file format indexes primary keys.
enum SchemaDigest {
  private static let prefix = Array("realm-hash 1 schema\n".utf8)

  /// The digest of `classes`, given by their positions.
  static func digest(
    of schema: ObjectSchema, classes: [Int]
  ) throws(RealmFileError) -> [UInt8] {
    var bytes = EncodedBytes()
    bytes.append(prefix)
    for position in schema.sortedByName(classes) {
      append(schema.classes[position], schema, to: &bytes)
    }
    return try bytes.withBytes(0..<bytes.count) { (bytes) throws(RealmFileError) in
      try SHA256().digestBytes(of: bytes)
    }
  }

  private static func append(
    _ objectClass: ObjectClass, _ schema: ObjectSchema, to bytes: inout EncodedBytes
  ) {
    bytes.append(string: objectClass.name.bytes)
    bytes.append(UInt8(objectClass.kind.rawValue))
    append(objectClass.primaryKey.map { objectClass.properties[$0].name }, to: &bytes)
    let sorted = objectClass.properties.enumerated().sorted {
      $0.element.name.bytes.lexicographicallyPrecedes($1.element.name.bytes)
    }
    for (position, property) in sorted {
      bytes.append(string: property.name.bytes)
      bytes.append(string: Array(property.type.rawValue.utf8))
      // A mixed value may always be null.
      bytes.append(UInt8(property.isOptional || property.type == .mixed ? 1 : 0))
      bytes.append(collection(property.collection))
      bytes.append(UInt8(property.hasIntegerKeys ? 1 : 0))
      append(schema.target(of: property)?.name, to: &bytes)
      bytes.append(index(position == objectClass.primaryKey ? nil : property.index))
    }
    bytes.append(.end)
  }

  private static func append(_ name: Name?, to bytes: inout EncodedBytes) {
    if let name { bytes.append(string: name.bytes) } else { bytes.append(.null) }
  }

  private static func collection(_ kind: CollectionKind?) -> UInt8 {
    switch kind {
    case nil: 0
    case .list: 1
    case .set: 2
    case .dictionary: 3
    }
  }

  private static func index(_ index: PropertyIndex?) -> UInt8 {
    switch index {
    case nil: 0
    case .search: 1
    case .fulltext: 2
    }
  }
}

extension ObjectSchema {
  /// The positions of classes in the order of their names.
  func sortedByName(_ positions: [Int]) -> [Int] {
    positions.sorted { classes[$0].name.bytes.lexicographicallyPrecedes(classes[$1].name.bytes) }
  }
}
