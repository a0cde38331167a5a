package import RealmModel
package import RealmStorage

/// The columns of a table, or of all subtables in a column (chapter 5, section 5.2).
package final class LegacySpec: Sendable {
  /// Named columns, then backlink columns.
  package let columns: [LegacyColumn]
  /// Number of refs in an array of columns, which has one for each column and one for each search index.
  package let slotCount: Int
  /// The columns with properties: neither backlinks nor subtables without columns.
  let properties: [LegacyColumn]
  /// Why the names of the columns cannot be read; nil if they can.
  package let lostNames: RealmFileError?

  init(columns: [LegacyColumn], lostNames: RealmFileError? = nil) {
    (self.columns, self.lostNames) = (columns, lostNames)
    properties = columns.filter(\.holdsValues)
    slotCount = columns.reduce(0) { $0 + ($1.isIndexed ? 2 : 1) }
  }
}

/// A column of a table or subtable.
package final class LegacyColumn: Sendable {
  /// What a column stores, according to the code of its type (section 5.3).
  package enum Kind: Sendable {
    /// Single values of one type, in one tree.
    case values(LegacyLeaf.Content, PropertyType)
    /// Strings as positions in a list of distinct strings.
    case enumerated(strings: Ref)
    case timestamps
    case mixed
    /// Links to rows of the table at `target`.
    case link(target: Int)
    case linkList(target: Int)
    case subtable(LegacySpec)
    case backlinks(origin: Int, column: Int)
    /// A column of a damaged realm whose type is known only in part.
    case unreadable(RealmFileError)
  }

  /// The stored name, which may be empty or equal the name of another column.
  package let name: Name
  package let kind: Kind
  package let isNullable: Bool
  package let isIndexed: Bool
  /// Position among the columns of the spec.
  package let position: Int
  /// Position in an array of columns, which also has refs to search indexes.
  package let slot: Int

  init(
    name: Name, kind: Kind, isNullable: Bool, isIndexed: Bool, position: Int, slot: Int
  ) {
    (self.name, self.kind, self.position, self.slot) = (name, kind, position, slot)
    (self.isNullable, self.isIndexed) = (isNullable, isIndexed)
  }

  var isBacklinks: Bool { if case .backlinks = kind { true } else { false } }

  /// Whether the column holds values of the user.
  var holdsValues: Bool {
    switch kind {
    case .backlinks, .unreadable: false
    case .subtable(let spec): !spec.properties.isEmpty
    default: true
    }
  }

  /// The column of the elements, if the column holds lists, which are subtables with one column of single values.
  package var elements: LegacyColumn? {
    guard case .subtable(let spec) = kind, spec.properties.count == 1 else { return nil }
    let column = spec.properties[0]
    switch column.kind {
    case .subtable, .linkList: return nil
    default: return column
    }
  }

  /// The spec of the objects, if the column holds subtables that are not lists.
  var objects: LegacySpec? {
    guard case .subtable(let spec) = kind, elements == nil else { return nil }
    return spec
  }
}
