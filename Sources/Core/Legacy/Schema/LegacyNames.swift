import RealmModel
import RealmStorage

/// The names of tables and columns.
struct LegacyNames {
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
  /// in use, the name and the position (section 11.1).
  mutating func unique(_ stored: Name, prefix: String, position: Int) -> Name {
    var name = stored.bytes.isEmpty ? Name("\(prefix)_\(position)") : stored
    while !taken.insert(name.bytes).inserted {
      name = Name(name.bytes + Array("_\(position)".utf8))
    }
    return name
  }
}
