import RealmModel
import RealmStorage

/// Collects collections: all elements, and where each collection ends.
class CollectionFiller: ColumnFiller {
  fileprivate final let elements: ColumnFiller
  private let ends = ValueBuffer<Int>()

  /// - Parameter takesNull: whether null is read as an empty collection.
  fileprivate init(_ elements: ColumnFiller, takesNull: Bool, expected: String) {
    self.elements = elements
    super.init(isOptional: takesNull, expected: expected)
  }

  /// Ends the collection whose elements were added.
  fileprivate final func endRow() { ends.append(elements.count) }

  /// Returns the keys of dictionaries, and starts a new column; nil for lists and sets.
  fileprivate func finishKeys() -> ScalarColumn? { nil }

  final override func appendNull() { endRow() }
  final override var hasDefault: Bool { true }
  final override var count: Int { ends.count }
  final override func finish() -> ColumnValues { .collection(finishCollection()) }

  final func finishCollection() -> CollectionColumn {
    CollectionColumn(ends: ends.take(), elements: elements.finish(), keys: finishKeys())
  }
}

/// Collects lists and sets.
final class ListFiller: CollectionFiller {
  /// - Parameter takesNull: whether null is read as an empty list.
  init(_ elements: ColumnFiller, takesNull: Bool = false) {
    super.init(elements, takesNull: takesNull, expected: "an array")
  }

  override func append(_ record: JSONRecord, _ i: Int) throws(ValueError) {
    guard record.kind(i) == .array else { throw ValueError(.wrongType(expected: expected), at: i) }
    let end = record.end(i)
    var position = i + 1
    while position < end {
      try elements.add(record, position)
      position = record.end(position)
    }
    endRow()
  }
}

/// Collects dictionaries in any of their forms.
final class DictionaryFiller: CollectionFiller {
  private let hasIntegerKeys: Bool
  private let unescapesKeys: Bool
  /// Whether the input is not Realm JSON, so that a key can also be `$dictionary`.
  private let isForeign: Bool
  private let keys = ValueBuffer<ByteSlice?>()
  private let integerKeys = ValueBuffer<Int64>()

  /// - Parameter takesNull: whether null is read as an empty dictionary.
  init(
    _ elements: ColumnFiller, hasIntegerKeys: Bool, _ context: FillContext, takesNull: Bool = false
  ) {
    (self.hasIntegerKeys, unescapesKeys) = (hasIntegerKeys, context.unescapesKeys)
    isForeign = context.isForeign
    super.init(elements, takesNull: takesNull, expected: "an object")
  }

  override func append(_ record: JSONRecord, _ i: Int) throws(ValueError) {
    guard record.kind(i) == .object else { throw ValueError(.wrongType(expected: expected), at: i) }
    if let inner = record.only(i, "$dictionary"),
      !isForeign || [.object, .array].contains(record.kind(inner))
    {
      try appendWrapped(record, inner)
    } else {
      try appendMembers(record, i)
    }
  }

  /// Appends the entries in a `$dictionary`.
  func appendWrapped(_ record: JSONRecord, _ i: Int) throws(ValueError) {
    switch record.kind(i) {
    case .object: try appendMembers(record, i)
    case .array:
      let start = keyCount
      let pairs = record.elements(i)
      for pair in pairs {
        guard record.kind(pair) == .array, record.count(pair) == 2 else {
          throw ValueError(.wrongType(expected: "an array of a key and a value"), at: pair)
        }
        let key = pair + 1
        if hasIntegerKeys {
          integerKeys.append(try record.int(key))
        } else {
          keys.append(try record.string(key))
        }
        try elements.add(record, record.end(key))
      }
      if let second = repeatedKey(from: start) {
        let key = pairs[second] + 1
        throw ValueError(.duplicateMember(keyText(start + second)), at: key)
      }
      endRow()
    default: throw ValueError(.wrongType(expected: "an object or an array of pairs"), at: i)
    }
  }

  /// Appends the entries of an object.
  func appendMembers(_ record: JSONRecord, _ i: Int) throws(ValueError) {
    let end = record.end(i)
    let start = keyCount
    var position = i + 1
    while position < end {
      if hasIntegerKeys {
        guard let key = Int64(record.bytes(position).text) else {
          throw ValueError(.invalidValue(expected: "an int as key"), at: position)
        }
        integerKeys.append(key)
      } else {
        keys.append(unescapesKeys ? record.documentKey(position) : record.bytes(position))
      }
      try elements.add(record, position + 1)
      position = record.end(position + 1)
    }
    if let second = repeatedKey(from: start) {
      throw ValueError(
        .duplicateMember(keyText(start + second)), at: record.names(i)[second])
    }
    endRow()
  }

  private var keyCount: Int { hasIntegerKeys ? integerKeys.count : keys.count }

  private func keyText(_ i: Int) -> String {
    hasIntegerKeys ? integerKeys[i].map { "\($0)" } ?? "" : keys[i]??.text ?? ""
  }

  /// The position, counted from `start`, of the first key from `start` that repeats one before it.
  private func repeatedKey(from start: Int) -> Int? {
    guard keyCount - start > 1 else { return nil }
    let added = start..<keyCount
    if hasIntegerKeys {
      var seen = Set<Int64>()
      return added.first { i in integerKeys[i].map { !seen.insert($0).inserted } ?? false }
        .map { $0 - start }
    }
    var seen = Set<DictionaryKey>(minimumCapacity: added.count)
    return added.first { i in
      guard let key = keys[i] ?? nil else { return false }
      return !seen.insert(DictionaryKey(bytes: key)).inserted
    }.map { $0 - start }
  }

  override fileprivate func finishKeys() -> ScalarColumn? {
    hasIntegerKeys
      ? .int(integerKeys.take(), NullMask()) : .string(SliceColumn(keys.take()))
  }
}

/// A dictionary key in the memory of the input.
private struct DictionaryKey: Hashable {
  let bytes: ByteSlice

  func hash(into hasher: inout Hasher) {
    unsafe bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
  }
}

/// Collects embedded objects.
final class EmbeddedFiller: ColumnFiller {
  private let classPosition: Int
  private let context: FillContext
  private let rows = ValueBuffer<Int>()
  /// Created for the first object, because a class can embed itself.
  private var objects: ObjectFiller?

  init(_ classPosition: Int, _ context: FillContext, isOptional: Bool) {
    (self.classPosition, self.context) = (classPosition, context)
    super.init(
      isOptional: isOptional,
      expected: "an object of class \(context.schema.classes[classPosition].name)")
  }

  override func append(_ record: JSONRecord, _ i: Int) throws(ValueError) {
    let filler = objects ?? ObjectFiller(classPosition, context)
    objects = filler
    rows.append(filler.count)
    try filler.append(record, i)
  }
  override func appendNull() { rows.append(-1) }
  override var count: Int { rows.count }
  override func finish() -> ColumnValues {
    // Without an object there is no filler: creating one for a class that embeds itself would never end.
    let batch =
      objects?.finish(owner: nil)
      ?? ObjectBatch(
        classPosition: classPosition, count: 0, keys: [], columns: [], owner: nil)
    return .embedded(EmbeddedColumn(rows: rows.take(), objects: batch))
  }
}
