import RealmModel
import RealmStorage

/// The keys that the added objects of a class get in the result, and which of these objects replace existing
/// ones. Takes 16 bytes per object.
struct MergePlan: Sendable {
  /// The keys in the result, ascending.
  private(set) var keys: [ObjectKey] = []
  /// The keys in the added realm, in the same order.
  private(set) var added: [ObjectKey] = []
  /// Number of added objects that replace existing ones.
  private(set) var replacingCount = 0
  /// The largest key of the existing objects; -1 if there are none.
  let lastKey: Int64
  /// The keys of existing objects that are not replaced by the added objects with the same primary keys, because
  /// these are left out; by the keys of these.
  private(set) var leftOut: [ObjectKey: ObjectKey] = [:]

  /// The keys of embedded objects that the result does not have, because their owners get others.
  private(set) var removed: Set<ObjectKey> = []

  /// The plan of an embedded class.
  ///
  /// - Parameters:
  ///   - added: the keys in the added realm of the embedded objects that are added.
  ///   - removed: the keys of existing objects.
  /// - Throws: `tooMany`; the errors of reading the realm.
  init(
    embedded added: KeyList, removing removed: KeyList, from table: Table, in realm: Realm
  ) throws(MergeError) {
    lastKey = try inMerge(realm.lastKey(of: table))
    self.removed = Set(removed.keys.map { ObjectKey($0) })
    try appendNew(
      added.keys.map { ObjectKey($0) }, after: lastKey, hasPrimaryKey: false,
      number: table.sequenceNumber, limit: MergePlan.keyLimit)
  }

  /// - Throws: `exists` if the mode does not allow replacing, for up to ``MergeRequest/errorLimit`` objects;
  ///   `tooMany`; the errors of reading both realms.
  init(
    _ position: Int, _ table: Table, _ input: MergeInput, _ request: MergeRequest
  ) throws(MergeError) {
    let existing = input.existing.map { ($0, $0.schema.tables[position]) }
    lastKey =
      try existing.map { (realm, table) throws(MergeError) in
        try inMerge(realm.lastKey(of: table))
      } ?? -1
    let exceptions = request.exceptions[position] ?? MergeRequest.Exceptions()
    let stored = try inMerge(input.added.objectKeys(of: table))
    let all = stored.filter { !exceptions.leftOut.contains($0) }
    let number = existing?.1.sequenceNumber ?? 0
    // Objects that are found by hashes get other keys later.
    let limit = input.format.primaryKeys == .hashed ? Int.max : MergePlan.keyLimit
    do throws(MergeError) {
      if input.classesWithKeys.contains(table.className) {
        let staying = all.filter { !exceptions.moved.contains($0) }
        let common =
          try existing.map { (realm, table) throws(MergeError) in
            try inMerge(realm.common(table, staying))
          } ?? []
        let refused = common.prefix(request.errorLimit).map { key in
          MergeError(.exists(identity: .int(key.raw)), addedKey: key)
        }
        if request.mode == .insert,
          let error = MergeError.joined(refused, limit: request.errorLimit)
        {
          throw error
        }
        (keys, added, replacingCount) = (staying, staying, common.count)
        try appendNew(
          all.filter { exceptions.moved.contains($0) },
          after: max(lastKey, staying.last?.raw ?? -1),
          hasPrimaryKey: false, number: number, limit: MergePlan.keyLimit)
        return
      }
      let pairs =
        try existing.map { (existing) throws(MergeError) in
          try MergePlan.pairs(position, existing.0, table, input.added, request)
        } ?? []
      leftOut = Dictionary(
        pairs.filter { exceptions.leftOut.contains($0.b) }.map { ($0.b, $0.a) },
        uniquingKeysWith: { first, _ in first })
      let replaced = pairs.filter { !exceptions.leftOut.contains($0.b) }
      (keys, added) = (replaced.map(\.a), replaced.map(\.b))
      replacingCount = keys.count
      // With a primary key, the keys in the added realm are the numbers from 0 on.
      var replacing = BitSet(count: stored.count)
      for key in added { replacing.insert(Int(key.raw)) }
      try appendNew(
        all.filter { !replacing.contains(Int($0.raw)) }, after: lastKey,
        hasPrimaryKey: table.primaryKey != nil, number: number, limit: limit)
    } catch {
      throw error.placed(in: position)
    }
  }

  /// The pairs of existing and added objects with equal primary keys, in the order of the existing objects.
  private static func pairs(
    _ position: Int, _ existing: Realm, _ table: Table, _ added: Realm, _ request: MergeRequest
  ) throws(MergeError) -> [(a: ObjectKey, b: ObjectKey)] {
    let budget = MemoryBudget(
      limit: request.memoryByteCount, encryptsFiles: existing.snapshot.isEncrypted)
    let pairs = try inMerge(
      ObjectJoin.pairsByPrimaryKey(
        ObjectJoin.Side(existing, existing.schema.tables[position]),
        ObjectJoin.Side(added, table), budget
      ).sorted { $0.a.raw < $1.a.raw })
    guard request.mode == .insert, !pairs.isEmpty, let primaryKey = table.primaryKey else {
      return pairs
    }
    var keys = pairs.map(\.b).sorted { $0.raw < $1.raw }.prefix(request.errorLimit)
    let fetcher = try inMerge(ObjectFetcher(added))
    var errors: [MergeError] = []
    while !keys.isEmpty {
      let some = Array(keys.prefix(ObjectBatch.capacity))
      let batch = try inMerge(fetcher.fetch(some, of: table))
      for row in 0..<batch.count {
        let identity = try inMerge(batch.value(ofProperty: primaryKey, row: row))
        errors.append(
          MergeError(
            .exists(identity: identity), property: primaryKey, addedKey: batch.keys[row]))
      }
      keys = keys.dropFirst(batch.count)
    }
    if let error = MergeError.joined(errors, limit: request.errorLimit) { throw error }
    return pairs
  }

  /// Assigns keys to added objects that replace none.
  ///
  /// - Parameters:
  ///   - new: the keys in the added realm.
  ///   - lastKey: the largest key that another object has; -1 if there are none.
  ///   - firstNumber: the number for the next key.
  ///   - limit: keys must be below it.
  private mutating func appendNew(
    _ new: [ObjectKey], after lastKey: Int64, hasPrimaryKey: Bool, number firstNumber: Int,
    limit: Int
  ) throws(MergeError) {
    let newCount = new.count
    guard newCount > 0 else { return }
    var number = firstNumber
    // Squeezed keys ascend with their numbers, unless another client made an existing key.
    let isSqueezed =
      !hasPrimaryKey && number >= 0 && number <= Int(UInt32.max) - newCount
      && GlobalKey(high: 0, low: UInt64(number)).squeezedKey.raw > lastKey
    guard lastKey < limit else { throw MergeError(.tooMany) }
    if !isSqueezed { number = max(number, Int(lastKey) + 1) }
    guard number <= limit - newCount else { throw MergeError(.tooMany) }
    for key in new {
      keys.append(
        isSqueezed
          ? GlobalKey(high: 0, low: UInt64(number)).squeezedKey : ObjectKey(Int64(number)))
      added.append(key)
      number += 1
    }
  }

  /// Keys from here on have a special meaning (chapter 3, section 4.5).
  private static let keyLimit = 1 << 62

  // MARK: Parts

  /// The added objects from position `start` on that come before the existing object with key `limit`.
  ///
  /// - Parameter limit: nil for the end of the existing objects.
  func range(from start: Int, before limit: ObjectKey?) -> Range<Int> {
    var (low, high) = (start, keys.count)
    while low < high {
      let middle = (low + high) / 2
      let isBefore = limit.map { keys[middle].raw < $0.raw } ?? (keys[middle].raw <= lastKey)
      if isBefore { low = middle + 1 } else { high = middle }
    }
    return start..<low
  }
}
