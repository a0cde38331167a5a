import RealmModel
import RealmStorage

/// Finds the objects that an index on whole values lacks, lists more than once or lists under wrong chunks.
/// Runs after ``IndexCheck`` has found a difference. Takes one bit per object.
struct ExactIndexComparison: SearchIndexVisitor {
  /// Number of chunks above the lists at offset 200, which can hold different values.
  private static let lastLevel = SearchIndexNode.levelLimit

  var findings: Findings
  private var values: IndexedColumn
  private let orders: (first: StoredOrder, second: StoredOrder?)
  /// Number of table slots, including those of removed tables.
  private let tableSlots: Int
  /// The numbers of the objects with an entry so far.
  private var seen = BitSet()
  /// The keys of the current list so far.
  private var list: [Int64] = []

  /// - Throws: errors other than damage.
  init(
    values: IndexedColumn, _ format: FileFormat, tableSlots: Int, findings: Findings
  ) throws(RealmFileError) {
    (self.values, self.tableSlots, self.findings) = (values, tableSlots, findings)
    orders = StoredOrder.possible(format, .index)
    try self.values.countRows()
  }

  /// The object that an entry names.
  private struct Object {
    let key: ObjectKey
    /// The object's position in key order.
    let number: Int
    let value: MixedValue
    var data: IndexData { IndexData(value) }
  }

  mutating func visit(_ entries: [SearchIndexEntry], path: [Int32], at ref: Ref) {
    for entry in entries {
      take(entry.key, below: path.first ?? entry.chunk, at: ref) {
        $0.begins(with: path, entry.chunk)
      }
    }
    values.endBatch()
  }

  mutating func visit(_ keys: [Int64], path: [Int32], at ref: Ref) { list += keys }

  /// Checks one entry.
  ///
  /// - Parameters:
  ///   - chunk: the first chunk of the path of the entry.
  ///   - isAtItsPlace: whether the path matches a value.
  /// - Returns: the object; nil if the entry is wrong.
  @discardableResult
  private mutating func take(
    _ key: ObjectKey, below chunk: Int32?, at ref: Ref, _ isAtItsPlace: (IndexData) -> Bool
  ) -> Object? {
    switch values.find(key) {
    case .unread: return nil
    case .missing:
      findings.add(
        .indexExtraEntry, at: ref, object: key.raw, "the index lists an object that does not exist")
      return nil
    case .value(let number, let value):
      let object = Object(key: key, number: number, value: value)
      guard isAtItsPlace(object.data) else {
        refuse(object, below: chunk, at: ref)
        return nil
      }
      guard seen.insert(number) else {
        findings.add(
          .indexDuplicateEntry, at: ref, object: key.raw,
          "the index lists the object more than once")
        return nil
      }
      return object
    }
  }

  private mutating func refuse(_ object: Object, below chunk: Int32?, at ref: Ref) {
    guard values.column.type == .mixed, object.value.isNull, isLink(chunk),
      seen.insert(object.number)
    else {
      return findings.add(
        .indexExtraEntry, at: ref, object: object.key.raw,
        "the index lists the object under a value that the object does not have")
    }
    findings.add(
      .indexStaleLink, at: ref, object: object.key.raw,
      "the index lists the object under a link, but the value is null")
  }

  /// Whether `chunk` can be the first chunk of a link: a table key (section 5.1).
  private func isLink(_ chunk: Int32?) -> Bool {
    guard let chunk else { return false }
    // The first byte of a value is the most significant byte of its chunk.
    let table = TableKey(Int(UInt32(bitPattern: chunk).byteSwapped))
    return table < .null && table.slot < tableSlots
  }

  // MARK: Lists

  mutating func endList(path: [Int32], at ref: Ref, isWhole: Bool) {
    let keys = list
    list = []
    if keys.isEmpty, isWhole {
      findings.add(.indexNode, at: ref, "a list of the index has no objects")
    }
    var objects: [Object] = []
    var other: Object?
    for key in keys {
      guard
        let object = take(
          ObjectKey(key), below: path.first, at: ref, { $0.begins(with: path) })
      else { continue }
      if let first = objects.first, other == nil, object.data != first.data { other = object }
      objects.append(object)
    }
    if let other, path.count < ExactIndexComparison.lastLevel {
      findings.add(
        .indexListValues, at: ref, object: other.key.raw,
        "the object does not have the index bytes of the first object in its list")
    } else {
      checkOrder(objects, at: ref)
    }
    values.endBatch()
  }

  private func order(_ a: Object, _ b: Object) -> Int { orders.first.compare(a.value, b.value) }

  private mutating func checkOrder(_ objects: [Object], at ref: Ref) {
    var ascent = AscentCheck(orders.first, orders.second)
    for object in objects { ascent.add(object.value) }
    for (a, b) in zip(objects, objects.dropFirst()) where a.number > b.number && order(a, b) == 0 {
      return findings.add(
        .indexListOrder, at: ref, object: b.key.raw,
        "key \(b.key.raw) follows key \(a.key.raw) with an equal value in a list")
    }
    guard ascent.better.descending > 0 else { return }
    // Sorted by value, then by position: the positions of equal values must be contiguous.
    let places = objects.indices.sorted {
      let order = order(objects[$0], objects[$1])
      return order == 0 ? $0 < $1 : order < 0
    }
    for (a, b) in zip(places, places.dropFirst())
    where b != a + 1 && order(objects[a], objects[b]) == 0 {
      return findings.add(
        .indexListOrder, at: ref, object: objects[b].key.raw,
        "objects with equal values are not adjacent in a list")
    }
    findings.add(.indexListValueOrder, at: ref, "the values of the objects of a list do not ascend")
  }

  // MARK: Missing entries

  /// Reports the objects without an entry.
  ///
  /// - Throws: errors other than damage.
  mutating func finish() throws(RealmFileError) {
    var unread = 0
    var values = values
    values.forEachValue { number, key, isReadable in
      guard !seen.contains(number) else { return }
      guard isReadable else {
        unread += 1
        return
      }
      findings.add(
        .indexMissingEntry, object: key.raw, "the object is not in the index under its value")
    }
    guard let failure = values.failure else { return }
    let how = values.isComplete ? "\(unread) values" : "the values of whole clusters"
    try findings.addUnread(.indexNotCompared, "\(how) cannot be read", because: failure)
  }
}
