import RealmModel
import RealmStorage

/// An entry of a search index: an object and the first bytes of its value.
struct IndexEntry {
  /// Number of integers per entry (24 bytes).
  static let width = 3

  /// The chunks at offsets 0 and 4, with flipped sign bits.
  let first: UInt64
  /// The chunks at offsets 8 and 12. In the longer forms, bits 24–63 are the position of the value's bytes, and
  /// bits 0–23 their number.
  let second: UInt64
  /// Number of the object in its piece, or its key; in a batch, the number of the value.
  let object: UInt64

  init(first: UInt64, second: UInt64, object: UInt64) {
    (self.first, self.second, self.object) = (first, second, object)
  }

  /// The entry at `index` of an array of integers.
  init(_ words: [UInt64], at index: Int) {
    self.init(first: words[index], second: words[index + 1], object: words[index + 2])
  }

  var position: Int { Int(second >> 24) }
  var byteCount: Int { Int(second & 0xFF_FFFF) }
}

/// Collects the entries of a search index (chapter 3, section 5). Used by one thread at a time.
///
/// An entry consists of the bytes of the value and a terminator; null has no bytes. So two entries have the same
/// chunks at all offsets if, and only if, they have the same bytes.
final class IndexEntryList: Sendable {
  /// How much of a value an entry needs.
  enum Form: Sendable {
    /// Up to 15 bytes: the entry contains all of them.
    case short
    /// Any number of bytes.
    case long
    /// Like `long`, but different values can have the same bytes, so the entry has the value too.
    case mixed
    /// Like `long`, but an object has any number of words.
    case words

    /// The form for the index of a column.
    init(of column: BuildColumn) {
      self =
        switch column.property.type {
        case _ where column.isFulltextIndexed || column.property.collection != nil: .words
        case .int, .bool, .timestamp, .objectId: .short
        case .mixed: .mixed
        default: .long
        }
    }
  }

  static let terminator: UInt8 = 0x58
  /// Flips the sign bits of two chunks: an index compares chunks as signed numbers, sorting compares entries as
  /// unsigned numbers.
  static let signs: UInt64 = 0x8000_0000_8000_0000

  let form: Form
  /// The order of values whose chunks are equal.
  let order: StoredOrder
  let records = RecordBuffer(width: IndexEntry.width)
  /// The bytes of the entries of the longer forms.
  let bytes = ByteStore()

  var byteCount: Int { records.byteCount + bytes.count }

  init(_ form: Form, _ order: StoredOrder) { (self.form, self.order) = (form, order) }

  /// Appends all entries of `other`, which has the same form.
  func append(_ other: IndexEntryList) {
    records.append(
      other.records, addingToSecond: form == .short ? 0 : UInt64(bytes.count) << 24)
    bytes.append(other.bytes)
  }

  func removeAll() {
    records.removeAll()
    bytes.removeAll(keepingMemory: false)
  }

  /// Appends an entry.
  func append(_ data: IndexData, object: Int) {
    guard case .short = form else { return appendLong(data, object: object) }
    records.append(
      data.word(at: 0) ^ IndexEntryList.signs, data.word(at: 8) ^ IndexEntryList.signs,
      UInt64(object))
  }

  private func appendLong(_ data: IndexData, object: Int) {
    let start = bytes.count
    switch data {
    case .null: break
    case .short(let low, let high, let count): append(low, high, count: Int(count))
    case .long(let slice):
      bytes.append(slice)
      bytes.append(IndexEntryList.terminator)
    }
    endLong(data.word(at: 0), from: start, object: object)
  }

  /// Appends an entry for a word.
  func append(_ word: IndexWord, object: Int) {
    let start = bytes.count
    if word.rest.isEmpty {
      append(word.low, word.high, count: word.byteCount)
    } else {
      bytes.append(word.low, word.high, count: IndexWord.shortCount)
      bytes.append(word.rest)
      bytes.append(IndexEntryList.terminator)
    }
    endLong(word.data.word(at: 0), from: start, object: object)
  }

  /// Appends up to 16 bytes and the terminator. Bytes beyond `count` are zero.
  private func append(_ low: UInt64, _ high: UInt64, count: Int) {
    let end = UInt64(IndexEntryList.terminator)
    switch count {
    case 0..<8: bytes.append(low | end << UInt64(8 * count), high, count: count + 1)
    case 8..<16: bytes.append(low, high | end << UInt64(8 * count - 64), count: count + 1)
    default:
      bytes.append(low, high, count: count)
      bytes.append(IndexEntryList.terminator)
    }
  }

  /// - Parameter word: the first two chunks of the value.
  private func endLong(_ word: UInt64, from start: Int, object: Int) {
    records.append(
      word ^ IndexEntryList.signs, UInt64(start) << 24 | UInt64(bytes.count - start),
      UInt64(object))
  }

  /// Appends an entry for a mixed value: its index bytes, then the value itself.
  func append(_ value: MixedValue, object: Int) {
    append(IndexData(value), object: object)
    let (type, low, high) = value.words
    bytes.append(type)
    bytes.append(low, high, count: 16)
  }
}

extension IndexEntryList {
  /// Appends the scalars in `rows`.
  ///
  /// - Parameter first: number of the object in row 0.
  func append(_ scalars: ScalarColumn, _ rows: Range<Int>, firstObject first: Int) {
    switch scalars {
    case .int(let values, let nulls):
      for row in rows {
        append(nulls[row] ? .null : IndexData(values[row]), object: first + row)
      }
    case .bool(let values, let nulls):
      for row in rows {
        append(nulls[row] ? .null : IndexData(values[row] ? 1 : 0), object: first + row)
      }
    case .timestamp(let seconds, let nanoseconds, let nulls):
      for row in rows {
        append(
          nulls[row] ? .null : IndexData(seconds: seconds[row], nanoseconds: nanoseconds[row]),
          object: first + row)
      }
    case .string(let values), .binary(let values), .objectId(let values), .uuid(let values):
      for row in rows {
        append(values[row].map { IndexData($0) } ?? .null, object: first + row)
      }
    // Values of these types are never indexed.
    case .float, .double, .decimal: return
    }
  }

  /// Appends the words of a string, including repeated words.
  func append(wordsOf string: ByteSlice, object: Int) {
    var tokens = FullTextTokenizer(string)
    var word = IndexWord()
    while tokens.next(into: &word) {
      append(word, object: object)
      word.removeAll()
    }
  }
}

extension IndexData {
  /// Up to 16 bytes as an array; the first is the lowest byte of `low`.
  static func bytes(low: UInt64, high: UInt64, count: Int) -> [UInt8] {
    (0..<count).map { i in
      let word = i < 8 ? low : high
      return UInt8(truncatingIfNeeded: word >> UInt64(i % 8 * 8))
    }
  }
}

extension MixedValue {
  /// What distinguishes values with the same index bytes: the type, and the number or date.
  fileprivate var words: (type: UInt8, low: UInt64, high: UInt64) {
    switch self {
    case .null: (0, 0, 0)
    case .int(let number): (1, UInt64(bitPattern: number), 0)
    case .bool(let flag): (2, flag ? 1 : 0, 0)
    case .float(let number): (3, UInt64(number.bitPattern), 0)
    case .double(let number): (4, number.bitPattern, 0)
    case .decimal(let number): (5, number.low, number.high)
    case .timestamp(let seconds, let nanoseconds):
      (6, UInt64(bitPattern: seconds), UInt64(bitPattern: nanoseconds))
    case .typedLink(let table, let key): (7, UInt64(table.raw), UInt64(bitPattern: key.raw))
    case .link(let key): (8, UInt64(bitPattern: key.raw), 0)
    case .string: (9, 0, 0)
    case .binary: (10, 0, 0)
    case .objectId: (11, 0, 0)
    case .uuid: (12, 0, 0)
    case .list: (13, 0, 0)
    case .dictionary: (14, 0, 0)
    }
  }

  /// The value with these words.
  ///
  /// - Parameter data: the bytes of a string, binary, ObjectId or UUID.
  init(words type: UInt8, _ low: UInt64, _ high: UInt64, _ data: ByteSlice) {
    switch type {
    case 1: self = .int(Int64(bitPattern: low))
    case 2: self = .bool(low != 0)
    case 3: self = .float(Float(bitPattern: UInt32(truncatingIfNeeded: low)))
    case 4: self = .double(Double(bitPattern: low))
    case 5: self = .decimal(Decimal128(low: low, high: high))
    case 6: self = .timestamp(seconds: Int64(bitPattern: low), nanoseconds: Int64(bitPattern: high))
    case 7: self = .typedLink(TableKey(Int(low)), ObjectKey(Int64(bitPattern: high)))
    case 8: self = .link(ObjectKey(Int64(bitPattern: low)))
    case 9: self = .string(data)
    case 10: self = .binary(data)
    case 11: self = .objectId(data)
    case 12: self = .uuid(data)
    case 13: self = .list(0)
    case 14: self = .dictionary(0)
    default: self = .null
    }
  }
}
