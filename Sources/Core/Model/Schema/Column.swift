package import RealmStorage

/// Where a table stores the values of a property. A class instead of a struct, because columns are passed
/// along with every run of values, and a reference costs less than the fields.
package final class Column: Sendable {
  /// The property with these values.
  package let property: Property
  package let key: ColumnKey
  package let type: ColumnType
  /// The table that links of this column lead to; nil for other types.
  package let target: TableKey?
  /// The backlink column of the target; nil for other types, whose entry is null.
  package let opposite: ColumnKey?
  /// Root of the search index, 0 for none.
  package let index: Ref
  /// The list of distinct values of an enumerated string column; 0 if there is none (chapter 3,
  /// section 7).
  package let enumeration: Ref

  package init(_ layout: ColumnLayout, _ property: Property) {
    self.property = property
    (key, type, target, opposite) = (layout.key, layout.type, layout.target, layout.opposite)
    (index, enumeration) = (layout.index, layout.enumeration)
  }

  package var name: Name { property.name }
  /// True if values, or the elements of a collection, may be null.
  package var isNullable: Bool { property.isOptional }
  /// The kind of collection; nil for a single value.
  package var collection: CollectionKind? { property.collection }
  /// True if there is a search index that is not a full-text index.
  package var isIndexed: Bool { property.index == .search }
  package var isFulltextIndexed: Bool { property.index == .fulltext }
  /// True for a dictionary with integer keys, which no SDK writes.
  package var hasIntegerKeys: Bool { property.hasIntegerKeys }

  /// True if the index lists words instead of whole values (chapter 3, section 5.7).
  package var isIndexedByWords: Bool { isFulltextIndexed || collection != nil }

  /// True if values can be links.
  package var canHoldLinks: Bool { type == .link || type == .mixed || type == .typedLink }
}

/// A column with the backlinks of each object.
package struct BacklinkColumn: Sendable {
  package let key: ColumnKey
  /// The table of the links; `originColumn` is their column.
  package let origin: TableKey
  package let originColumn: ColumnKey
}
