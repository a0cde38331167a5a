public import RealmStorage

/// The bytes that represent a value in a search index (chapter 3, section 5.1).
@usableFromInline
package enum IndexData: Equatable, Sendable {
  /// Null, which differs from a value of 0 bytes.
  case null
  /// Up to 16 bytes, beginning with the lowest byte of `low`. Bytes past the end are zero.
  case short(low: UInt64, high: UInt64, count: UInt8)
  case long(ByteSlice)

  @inlinable static var shortLimit: Int { 16 }
  /// The terminator of the last chunk of a value: "X".
  @usableFromInline
  static let terminator: UInt32 = 0x58

  @inlinable
  package init(_ bytes: ByteSlice) {
    guard bytes.count <= IndexData.shortLimit else {
      self = .long(bytes)
      return
    }
    self = .short(
      low: IndexData.word(of: bytes, at: 0), high: IndexData.word(of: bytes, at: 8),
      count: UInt8(bytes.count))
  }

  @inlinable
  package init(_ number: Int64) {
    self = .short(low: UInt64(bitPattern: number), high: 0, count: 8)
  }

  @inlinable
  package init(seconds: Int64, nanoseconds: Int64) {
    self = .short(
      low: UInt64(bitPattern: seconds), high: UInt64(UInt32(truncatingIfNeeded: nanoseconds)),
      count: 12)
  }

  /// The index data of any value. Nested collections have fixed names; unresolved links count as null.
  @usableFromInline
  package init(_ value: MixedValue) {
    switch value {
    case .null: self = .null
    case .int(let number): self.init(number)
    case .bool(let flag): self.init(flag ? 1 : 0)
    case .float(let number):
      if let whole = Int32(exactly: number) {
        self.init(Int64(whole))
      } else {
        self = .short(low: UInt64(number.bitPattern), high: 0, count: 4)
      }
    case .double(let number):
      if let whole = Int32(exactly: number) {
        self.init(Int64(whole))
      } else {
        self = .short(low: number.bitPattern, high: 0, count: 8)
      }
    case .decimal(let number):
      if let whole = number.truncated {
        self.init(whole)
      } else {
        self = .short(low: number.low, high: number.high, count: 16)
      }
    case .string(let bytes), .binary(let bytes), .objectId(let bytes), .uuid(let bytes):
      self.init(bytes)
    case .timestamp(let seconds, let nanoseconds):
      self.init(seconds: seconds, nanoseconds: nanoseconds)
    case .link(let key): self.init(key.raw)
    case .typedLink(let table, let key):
      guard !key.isUnresolved, !key.isNull else {
        self = .null
        return
      }
      // Four bytes of table key, then eight bytes of object key.
      let object = UInt64(bitPattern: key.raw)
      self = .short(
        low: UInt64(UInt32(truncatingIfNeeded: table.raw)) | object << 32, high: object >> 32,
        count: 12)
    case .list: self = IndexData.list
    case .dictionary: self = IndexData.dictionary
    }
  }

  /// Calls `body` with each row of a batch of single values, and the index data of its value. Values of types that
  /// are never indexed count as null.
  @inlinable
  @inline(__always)
  package static func forEach(in batch: LeafValues, _ body: (Int, IndexData) -> Void) {
    switch batch {
    case .scalar(let values): forEach(in: values, body)
    case .mixed(let values): for row in values.indices { body(row, IndexData(values[row])) }
    case .link, .collection: for row in 0..<batch.count { body(row, .null) }
    }
  }

  @inlinable
  @inline(__always)
  static func forEach(in column: ScalarColumn, _ body: (Int, IndexData) -> Void) {
    switch column {
    case .int(let values, let nulls):
      for row in values.indices { body(row, nulls[row] ? .null : IndexData(values[row])) }
    case .bool(let values, let nulls):
      for row in values.indices { body(row, nulls[row] ? .null : IndexData(values[row] ? 1 : 0)) }
    case .timestamp(let seconds, let nanoseconds, let nulls):
      for row in seconds.indices {
        body(
          row,
          nulls[row] ? .null : IndexData(seconds: seconds[row], nanoseconds: nanoseconds[row]))
      }
    case .string(let values), .binary(let values), .objectId(let values), .uuid(let values):
      for row in values.indices { body(row, values[row].map { IndexData($0) } ?? .null) }
    case .float, .double, .decimal: for row in 0..<column.count { body(row, .null) }
    }
  }

  private static let list = named("__List__")
  private static let dictionary = named("__Dictionary__")

  /// - Parameter name: at most 16 bytes.
  private static func named(_ name: StaticString) -> IndexData {
    var (low, high): (UInt64, UInt64) = (0, 0)
    for (i, byte) in name.description.utf8.enumerated() {
      if i < 8 {
        low |= UInt64(byte) << UInt64(i * 8)
      } else {
        high |= UInt64(byte) << UInt64(i * 8 - 64)
      }
    }
    return .short(low: low, high: high, count: UInt8(name.utf8CodeUnitCount))
  }

  /// Eight bytes from `offset`, which is at most the number of bytes; bytes past the end are zero.
  @inlinable
  @inline(__always)
  static func word(of bytes: ByteSlice, at offset: Int) -> UInt64 {
    let rest = bytes.count &- offset
    if rest >= 8 { return bytes.littleEndian(at: offset) }
    guard rest > 0 else { return 0 }
    if bytes.count >= 8 {
      return bytes.littleEndian(at: bytes.count &- 8) &>> UInt64(64 &- 8 &* rest)
    }
    var word: UInt64 = 0
    for i in offset..<max(offset, bytes.count) {
      word |= UInt64(bytes[i]) << UInt64((i - offset) * 8)
    }
    return word
  }

  /// The chunk key at `offset`, which is a multiple of 4 (section 5.2).
  @inlinable
  @inline(__always)
  package func chunk(at offset: Int) -> Int32 {
    switch self {
    case .null: return 0
    case .short(let low, let high, let count):
      let rest = Int(count) - offset
      guard rest >= 0 else { return 0 }
      let word =
        offset < 8
        ? low >> UInt64(offset * 8) : offset < 16 ? high >> UInt64((offset - 8) * 8) : 0
      return IndexData.chunk(UInt32(truncatingIfNeeded: word), rest: rest)
    case .long(let bytes):
      let rest = bytes.count - offset
      guard rest >= 0 else { return 0 }
      if rest >= 4 { return Int32(bitPattern: bytes.littleEndian32(at: offset).byteSwapped) }
      var word: UInt32 = 0
      for i in 0..<rest { word |= UInt32(bytes[offset + i]) << UInt32(i * 8) }
      return IndexData.chunk(word, rest: rest)
    }
  }

  /// The chunks at `offset`, which is 0 or 8, and at `offset` + 4 as one number, the first in the upper half.
  @inlinable
  package func word(at offset: Int) -> UInt64 {
    switch self {
    case .null: return 0
    case .short(let low, let high, let count):
      let rest = Int(count) - offset
      guard rest >= 0 else { return 0 }
      let word = offset == 0 ? low : high
      // The terminator follows the last byte; bytes past the end are zero.
      return (rest < 8 ? word | UInt64(IndexData.terminator) << UInt64(rest * 8) : word).byteSwapped
    case .long(let bytes):
      // More than 16 bytes.
      return bytes.littleEndian(at: offset).byteSwapped
    }
  }

  /// - Parameters:
  ///   - word: the next four bytes; the first is the lowest byte.
  ///   - rest: the number of bytes left. If it is less than four, the terminator follows the last byte.
  @inlinable
  @inline(__always)
  static func chunk(_ word: UInt32, rest: Int) -> Int32 {
    guard rest < 4 else { return Int32(bitPattern: word.byteSwapped) }
    let shift = UInt32(rest * 8)
    return Int32(bitPattern: (word & (1 << shift &- 1) | terminator << shift).byteSwapped)
  }

  /// A hash of the kind and the bytes.
  package var hash: UInt64 {
    switch self {
    case .null: return 1
    case .short(let low, let high, let count):
      return mixed(mixed(low ^ UInt64(count) << 56) &+ high)
    case .long(let bytes):
      var hash = UInt64(bytes.count)
      var offset = 0
      while offset < bytes.count {
        hash = mixed(hash ^ IndexData.word(of: bytes, at: offset)) &+ 1
        offset += 8
      }
      return hash
    }
  }

  /// -1, 0 or 1: null first, then by bytes. Only lists at offset 200 hold different values, all of which are
  /// long.
  package static func order(_ a: IndexData, _ b: IndexData) -> Int {
    guard a != b else { return 0 }
    switch (a, b) {
    case (.long(let x), .long(let y)): return x < y ? -1 : 1
    case (.null, _): return -1
    case (_, .null): return 1
    case (.short(let x, let y, let n), .short(let z, let w, let m)):
      return (x.byteSwapped, y.byteSwapped, n) < (z.byteSwapped, w.byteSwapped, m) ? -1 : 1
    case (.short, .long): return -1
    case (.long, .short): return 1
    }
  }

  /// Whether the first chunks are `path`.
  @inlinable
  @inline(__always)
  package func begins(with path: [Int32]) -> Bool {
    for level in path.indices where chunk(at: level * 4) != path[level] { return false }
    return true
  }

  /// Whether the first chunks are `path` and then `last`.
  @inlinable
  @inline(__always)
  package func begins(with path: [Int32], _ last: Int32) -> Bool {
    chunk(at: path.count * 4) == last && begins(with: path)
  }
}

extension Decimal128 {
  /// The number without its fraction, if it fits into 64 bits.
  var truncated: Int64? {
    guard !isNaN, !isInfinite else { return nil }
    var whole = coefficient
    var exponent = self.exponent
    while exponent < 0, whole > 0 {
      whole /= 10
      exponent += 1
    }
    while exponent > 0, whole > 0 {
      // Below 2⁶⁴, so ten times the number fits into 128 bits.
      guard whole <= UInt128(UInt64.max) else { return nil }
      whole *= 10
      exponent -= 1
    }
    return isNegative ? Int64(exactly: -Int128(truncatingIfNeeded: whole)) : Int64(exactly: whole)
  }
}
