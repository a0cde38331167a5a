import RealmModel
import RealmStorage

/// The nodes of a legacy realm and its lists of distinct strings. Used by one thread.
final class LegacyReader {
  let realm: LegacyRealm
  let nodes: NodeReader
  /// The distinct strings of enumerated columns, by the ref of their list. Read before any scope is opened,
  /// so that they outlive all scopes.
  private var strings: [Ref: Result<SliceColumn, RealmFileError>] = [:]

  /// - Throws: the errors of an encrypted source.
  convenience init(_ realm: LegacyRealm) throws(RealmFileError) {
    self.init(realm, try realm.snapshot.makeReader())
  }

  /// - Parameter nodes: a reader in which no scope is open.
  init(_ realm: LegacyRealm, _ nodes: NodeReader) {
    (self.realm, self.nodes) = (realm, nodes)
    for table in realm.tables { readStrings(of: table.spec) }
  }

  private func readStrings(of spec: LegacySpec) {
    for column in spec.columns {
      switch column.kind {
      case .enumerated(let root) where strings[root] == nil:
        // A list that cannot be read becomes an error when it is needed.
        do throws(RealmFileError) {
          strings[root] = .success(
            try nodes.traversing { () throws(RealmFileError) in
              try list(root, isNullable: column.isNullable)
            })
        } catch {
          strings[root] = .failure(error)
        }
      case .subtable(let spec): readStrings(of: spec)
      default: continue
      }
    }
  }

  private func list(_ root: Ref, isNullable: Bool) throws(RealmFileError) -> SliceColumn {
    var builder = ColumnBuilder(type: .string)
    var leaves = BPlusTreeLeaves(root: root, nodes: nodes)
    while let leaf = try leaves.next() {
      builder.append(try LegacyLeaf.decode(leaf, .strings, isNullable: isNullable, nodes))
      guard builder.count <= max(1000, nodes.logicalSize) else {
        throw .damaged(.leafEnumeration, at: root, "the list has more strings than the file has bytes")
      }
    }
    guard case .scalar(.string(let strings)) = builder.batch else { return SliceColumn([]) }
    return strings
  }

  /// The distinct strings in the list at `root`.
  ///
  /// - Throws: `damaged` if the list cannot be read.
  func strings(at root: Ref) throws(RealmFileError) -> SliceColumn {
    try strings[root]?.get() ?? SliceColumn([])
  }
}
