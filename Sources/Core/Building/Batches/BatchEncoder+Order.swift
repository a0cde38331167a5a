import RealmModel
import RealmStorage

/// Sorts sets and dictionaries (chapter 2, sections 6.3 and 6.4).
extension BatchEncoder {
  /// The rows in `range` sorted by key; nil if they are sorted already.
  ///
  /// - Throws: `duplicateEntry`; `wrongType` for keys that are neither strings nor integers.
  func entryOrder(_ keys: ScalarColumn, _ range: Range<Int>) throws(BuildError) -> [Int]? {
    switch keys {
    case .int(let values, _):
      return try order(range, { values[$0] < values[$1] }, key: { .int(values[$0]) })
    case .string(let values):
      for row in range where values[row] == nil { throw BuildError(.nullInRequired) }
      // No key is null.
      func bytes(_ row: Int) -> ByteSlice { values[row] ?? .empty }
      return try order(
        range, { layout.valueOrder.compare(strings: bytes($0), bytes($1)) < 0 },
        key: { bytes($0).validText.map { .string($0) } ?? .malformedString(bytes($0).bytes) })
    default: throw BuildError(.wrongType)
    }
  }

  private func order(
    _ range: Range<Int>, _ precedes: (Int, Int) -> Bool, key: (Int) -> RealmValue
  ) throws(BuildError) -> [Int]? {
    let isAscending = range.dropFirst().allSatisfy { precedes($0 - 1, $0) }
    guard !isAscending else { return nil }
    let order = range.sorted(by: precedes)
    for (a, b) in zip(order, order.dropFirst()) where !precedes(a, b) {
      throw BuildError(.duplicateEntry(key(b)))
    }
    return order
  }

  /// The rows of the members in `range`, sorted and without duplicates; nil if they already are.
  ///
  /// Links with an unknown object key come before the other links to the same class. If one of two links to the
  /// same object is marked as unresolved, the unmarked one stays, because it requires that the object exists;
  /// with ``separatesMarks`` both stay.
  ///
  /// - Throws: `unsupported` for a string and a binary of equal bytes, if the format takes them for one member.
  func memberOrder(
    _ members: Prepared, _ range: Range<Int>, of property: Property
  ) throws(BuildError) -> [Int]? {
    let stored = property.type == .mixed ? layout.mixedSetOrder : layout.valueOrder
    let values = range.map { member(members, $0) }
    let isAscending = zip(values, values.dropFirst()).allSatisfy { precedes($0, $1, stored) }
    guard !isAscending else { return nil }
    let sorted = try sorted(values.map(\.value), stored)
    var order: [Int] = []
    var places: [LinkMember: Int] = [:]
    for i in sorted {
      if let identity = values[i].identity {
        let link = LinkMember(
          identity: identity, isMarked: separatesMarks && values[i].isUnresolved)
        if let place = places[link] {
          if !values[i].isUnresolved { order[place] = range.lowerBound + i }
          continue
        }
        places[link] = order.count
      } else if let last = order.last, values[last - range.lowerBound].identity == nil,
        stored.compare(values[last - range.lowerBound].value, values[i].value) == 0
      {
        continue
      }
      order.append(range.lowerBound + i)
    }
    return order
  }

  /// The most attempts at an order in which each member of a set is found, and the most members of such a set.
  private static let (orderAttempts, orderedLimit) = (32, 1 << 12)

  /// The positions of `values` in the order of a set.
  ///
  /// Before format 23, strings and binaries of one set have no consistent order. They are then put where an app would put them,
  /// which inserts one after the other. Later ones can hide earlier ones from a binary search; these are then inserted last.
  private func sorted(
    _ values: [MixedValue], _ stored: StoredOrder
  ) throws(BuildError) -> [Int] {
    guard stored.isInconsistent else {
      return values.indices.sorted { stored.compare(values[$0], values[$1]) < 0 }
    }
    var sequence = values.indices.sorted {
      StoredOrder.current.compare(values[$0], values[$1]) < 0
    }
    var order: [Int] = []
    for _ in 0..<(values.count > BatchEncoder.orderedLimit ? 1 : BatchEncoder.orderAttempts) {
      order = []
      for i in sequence {
        let place = lowerBound(of: values[i], in: order, values, stored)
        if place < order.count, case let other = values[order[place]],
          stored.compare(other, values[i]) == 0,
          StoredOrder.current.compare(other, values[i]) != 0
        {
          throw BuildError(
            .unsupported("sets with a string and a binary of equal bytes", format: format.number))
        }
        order.insert(i, at: place)
      }
      let hidden = Set(
        order.indices.filter { place in
          let found = lowerBound(of: values[order[place]], in: order, values, stored)
          return found == order.count
            || stored.compare(values[order[found]], values[order[place]]) != 0
        }.map { order[$0] })
      guard !hidden.isEmpty else { break }
      sequence = sequence.filter { !hidden.contains($0) } + sequence.filter(hidden.contains)
    }
    return order
  }

  /// Where a binary search for `value` ends.
  private func lowerBound(
    of value: MixedValue, in order: [Int], _ values: [MixedValue], _ stored: StoredOrder
  ) -> Int {
    var (low, high) = (0, order.count)
    while low < high {
      let middle = (low + high) / 2
      if stored.compare(values[order[middle]], value) < 0 {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return low
  }

  /// A member of a set. A link with an unknown object key has the primary key of its target.
  private struct Member {
    let value: MixedValue
    var identity: Identity?
    var isUnresolved = false
  }

  /// A link with an unknown object key, for finding duplicates.
  private struct LinkMember: Hashable {
    let identity: Identity
    let isMarked: Bool
  }

  private func precedes(_ a: Member, _ b: Member, _ order: StoredOrder) -> Bool {
    // False for links by primary key, so that `memberOrder` checks each of them for duplicates.
    a.identity == nil && b.identity == nil && order.compare(a.value, b.value) < 0
  }

  private static let unknownKey = ObjectKey(.min)

  private func member(_ members: Prepared, _ row: Int) -> Member {
    switch members {
    case .scalar(.decimal(let values)): return Member(value: .decimal(values[row]))
    case .scalar(let scalars): return Member(value: MixedValue(scalars[row]))
    case .link(let links):
      if let key = links.knownKey(row) { return Member(value: .link(key)) }
      return Member(
        value: .link(BatchEncoder.unknownKey),
        identity: Identity(links.identities?[row] ?? .null, target: links.target),
        isUnresolved: links.unresolved[row])
    case .mixed(let mixed):
      guard case .link(let i) = mixed.values[row] else {
        return Member(value: MixedValue(mixed.values[row]))
      }
      let link = mixed.links[i]
      let table = layout.tables[link.target]?.key ?? .null
      if let key = link.knownKey {
        return Member(value: .typedLink(table, key))
      }
      return Member(
        value: .typedLink(table, BatchEncoder.unknownKey),
        identity: Identity(link.identity ?? .null, target: link.target),
        isUnresolved: link.isUnresolved)
    case .embedded, .collection: return Member(value: .null)
    }
  }

  /// Whether a link among the members in `range` has an unknown object key.
  func hasUnknownKeys(_ members: Prepared, _ range: Range<Int>) -> Bool {
    if case .scalar = members { return false }
    return range.contains { member(members, $0).identity != nil }
  }

  /// Adds steps that sort the links among the members in `range` once all their keys are known. This includes
  /// links with known keys, because a later object can take the place of a tombstone.
  func appendSorts(_ members: Prepared, _ range: Range<Int>, _ owner: Owner) {
    var counts: [Int] = []
    var last: Int?
    for row in range {
      guard let target = linkTarget(members, row) else { continue }
      if last != target { counts.append(0) }
      last = target
      counts[counts.count - 1] += 1
    }
    var start = 0
    for count in counts {
      pending.appendSort(from: start, count: count, row: owner.row)
      start += count
    }
  }

  /// Position of the target class of the member in `row`; nil if the member is not a link.
  private func linkTarget(_ members: Prepared, _ row: Int) -> Int? {
    switch members {
    case .link(let links): return links.target
    case .mixed(let mixed):
      guard case .link(let i) = mixed.values[row] else { return nil }
      return mixed.links[i].target
    case .scalar, .embedded, .collection: return nil
    }
  }
}

// MARK: Picking rows

extension BatchEncoder.Prepared {
  /// The values in `rows`, which belong to one collection.
  func picking(_ rows: [Int]) -> BatchEncoder.Prepared {
    switch self {
    case .scalar(let column): return .scalar(column.picking(rows))
    case .link(let column):
      return .link(
        LinkColumn(
          target: column.target, count: rows.count,
          nulls: NullMask(count: rows.count) { column.nulls[rows[$0]] },
          unresolved: NullMask(count: rows.count) { column.unresolved[rows[$0]] },
          keys: column.keys.isEmpty ? [] : rows.map { column.keys[$0] },
          identities: column.identities?.picking(rows)))
    case .embedded(let target, let objects, let first):
      return .embedded(target: target, rows: rows.map { objects[$0] }, firstObject: first)
    case .mixed(let column): return .mixed(column.picking(rows))
    case .collection: return self
    }
  }
}
