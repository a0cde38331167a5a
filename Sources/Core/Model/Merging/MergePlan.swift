import RealmStorage

/// Which keys the added objects of a class get, and which of them replace others. 16 bytes an object.
struct MergePlan: Sendable {
  /// Keys in the result, ascending.
  private(set) var keys: [ObjectKey] = []
  /// Keys among the added objects, in the same order.
  private(set) var added: [ObjectKey] = []
  /// Added objects that replace others.
  private(set) var replacingCount = 0
  /// The largest key of the existing objects; -1 where there are none.
  private let lastKey: Int64

  /// - Throws: `exists` where that is an error; `tooMany`; the errors of reading both realms.
  init(
    _ position: Int, _ table: Table, _ input: MergeInput, _ request: MergeRequest
  ) throws(MergeError) {
    let existing = try input.existing.map { (realm) throws(MergeError) in
      (realm, try inMerge { () throws(RealmFileError) in try MergePlan.keys(position, in: realm) })
    }
    lastKey = existing?.1.last?.raw ?? -1
    let all = try inMerge { () throws(RealmFileError) in
      try MergePlan.keys(table.position, in: input.added)
    }
    do throws(MergeError) {
      if input.classesWithKeys.contains(table.className) {
        replacingCount = MergePlan.common(existing?.1 ?? [], all).count
        (keys, added) = (all, all)
        if request.mode == .insert,
          let first = MergePlan.common(existing?.1 ?? [], all).first
        {
          throw MergeError(.exists(identity: .int(first.raw)), addedKey: first)
        }
        return
      }
      let pairs = try existing.map { (existing) throws(MergeError) in
        try MergePlan.pairs(position, existing.0, table, input.added, request)
      }
      try setNew(
        all, replacing: pairs ?? [], hasPrimaryKey: table.primaryKey != nil,
        number: existing.map { $0.0.schema.tables[position].sequenceNumber } ?? 0)
    } catch {
      throw MergeError(
        error.kind, classPosition: position, property: error.property, addedKey: error.addedKey)
    }
  }

  /// The keys of all objects of a class.
  private static func keys(
    _ position: Int, in realm: Realm
  ) throws(RealmFileError) -> [ObjectKey] {
    let reader = try RealmReader(realm)
    return try reader.nodes.traversing { () throws(RealmFileError) in
      var keys: [ObjectKey] = []
      for position in try reader.clusters(of: realm.schema.tables[position]) {
        let mark = reader.nodes.mark()
        defer { reader.nodes.release(to: mark) }
        keys += try reader.cluster(position).allKeys
      }
      return keys
    }
  }

  /// The keys that are in both lists, which ascend.
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

  /// The objects of both realms with one primary key, in the order of the existing ones.
  private static func pairs(
    _ position: Int, _ existing: Realm, _ table: Table, _ added: Realm, _ request: MergeRequest
  ) throws(MergeError) -> [(a: ObjectKey, b: ObjectKey)] {
    let budget = MemoryBudget(limit: request.memoryByteCount)
    let pairs = try inMerge { () throws(RealmFileError) in
      try PrimaryKeyJoin.pairs(
        PrimaryKeyJoin.Side(existing, existing.schema.tables[position]),
        PrimaryKeyJoin.Side(added, table), budget
      ).sorted { $0.a.raw < $1.a.raw }
    }
    guard request.mode == .insert, let first = pairs.min(by: { $0.b.raw < $1.b.raw }),
      let primaryKey = table.primaryKey
    else { return pairs }
    let batch = try inMerge { () throws(RealmFileError) in
      try ObjectFetcher(added).fetch([first.b], of: table)
    }
    let identity = try inMerge { () throws(RealmFileError) in
      try batch.value(ofProperty: primaryKey, row: 0)
    }
    throw MergeError(.exists(identity: identity), property: primaryKey, addedKey: first.b)
  }

  /// Gives keys to the objects that replace none, behind all others.
  ///
  /// - Parameter firstNumber: the number from which the next key is made.
  private mutating func setNew(
    _ all: [ObjectKey], replacing pairs: [(a: ObjectKey, b: ObjectKey)], hasPrimaryKey: Bool,
    number firstNumber: Int
  ) throws(MergeError) {
    replacingCount = pairs.count
    keys = pairs.map(\.a)
    added = pairs.map(\.b)
    // Those with primary keys got the numbers from 0 on as keys.
    var replacing = BitSet(count: all.count)
    for key in added { replacing.insert(Int(key.raw)) }
    var number = firstNumber
    // Numbers and their squeezed keys ascend together, until one of another client is in the way.
    let isSqueezed =
      !hasPrimaryKey && number >= 0 && number + all.count <= Int(UInt32.max)
      && GlobalKey(high: 0, low: UInt64(number)).squeezedKey.raw > lastKey
    if !isSqueezed { number = max(number, Int(lastKey) + 1) }
    guard number >= 0, number <= MergePlan.keyLimit - all.count else { throw MergeError(.tooMany) }
    for key in all where !replacing.contains(Int(key.raw)) {
      keys.append(
        isSqueezed
          ? GlobalKey(high: 0, low: UInt64(number)).squeezedKey : ObjectKey(Int64(number)))
      added.append(key)
      number += 1
    }
  }

  /// Keys above have a meaning of their own (chapter 3, section 4.5).
  private static let keyLimit = 1 << 62

  // MARK: Parts

  /// The objects that come before the one with `limit`, from `start` on; all that are not behind every existing
  /// object where it is nil.
  func range(from start: Int, before limit: ObjectKey?) -> Range<Int> {
    let limit = limit?.raw ?? lastKey + 1
    var (low, high) = (start, keys.count)
    while low < high {
      let middle = (low + high) / 2
      if keys[middle].raw < limit { low = middle + 1 } else { high = middle }
    }
    return start..<low
  }
}
