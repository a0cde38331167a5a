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
  private let lastKey: Int64

  /// - Throws: `exists` if the mode does not allow replacing, for up to ``MergeRequest/errorLimit`` objects;
  ///   `tooMany`; the errors of reading both realms.
  init(
    _ position: Int, _ table: Table, _ input: MergeInput, _ request: MergeRequest
  ) throws(MergeError) {
    let existing = try input.existing.map { (realm) throws(MergeError) in
      (realm, try inMerge(MergePlan.keys(position, in: realm)))
    }
    lastKey = existing?.1.last?.raw ?? -1
    let all = try inMerge(MergePlan.keys(table.position, in: input.added))
    do throws(MergeError) {
      if input.classesWithKeys.contains(table.className) {
        let common = MergePlan.common(existing?.1 ?? [], all)
        let refused = common.prefix(request.errorLimit).map { key in
          MergeError(.exists(identity: .int(key.raw)), addedKey: key)
        }
        if request.mode == .insert,
          let error = MergeError.joined(refused, limit: request.errorLimit)
        {
          throw error
        }
        (keys, added, replacingCount) = (all, all, common.count)
        return
      }
      let pairs = try existing.map { (existing) throws(MergeError) in
        try MergePlan.pairs(position, existing.0, table, input.added, request)
      }
      try setNew(
        all, replacing: pairs ?? [], hasPrimaryKey: table.primaryKey != nil,
        number: existing.map { $0.0.schema.tables[position].sequenceNumber } ?? 0)
    } catch {
      throw error.placed(in: position)
    }
  }

  /// The keys of all objects of a class.
  private static func keys(
    _ position: Int, in realm: Realm
  ) throws(RealmFileError) -> [ObjectKey] {
    let reader = try RealmReader(realm)
    return try reader.nodes.traversing { () throws(RealmFileError) in
      var keys: [ObjectKey] = []
      for cluster in try reader.clusters(of: realm.schema.tables[position]) {
        let mark = reader.nodes.mark()
        defer { reader.nodes.release(to: mark) }
        keys += try reader.cluster(cluster).allKeys
      }
      return keys
    }
  }

  /// The keys that are in both lists, which must ascend.
  private static func common(_ a: [ObjectKey], _ b: [ObjectKey]) -> [ObjectKey] {
    var (i, j) = (0, 0)
    var both: [ObjectKey] = []
    while i < a.count, j < b.count {
      if a[i] == b[j] { both.append(a[i]) }
      let isBehind = a[i].raw <= b[j].raw
      if b[j].raw <= a[i].raw { j += 1 }
      if isBehind { i += 1 }
    }
    return both
  }

  /// The pairs of existing and added objects with equal primary keys, in the order of the existing objects.
  private static func pairs(
    _ position: Int, _ existing: Realm, _ table: Table, _ added: Realm, _ request: MergeRequest
  ) throws(MergeError) -> [(a: ObjectKey, b: ObjectKey)] {
    let budget = MemoryBudget(limit: request.memoryByteCount)
    let pairs = try inMerge(
      PrimaryKeyJoin.pairs(
        PrimaryKeyJoin.Side(existing, existing.schema.tables[position]),
        PrimaryKeyJoin.Side(added, table), budget
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

  /// Assigns keys after all existing keys to the added objects that replace none.
  ///
  /// - Parameter firstNumber: the number for the next key.
  private mutating func setNew(
    _ all: [ObjectKey], replacing pairs: [(a: ObjectKey, b: ObjectKey)], hasPrimaryKey: Bool,
    number firstNumber: Int
  ) throws(MergeError) {
    replacingCount = pairs.count
    keys = pairs.map(\.a)
    added = pairs.map(\.b)
    // With a primary key, the keys in the added realm are the numbers from 0 on.
    var replacing = BitSet(count: all.count)
    for key in added { replacing.insert(Int(key.raw)) }
    let newCount = all.count - pairs.count
    guard newCount > 0 else { return }
    var number = firstNumber
    // Squeezed keys ascend with their numbers, unless another client made an existing key.
    let isSqueezed =
      !hasPrimaryKey && number >= 0 && number <= Int(UInt32.max) - newCount
      && GlobalKey(high: 0, low: UInt64(number)).squeezedKey.raw > lastKey
    guard lastKey < MergePlan.keyLimit else { throw MergeError(.tooMany) }
    if !isSqueezed { number = max(number, Int(lastKey) + 1) }
    guard number <= MergePlan.keyLimit - newCount else { throw MergeError(.tooMany) }
    for key in all where !replacing.contains(Int(key.raw)) {
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
