public import RealmStorage

/// A column of a table that users see: a property of its class. An object, as it is passed along with
/// every run of values, and a reference costs less than the fields.
public final class Column: Sendable {
  public let key: ColumnKey
  public let name: Name
  public let type: ColumnType
  /// Values, or the elements of a collection, may be null.
  public let isNullable: Bool
  /// Nil for a single value.
  public let collection: CollectionKind?
  /// The table that links of this column lead to; nil for other types.
  public let target: TableKey?
  /// The backlink column there; nil for other types, whose entry is null.
  let opposite: ColumnKey?
  /// True where there is a search index that is not a full-text index.
  public let isIndexed: Bool
  public let isFulltextIndexed: Bool
  /// True for a dictionary with integer keys, which no SDK makes.
  public let hasIntegerKeys: Bool
  /// Root of the search index, 0 for none.
  public let index: Ref
  /// The list of distinct values of an enumerated string column, 0 for none (chapter 3, section 7).
  let enumeration: Ref

  /// True where the entries of the index stand for words, not for whole values (chapter 3, section 5.7).
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

  /// True where values can be links.
  var canHoldLinks: Bool { type == .link || type == .mixed || type == .typedLink }

  /// The property that the column keeps.
  ///
  /// - Parameter target: position of the class that links lead to.
  func property(target: Int?) -> Property {
    Property(
      name: name, type: type.propertyType, isOptional: isNullable, collection: collection,
      target: target, index: isFulltextIndexed ? .fulltext : isIndexed ? .search : nil,
      hasIntegerKeys: hasIntegerKeys)
  }
}

/// A column that holds, for each object, the objects that link to it.
public struct BacklinkColumn: Sendable {
  public let key: ColumnKey
  /// Table and column that the links come from.
  public let origin: TableKey
  public let originColumn: ColumnKey
}
