import RealmModel
import RealmStorage

/// Reads the names of tables and columns, and makes them unique.
struct LegacyNames {
  /// The most bytes of the name of a class and of a property in the current format. The name of a table also has a
  /// prefix.
  static let (classByteLimit, propertyByteLimit) = (57, 63)

  private var taken: Set<[UInt8]> = []

  /// Reads an array of names. An empty cell or a null marker is an empty name (chapter 5, section 6.4).
  ///
  /// - Throws: `damaged` with rule `spec.names` or a rule of group `leaf`.
  static func stored(at ref: Ref, _ nodes: NodeReader) throws(RealmFileError) -> [Name] {
    let node = try nodes.node(at: ref)
    // Only short strings, of at most 63 bytes, because an export repeats a name for every value.
    guard !node.hasRefs, !node.isInner,
      case .scalar(.string(let names)) = try LegacyLeaf.decode(
        node, .strings, isNullable: false, nodes)
    else {
      throw .damaged(.specNames, at: ref, "the names are \(node.form), expected short strings")
    }
    return names.map { Name($0?.bytes ?? []) }
  }

  /// The names of the tables of a damaged realm, with made-up ones in place of empty and invalid names.
  ///
  /// - Parameter count: number of tables.
  /// - Returns: nil if the names cannot be read.
  /// - Throws: errors that are not damage.
  static func ofTables(
    at ref: Ref, count: Int, _ nodes: NodeReader, _ losses: inout LegacySchemaLosses
  ) throws(RealmFileError) -> [Name]? {
    do throws(RealmFileError) {
      let names = try stored(at: ref, nodes)
      guard names.count == count else {
        throw .damaged(
          .tableNames, at: ref, "there are \(names.count) table names for \(count) tables")
      }
      return names.enumerated().map { $1.isValid && !$1.bytes.isEmpty ? $1 : madeUp(forTable: $0) }
    } catch {
      guard error.isDamage else { throw error }
      losses.areTableNamesLost = true
      return nil
    }
  }

  /// The name of a table whose name is lost: that of a class.
  static func madeUp(forTable position: Int) -> Name {
    Name(ObjectClass.tablePrefix + Array("class_\(position)".utf8))
  }

  /// Returns a name that is not in use yet (section 11.1): the stored name; `prefix` and the position, if that is
  /// empty; the stored name and the position, if that is in use or too long.
  ///
  /// - Parameter byteLimit: the most bytes of the name. A longer one is cut.
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
