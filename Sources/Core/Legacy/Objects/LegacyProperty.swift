import RealmModel

/// A property of a class with its column, and how its collections are stored.
struct LegacyProperty {
  let column: LegacyColumn
  /// Position of the class of its subtables; nil if it has no subtables that are objects.
  let embedded: Int?
  /// The column of the elements of its lists; nil if it has no lists of values.
  let elements: LegacyColumn?
  /// The elements of an empty collection.
  let noElements: ColumnValues

  init(_ layout: LegacyClassLayout, _ property: Int, _ realm: LegacyRealm) {
    column = layout.columns[property]
    embedded = layout.embedded[property]
    elements = column.elements
    noElements =
      embedded.map { LegacyProperty.noObjects(ofClass: $0, realm) }
      ?? LegacyProperty.noValues(column, elements)
  }

  private static func noObjects(ofClass position: Int, _ realm: LegacyRealm) -> ColumnValues {
    let none = ObjectBatch(
      classPosition: position, count: 0, keys: [],
      columns: Array(repeating: nil, count: realm.layouts[position].columns.count), owner: nil)
    return .embedded(EmbeddedColumn(rows: [], objects: none))
  }

  /// An empty column of the type of the elements.
  private static func noValues(_ column: LegacyColumn, _ elements: LegacyColumn?) -> ColumnValues {
    if case .linkList(let target) = column.kind {
      return .link(LinkColumn(target: target, count: 0, nulls: NullMask()))
    }
    switch elements?.kind {
    case .link(let target): return .link(LinkColumn(target: target, count: 0, nulls: NullMask()))
    case .values(let content, _):
      return content.noValues.scalars.map { .scalar($0) } ?? .mixed(MixedColumn(values: []))
    case .enumerated: return .scalar(.string(SliceColumn([])))
    case .timestamps: return .scalar(.timestamp([], [], NullMask()))
    default: return .mixed(MixedColumn(values: []))
    }
  }
}
