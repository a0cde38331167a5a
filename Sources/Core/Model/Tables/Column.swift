package import RealmStorage

/// Where a table stores the values of a property.
///
/// It is a class rather than a struct because every run of values is passed with its column, and a reference
/// costs less to pass than the fields.
package final class Column: Sendable {
  /// The property with these values.
  package let property: Property
  package let key: ColumnKey
  package let type: ColumnType
  /// The table that the column's links refer to; nil for other types.
  package let target: TableKey?
  /// The backlink column of the target; nil for other types.
  package let opposite: ColumnKey?
  /// Root of the search index, 0 for none.
  package let index: Ref
  /// The list of distinct values of an enumerated string column, 0 for none (chapter 3, section 7).
  package let enumeration: Ref

  package init(_ layout: ColumnLayout, _ property: Property) {
    self.property = property
    (key, type, target, opposite) = (layout.key, layout.type, layout.target, layout.opposite)
    (index, enumeration) = (layout.index, layout.enumeration)
  }

  package var name: Name { property.name }
  /// Whether values, or the elements of a collection, may be null.
  package var isNullable: Bool { property.isOptional }
  /// The kind of collection; nil for a single value.
  @usableFromInline
  package var collection: CollectionKind? { property.collection }
  /// Whether there is a search index that is not a full-text index.
  package var isIndexed: Bool { property.index == .search }
  package var isFulltextIndexed: Bool { property.index == .fulltext }
  /// Whether this is a dictionary with integer keys, which no SDK writes.
  package var hasIntegerKeys: Bool { property.hasIntegerKeys }

  /// Whether the index lists words instead of whole values (chapter 3, section 5.7).
  package var isIndexedByWords: Bool { isFulltextIndexed || collection != nil }

  /// Whether values can be links.
  package var canHoldLinks: Bool { type == .link || type == .mixed || type == .typedLink }
}

/// A column with the backlinks of each object: the keys of the objects that link to it.
package struct BacklinkColumn: Sendable {
  package let key: ColumnKey
  /// The table that has the links, in its column `originColumn`.
  package let origin: TableKey
  package let originColumn: ColumnKey
}
