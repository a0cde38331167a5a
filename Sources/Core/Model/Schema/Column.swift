public import RealmStorage

/// A column of a table that keeps a property of its class. A class, because columns are passed
/// along with every run of values, and a reference costs less than the fields.
public final class Column: Sendable {
  public let key: ColumnKey
  public let name: Name
  public let type: ColumnType
  /// Whether values, or the elements of a collection, may be null.
  public let isNullable: Bool
  /// Nil for a single value.
  public let collection: CollectionKind?
  /// The target table of the links of this column; nil for other types.
  public let target: TableKey?
  /// The backlink column in the target table; nil for other types, whose stored value is null.
  let opposite: ColumnKey?
  /// Whether there is a search index other than a full-text index.
  public let isIndexed: Bool
  public let isFulltextIndexed: Bool
  /// Whether the column is a dictionary with integer keys, which no SDK creates.
  public let hasIntegerKeys: Bool
  /// Root of the search index; 0 if there is none.
  public let index: Ref
  /// The list of distinct values of an enumerated string column; 0 if there is none (chapter 3,
  /// section 7).
  let enumeration: Ref

  /// Whether the entries of the index stand for words, not for whole values (chapter 3, section
  /// 5.7).
  var isIndexedByWords: Bool { isFulltextIndexed || collection != nil }

  init(
    key: ColumnKey, name: Name, type: ColumnType, isNullable: Bool, collection: CollectionKind?,
    target: TableKey?, opposite: ColumnKey?, isIndexed: Bool, isFulltextIndexed: Bool,
    hasIntegerKeys: Bool, index: Ref,
    enumeration: Ref
  ) {
    (self.key, self.name, self.type, self.isNullable) = (key, name, type, isNullable)
    (self.collection, self.target, self.hasIntegerKeys) = (collection, target, hasIntegerKeys)
    self.opposite = opposite
    (self.isIndexed, self.isFulltextIndexed) = (isIndexed, isFulltextIndexed)
    (self.index, self.enumeration) = (index, enumeration)
  }

  /// Whether values can be links.
  var canHoldLinks: Bool { type == .link || type == .mixed || type == .typedLink }

  /// The property that the column stores.
  ///
  /// - Parameter target: position of the target class of links.
  func property(target: Int?) -> Property {
    Property(
      name: name, type: type.propertyType, isOptional: isNullable, collection: collection,
      target: target, index: isFulltextIndexed ? .fulltext : isIndexed ? .search : nil,
      hasIntegerKeys: hasIntegerKeys)
  }
}

/// A column with the backlinks of each object.
public struct BacklinkColumn: Sendable {
  public let key: ColumnKey
  /// Table and column of the links.
  public let origin: TableKey
  public let originColumn: ColumnKey
}
