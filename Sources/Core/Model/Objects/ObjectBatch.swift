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

  /// The same batch, which keeps `owner` for as long as it lives.
  func owned(by owner: any Sendable) -> ObjectBatch {
    var batch = self
    batch.owner = owner
    return batch
  }
}
