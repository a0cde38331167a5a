package import RealmStorage

/// The order in which a realm stores values where the order is part of the format: the members of sets, the keys of
/// dictionaries, and the values in long lists of indexes (chapter 2, sections 6.3, 6.4 and 8.3). Libraries look values up
/// by binary search, so each format needs its own.
package struct StoredOrder: Sendable {
  /// What is ordered.
  package enum Use: Sendable {
    /// The members of a set of one type, or the keys of a dictionary.
    case values
    /// The members of a set of mixed values.
    case mixedSet
    /// The values in a list of an index.
    case index
  }

  private enum Strings {
    case bytes
    case signedCharacters
    case collation
  }

  private let strings: Strings
  private let hasSignedBinaries: Bool
  /// Whether strings and binaries are compared with each other, by their bytes.
  private let mixesStringsAndBinaries: Bool

  /// The order of format 24, the same for all uses.
  package static let current = StoredOrder(.current, WriterPlatform(), .values)

  /// Strings and binaries in signed characters, as most apps wrote them before format 24. An upgrade to format 24 leaves the
  /// keys of dictionaries in this order.
  package static let signedCharacters = StoredOrder(
    strings: .signedCharacters, hasSignedBinaries: true, mixesStringsAndBinaries: false)

  /// The orders that the values of a file can have, whichever platform wrote it: one or two.
  package static func possible(
    _ format: FileFormat, _ use: Use
  ) -> (first: StoredOrder, second: StoredOrder?) {
    var platform = WriterPlatform()
    let first = StoredOrder(format, platform, use)
    guard format.byteOrder == .characters, use != .mixedSet else { return (first, nil) }
    platform.hasSignedCharacters = false
    return (first, StoredOrder(format, platform, use))
  }

  private init(strings: Strings, hasSignedBinaries: Bool, mixesStringsAndBinaries: Bool) {
    (self.strings, self.hasSignedBinaries) = (strings, hasSignedBinaries)
    self.mixesStringsAndBinaries = mixesStringsAndBinaries
  }

  /// - Parameter platform: decides the order of the type `char` in formats before 24.
  package init(_ format: FileFormat, _ platform: WriterPlatform, _ use: Use) {
    let isSigned = format.byteOrder == .characters && platform.hasSignedCharacters
    let characters: Strings = isSigned ? .signedCharacters : .bytes
    switch (use, format.mixedStringOrder) {
    case (.mixedSet, .bytes), (.mixedSet, .collated), (.mixedSet, .collatedAmongBinaries):
      strings = format.mixedStringOrder == .bytes ? .bytes : .collation
      mixesStringsAndBinaries = format.mixedStringOrder == .collatedAmongBinaries
    case (.index, let order):
      (strings, mixesStringsAndBinaries) = (characters, order != .bytes)
    case (.values, _):
      (strings, mixesStringsAndBinaries) = (characters, false)
    }
    hasSignedBinaries = isSigned && use == .values
  }

  /// Whether this is the order of format 24.
  package var isCurrent: Bool {
    strings == .bytes && !hasSignedBinaries && !mixesStringsAndBinaries
  }

  /// Whether the order of some members is not transitive: that of sets of mixed values before format 23, if they have
  /// strings and binaries.
  package var isInconsistent: Bool { isCollated && mixesStringsAndBinaries }

  /// Whether strings are compared by collation, which has no order for strings that are not UTF-8.
  package var isCollated: Bool { strings == .collation }

  /// Sorts `members`, if they are not sorted already, as those of sets that the same format stores are.
  ///
  /// - Returns: the sorted members, and the number of duplicates that were left out.
  package func sorted(
    _ members: [MixedValue], keepingDuplicates: Bool
  ) -> (members: [MixedValue], duplicates: Int) {
    let isAscending = zip(members, members.dropFirst()).allSatisfy { compare($0, $1) < 0 }
    guard !isAscending else { return (members, 0) }
    // Swift's sort is stable, so equal members keep their stored order.
    let ordered = members.sorted { compare($0, $1) < 0 }
    guard !keepingDuplicates else { return (ordered, 0) }
    var unique: [MixedValue] = []
    unique.reserveCapacity(ordered.count)
    for member in ordered {
      if let last = unique.last, compare(last, member) == 0 { continue }
      unique.append(member)
    }
    return (unique, ordered.count - unique.count)
  }

  /// -1, 0 or 1: null first, then by the rank of the type, within a rank by value.
  package func compare(_ a: MixedValue, _ b: MixedValue) -> Int {
    switch (a, b) {
    case (.bool(let x), .bool(let y)): return NumberOrder.order(x ? 1 : 0, y ? 1 : 0)
    case (.string(let x), .string(let y)): return compare(strings: x, y)
    case (.binary(let x), .binary(let y)):
      return hasSignedBinaries ? StoredOrder.compare(signed: x, y) : NumberOrder.order(x, y)
    case (.string(let x), .binary(let y)), (.binary(let x), .string(let y)):
      guard !mixesStringsAndBinaries else { return NumberOrder.order(x, y) }
      return NumberOrder.order(StoredOrder.rank(a), StoredOrder.rank(b))
    case (.objectId(let x), .objectId(let y)), (.uuid(let x), .uuid(let y)):
      return NumberOrder.order(x, y)
    case (.timestamp(let s, let n), .timestamp(let t, let m)):
      return s == t ? NumberOrder.order(n, m) : NumberOrder.order(s, t)
    case (.link(let x), .link(let y)): return NumberOrder.order(x.raw, y.raw)
    case (.typedLink(let t, let x), .typedLink(let u, let y)):
      return t == u ? NumberOrder.order(x.raw, y.raw) : NumberOrder.order(t.raw, u.raw)
    default:
      let (rankA, rankB) = (StoredOrder.rank(a), StoredOrder.rank(b))
      guard rankA == rankB else { return NumberOrder.order(rankA, rankB) }
      guard rankA == StoredOrder.numericRank, let x = NumberOrder(a), let y = NumberOrder(b) else {
        return 0
      }
      return NumberOrder.compare(x, y)
    }
  }

  /// Compares two strings in UTF-8.
  package func compare(strings a: ByteSlice, _ b: ByteSlice) -> Int {
    switch strings {
    case .bytes: NumberOrder.order(a, b)
    case .signedCharacters: StoredOrder.compare(signed: a, b)
    case .collation: Collation.compare(a, b)
    }
  }

  private static func compare(signed a: ByteSlice, _ b: ByteSlice) -> Int {
    for i in 0..<min(a.count, b.count) where a[i] != b[i] {
      return Int8(bitPattern: a[i]) < Int8(bitPattern: b[i]) ? -1 : 1
    }
    return NumberOrder.order(a.count, b.count)
  }

  private static let numericRank = 2

  private static func rank(_ value: MixedValue) -> Int {
    switch value {
    case .null: 0
    case .bool: 1
    case .int, .float, .double, .decimal: numericRank
    case .string: 3
    case .binary: 4
    case .timestamp: 5
    case .objectId: 6
    case .uuid: 7
    case .typedLink: 8
    case .link: 9
    case .list: 10
    case .dictionary: 11
    }
  }
}

/// Checks run by run whether values ascend like the members of a set in format 24.
struct AscendingOrder {
  private var previous: MixedValue?

  /// Whether the rows of `batch` from `start` on continue the ascending order.
  mutating func continues(with batch: LeafValues, from start: Int) -> Bool {
    for row in start..<batch.count {
      let value = batch.member(at: row)
      if let previous, StoredOrder.current.compare(previous, value) >= 0 { return false }
      previous = value
    }
    return true
  }
}
