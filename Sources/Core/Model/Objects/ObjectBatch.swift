public import RealmStorage

/// Up to 256 objects of one class, complete in themselves: what moves on the object road.
///
/// A batch owns what its values lie in, so it stays readable when its source moves on or is gone.
public struct ObjectBatch: Sendable {
  /// The most objects of a batch.
  public static let capacity = 256

  /// Position of the class in the schema.
  public let classPosition: Int
  /// Number of objects.
  public let count: Int
  /// Keys of the objects; empty where the source has none, so that the sink gives them keys.
  public let keys: [ObjectKey]
  /// A column for each property of the class; nil for one that was not asked for.
  package var columns: [ColumnValues?]
  /// Keeps the bytes readable that values lie in.
  private var owner: (any Sendable)?

  /// - Parameters:
  ///   - columns: one for each property, each with `count` rows.
  ///   - owner: keeps the bytes readable that values of `columns` lie in.
  package init(
    classPosition: Int, count: Int, keys: [ObjectKey], columns: [ColumnValues?],
    owner: (any Sendable)?
  ) {
    (self.classPosition, self.count, self.keys) = (classPosition, count, keys)
    (self.columns, self.owner) = (columns, owner)
  }

  /// A batch of values that come from no file.
  ///
  /// - Parameters:
  ///   - keys: of the objects, one each; none where the sink gives them keys.
  ///   - columns: one for each property of the class, nil for one that is left out; all of one length, up
  ///     to ``capacity``.
  public init(classPosition: Int, keys: [ObjectKey] = [], columns: [BatchColumn?]) {
    let count = columns.compactMap { $0?.count }.first ?? keys.count
    precondition(count <= ObjectBatch.capacity, "a batch has up to \(ObjectBatch.capacity) objects")
    precondition(
      columns.allSatisfy { $0?.count ?? count == count } && (keys.isEmpty || keys.count == count),
      "every column has a value for each object")
    self.init(
      classPosition: classPosition, count: count, keys: keys, columns: columns.map { $0?.values },
      owner: nil)
  }

  /// A copy of the value of a property.
  ///
  /// - Parameters:
  ///   - property: position in the class.
  ///   - row: below ``count``.
  /// - Returns: null for a property that was not asked for.
  /// - Throws: what reading a collection throws that is too large to be in the batch.
  public func value(ofProperty property: Int, row: Int) throws(RealmFileError) -> RealmValue {
    try columns[property].map(BatchColumn.init)?.value(at: row) ?? .null
  }

  /// Number of properties of the class.
  public var propertyCount: Int { columns.count }

  /// The same batch, which keeps `owner` for as long as it lives.
  func owned(by owner: any Sendable) -> ObjectBatch {
    var batch = self
    batch.owner = owner
    return batch
  }
}
