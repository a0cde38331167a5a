import RealmModel
import RealmStorage

/// The names of tables and columns.
struct LegacyNames {
  /// The most bytes of the names of classes and properties in the current format: a table has the name of
  /// its class with a prefix.
  static let (classByteLimit, propertyByteLimit) = (57, 63)

  private var taken: Set<[UInt8]> = []

  /// Reads an array of names. An empty cell and a null marker mean an empty name (chapter 5, section 6.4).
  ///
  /// - Throws: `damaged` with rule `spec.names` or a rule of group `leaf`.
  static func stored(at ref: Ref, _ nodes: NodeReader) throws(RealmFileError) -> [Name] {
    let node = try nodes.node(at: ref)
    // Only short strings, so at most 63 bytes: a name is repeated for every value of its column.
    guard !node.hasRefs, !node.isInner,
      case .scalar(.string(let names)) = try LegacyLeaf.decode(
        node, .strings, isNullable: false, nodes)
    else {
      throw .damaged(.specNames, at: ref, "the names are \(node.form), expected short strings")
    }
    return names.map { Name($0?.bytes ?? []) }
  }

  /// A name that no earlier caller got: `stored`; for an empty name, `prefix` and the position; for a name
  /// in use or too long, the name and the position (section 11.1).
  ///
  /// - Parameter byteLimit: the most bytes of a name. Longer names are cut.
  mutating func unique(
    _ stored: Name, prefix: String, position: Int, byteLimit: Int
  ) -> Name {
    let bytes = stored.bytes.isEmpty ? Array("\(prefix)_\(position)".utf8) : stored.bytes
    var name = bytes
    var number = 0
    while name.count > byteLimit || !taken.insert(name).inserted {
      number += 1
      let suffix = Array((number == 1 ? "_\(position)" : "_\(position)_\(number)").utf8)
      name = LegacyNames.prefix(of: bytes, byteLimit - suffix.count) + suffix
    }
    return Name(name)
  }

  /// The first characters of a name that have at most `byteLimit` bytes.
  private static func prefix(of name: [UInt8], _ byteLimit: Int) -> ArraySlice<UInt8> {
    guard name.count > byteLimit else { return name[...] }
    // The other bytes of a character begin with the bits 10.
    let end = (0...byteLimit).last(where: { name[$0] & 0xC0 != 0x80 })
    return name.prefix(end ?? 0)
  }
}
