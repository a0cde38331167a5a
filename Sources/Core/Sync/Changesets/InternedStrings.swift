/// The strings that a changeset has defined so far, by number. A changeset can define millions, so they are not
/// copied: each takes a few bytes here.
struct InternedStrings {
  /// The places of the strings in the changeset, by number.
  private var ranges: [(start: UInt32, count: UInt32)] = []
  /// A hash table with open addressing: the number of a string plus 1, or 0 for a free slot. Its size is a power of 2,
  /// and at least half of the slots are free.
  private var slots = [UInt32](repeating: 0, count: 16)

  var count: Int { ranges.count }

  /// The bytes of string `number`, which must be below ``count``.
  func bytes(_ number: Int, in changeset: [UInt8]) -> ArraySlice<UInt8> {
    let (start, count) = ranges[number]
    return changeset[Int(start)..<Int(start) + Int(count)]
  }

  /// Adds the string in `range` of `changeset`.
  ///
  /// - Returns: false if the same string was already defined.
  mutating func define(_ range: Range<Int>, in changeset: [UInt8]) -> Bool {
    let slot = slot(of: changeset[range], in: changeset)
    guard slots[slot] == 0 else { return false }
    // A changeset has fewer than 2³² bytes.
    ranges.append((UInt32(range.lowerBound), UInt32(range.count)))
    slots[slot] = UInt32(ranges.count)
    if ranges.count * 2 > slots.count { grow(changeset) }
    return true
  }

  /// The slot of a string, or the free slot in which to put it.
  private func slot(of string: ArraySlice<UInt8>, in changeset: [UInt8]) -> Int {
    var hasher = Hasher()
    unsafe string.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    var slot = hasher.finalize() & (slots.count - 1)
    while slots[slot] != 0, bytes(Int(slots[slot]) - 1, in: changeset) != string {
      slot = (slot + 1) & (slots.count - 1)
    }
    return slot
  }

  private mutating func grow(_ changeset: [UInt8]) {
    slots = [UInt32](repeating: 0, count: slots.count * 2)
    for number in ranges.indices {
      slots[slot(of: bytes(number, in: changeset), in: changeset)] = UInt32(number + 1)
    }
  }
}
