/// Reads the numbers and strings of a changeset (chapter 4, sections 3.1 and 3.2).
struct ChangesetBytes {
  let bytes: [UInt8]
  private(set) var offset = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { offset >= bytes.count }

  private mutating func byte() throws(ChangesetError) -> UInt8 {
    guard offset < bytes.count else {
      throw ChangesetError("the changeset ends inside an instruction", at: offset)
    }
    defer { offset += 1 }
    return bytes[offset]
  }

  /// An integer stored in groups of seven bits, the lowest first; the last byte has six bits and a sign.
  ///
  /// - Parameter bitCount: maximum bits of the magnitude, at most 127.
  private mutating func integer(
    bitCount: Int
  ) throws(ChangesetError) -> (magnitude: UInt128, isComplement: Bool) {
    let start = offset
    var value: UInt128 = 0
    var shift = 0
    while true {
      let byte = try byte()
      let isLast = byte & 0x80 == 0
      let bits = UInt128(byte & (isLast ? 0x3F : 0x7F))
      // The shift is less than 128, because the guard below ends the loop earlier.
      value |= bits << UInt128(shift)
      shift += isLast ? 6 : 7
      guard value >> UInt128(bitCount) == 0, isLast || shift <= bitCount else {
        throw ChangesetError("a number is too large", at: start)
      }
      if isLast { return (value, byte & 0x40 != 0) }
    }
  }

  mutating func signed() throws(ChangesetError) -> Int64 {
    let (magnitude, isComplement) = try integer(bitCount: 63)
    let value = Int64(magnitude)
    return isComplement ? ~value : value
  }

  mutating func unsigned() throws(ChangesetError) -> UInt64 {
    let start = offset
    let (magnitude, isComplement) = try integer(bitCount: 64)
    guard !isComplement else { throw ChangesetError("a number is negative", at: start) }
    return UInt64(magnitude)
  }

  /// The coefficient of a decimal.
  mutating func coefficient() throws(ChangesetError) -> UInt128 {
    let start = offset
    let (magnitude, isComplement) = try integer(bitCount: 113)
    guard !isComplement else { throw ChangesetError("a number is negative", at: start) }
    return magnitude
  }

  /// A count or a position: 0…2³²−1.
  mutating func count() throws(ChangesetError) -> Int {
    let start = offset
    let value = try unsigned()
    guard value <= UInt64(UInt32.max) else {
      throw ChangesetError("a number is too large", at: start)
    }
    return Int(value)
  }

  mutating func bool() throws(ChangesetError) -> Bool {
    let start = offset
    switch try unsigned() {
    case 0: return false
    case 1: return true
    default: throw ChangesetError("a flag is neither 0 nor 1", at: start)
    }
  }

  private mutating func range(_ count: Int) throws(ChangesetError) -> Range<Int> {
    guard count <= bytes.count - offset else {
      throw ChangesetError("a value is longer than the rest of the changeset", at: offset)
    }
    defer { offset += count }
    return offset..<offset + count
  }

  mutating func raw(_ count: Int) throws(ChangesetError) -> [UInt8] {
    Array(bytes[try range(count)])
  }

  /// The bytes of a literal, which is stored as a length and that many bytes.
  mutating func literal() throws(ChangesetError) -> [UInt8] { try raw(try count()) }

  /// The range of the bytes of a literal.
  mutating func literalRange() throws(ChangesetError) -> Range<Int> { try range(try count()) }

  mutating func littleEndian(_ count: Int) throws(ChangesetError) -> UInt64 {
    try raw(count).reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}
