import RealmModel
import RealmStorage

/// An entry of one of the longer forms, with the store of its bytes.
struct LongIndexEntry {
  let entry: IndexEntry
  let bytes: ByteStore

  /// The bytes of the value, without the terminator.
  private var data: ByteSlice {
    bytes.slice(at: entry.position, count: max(0, entry.byteCount - 1))
  }

  /// The value of an entry of the mixed form.
  private var value: MixedValue {
    let end = entry.position + entry.byteCount
    return MixedValue(
      words: bytes.slice(at: end, count: 1)[0], bytes.number(at: end + 1),
      bytes.number(at: end + 9), data)
  }

  /// The chunk at `offset`.
  func chunk(at offset: Int) -> Int32 {
    let rest = entry.byteCount - offset
    guard rest > 0 else { return 0 }
    let slice = bytes.slice(at: entry.position + offset, count: min(rest, 4))
    guard rest < 4 else { return Int32(bitPattern: slice.littleEndian32(at: 0).byteSwapped) }
    var word: UInt32 = 0
    for i in 0..<rest { word |= UInt32(slice[i]) << UInt32(24 - i * 8) }
    return Int32(bitPattern: word)
  }

  /// The first two chunks of a value as one number, which ascends in the order of the index: the `count` bytes at
  /// `start` of `bytes`.
  static func firstWord(of bytes: ByteSlice, at start: Int, count: Int) -> UInt64 {
    var word: UInt64 = 0
    if start + 8 <= bytes.count {
      word = bytes.littleEndian(at: start)
      if count < 8 { word &= 1 << UInt64(8 * count) - 1 }
    } else {
      for i in 0..<count { word |= UInt64(bytes[start + i]) << UInt64(8 * i) }
    }
    return word.byteSwapped ^ IndexEntryList.signs
  }

  /// The chunks at `offset` and `offset` + 4 as one number, which ascends in the order of the index.
  func word(at offset: Int) -> UInt64 {
    let rest = entry.byteCount - offset
    guard rest > 0 else { return IndexEntryList.signs }
    if rest >= 8 {
      return bytes.slice(at: entry.position + offset, count: 8).littleEndian(at: 0).byteSwapped
        ^ IndexEntryList.signs
    }
    let (high, low) = (chunk(at: offset), chunk(at: offset + 4))
    return (UInt64(UInt32(bitPattern: high)) << 32 | UInt64(UInt32(bitPattern: low)))
      ^ IndexEntryList.signs
  }

  /// The offset at which an index stops comparing chunks.
  static let limit = 4 * SearchIndexNode.levelLimit

  /// The order of an index: by chunks, then by value, then by object.
  static func precedes(
    _ a: LongIndexEntry, _ b: LongIndexEntry, _ form: IndexEntryList.Form, _ order: StoredOrder
  ) -> Bool {
    guard a.entry.first == b.entry.first else { return a.entry.first < b.entry.first }
    let end = min(max(a.entry.byteCount, b.entry.byteCount), limit)
    for offset in stride(from: 8, to: end, by: 4) {
      let (x, y) = (a.chunk(at: offset), b.chunk(at: offset))
      guard x == y else { return x < y }
    }
    switch form {
    case .mixed:
      let comparison = order.compare(a.value, b.value)
      if comparison != 0 { return comparison < 0 }
    case .long where max(a.entry.byteCount, b.entry.byteCount) > end:
      let comparison = order.compare(strings: a.data, b.data)
      if comparison != 0 { return comparison < 0 }
    case .short, .long, .words: break
    }
    return a.entry.object < b.entry.object
  }
}

extension IndexEntryList.Form {
  /// Number of bytes after the bytes of an entry: the type and two integers of ``MixedValue/words``.
  var valueByteCount: Int { if case .mixed = self { 17 } else { 0 } }
}
