package import RealmStorage

/// Positions in the top node of a dictionary (chapter 2, section 6.4).
package enum DictionaryLayout {
  static let keys = 0
  static let values = 1
  static let slotCount = 2
}

/// The entries of a dictionary of format 23 or later, which has a B+tree of keys and a B+tree of values (chapter
/// 2, section 6.4). They come in runs of up to 1000: all keys, then all values.
package struct DictionaryRuns {
  package enum Run {
    case keys(LeafValues)
    case values(LeafValues)
  }

  private let root: Ref
  private var (keys, values): RealmReader.DictionaryTrees
  private let limit: Int
  private var (keyCount, nullCount, valueCount) = (0, 0, 0)
  private var hasReadKeys = false

  /// - Parameters:
  ///   - limit: maximum number of keys.
  ///   - visitor: receives everything that is read.
  init(
    root: Ref, _ trees: RealmReader.DictionaryTrees, keyType: ColumnType, limit: Int,
    _ visitor: inout some CollectionVisitor
  ) {
    (self.root, self.limit) = (root, limit)
    (keys, values) = trees
    // Null keys are allowed here, because the check at the end reports them.
    visitor.begin(type: keyType, isNullable: keyType == .string)
  }

  /// The next run, or nil after the last one.
  ///
  /// - Throws: `damaged` with rule `dictionary.counts` or `dictionary.key`, or a rule of group `btree` or
  ///   `leaf`.
  package mutating func next(_ visitor: inout some CollectionVisitor) throws(RealmFileError) -> Run?
  {
    if !hasReadKeys {
      if let batch = try keys.next(&visitor) {
        try DictionaryRuns.check(keyCount: keyCount, limit: limit, at: root)
        keyCount += batch.count
        nullCount += (0..<batch.count).count(where: { batch.value(at: $0).isNull })
        return .keys(batch)
      }
      hasReadKeys = true
      visitor.begin(type: .mixed, isNullable: true)
    }
    // A dictionary keeps an empty leaf when its last entry is removed (chapter 3, section 12, no. 15).
    guard let batch = try values.next(&visitor) else {
      try DictionaryRuns.check(keys: keyCount, nulls: nullCount, values: valueCount, at: root)
      return nil
    }
    guard batch.count <= keyCount - valueCount else {
      throw .damaged(
        .dictionaryCounts, at: root, "the dictionary has \(keyCount) keys and more values")
    }
    valueCount += batch.count
    return .values(batch)
  }

  /// Checks the number of keys so far, so that a dictionary cannot grow without end.
  static func check(keyCount: Int, limit: Int, at root: Ref) throws(RealmFileError) {
    guard keyCount <= limit else {
      throw .damaged(
        .dictionaryCounts, at: root, "the dictionary has more keys than the file has bytes")
    }
  }

  /// Checks a dictionary that was read to its end.
  static func check(keys: Int, nulls: Int, values: Int, at root: Ref) throws(RealmFileError) {
    guard keys == values else {
      throw .damaged(
        .dictionaryCounts, at: root, "the dictionary has \(keys) keys and \(values) values")
    }
    guard nulls == 0 else {
      throw .damaged(
        .dictionaryKey, at: root, "\(nulls) of \(keys) keys of the dictionary are null")
    }
  }
}
