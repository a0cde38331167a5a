public import RealmStorage

/// Up to 256 objects of one class, with all their values: the unit in which sources pass objects to sinks.
///
/// A batch owns the memory of its values, so it stays readable after its source moves on or ends.
public struct ObjectBatch: Sendable {
  /// Maximum number of objects in a batch.
  public static let capacity = 256

  /// Position of the class in the schema.
  public let classPosition: Int
  /// Number of objects.
  public let count: Int
  /// Keys of the objects; empty if the source has none and the sink assigns them.
  public let keys: [ObjectKey]
  /// A column for each property of the class; nil for a property that the request does not ask for.
  package var columns: [ColumnValues?]
  /// Keeps the memory of the values readable.
  private var owner: (any Sendable)?

  /// - Parameters:
  ///   - columns: one per property, each with `count` rows.
  ///   - owner: keeps the memory of the values readable.
  package init(
    classPosition: Int, count: Int, keys: [ObjectKey], columns: [ColumnValues?],
    owner: (any Sendable)?
  ) {
    (self.classPosition, self.count, self.keys) = (classPosition, count, keys)
    (self.columns, self.owner) = (columns, owner)
  }

  /// A batch of values that do not come from a file.
  ///
  /// - Parameters:
  ///   - keys: one key per object; empty if the sink assigns the keys.
  ///   - columns: one per property of the class, nil for a property that is left out. All have the same number of
  ///     rows, at most ``capacity``.
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
  ///   - property: position of the property in the class.
  ///   - row: position of the object, below ``count``.
  /// - Returns: null for a property that the request did not ask for.
  /// - Throws: the errors of reading a collection that is too large to be in the batch.
  public func value(ofProperty property: Int, row: Int) throws(RealmFileError) -> RealmValue {
    try columns[property].map(BatchColumn.init)?.value(at: row) ?? .null
  }

  /// Number of properties of the class.
  public var propertyCount: Int { columns.count }

  /// The same batch, which keeps `owner` alive.
  package func owned(by owner: any Sendable) -> ObjectBatch {
    var batch = self
    batch.owner = owner
    return batch
  }
}
