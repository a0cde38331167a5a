package import RealmStorage

/// The numbers 00 to 99 with two digits each, which halve the number of divisions.
@inline(__always)
private var digitPairs: StaticString {
  """
  00010203040506070809101112131415161718192021222324252627282930313233343536373839\
  40414243444546474849505152535455565758596061626364656667686970717273747576777879\
  8081828384858687888990919293949596979899
  """
}

/// The hexadecimal digits.
@inline(__always)
private var hexDigits: StaticString { "0123456789abcdef" }

/// The eight hexadecimal digits of four bytes; the first digit of each byte is in the lower place.
/// All are computed at once.
@inline(__always)
private func hexDigits(of bytes: UInt32) -> UInt64 {
  // One byte in every second place.
  var word = UInt64(bytes)
  word = (word | word &<< 16) & 0x0000_FFFF_0000_FFFF
  word = (word | word &<< 8) & 0x00FF_00FF_00FF_00FF
  let low: UInt64 = 0x000F_000F_000F_000F
  let nibbles = word &>> 4 & low | (word & low) &<< 8
  // 1 in each place above 9: letters are 39 places after the digits.
  let letters = (nibbles &+ 0x0606_0606_0606_0606) &>> 4 & 0x0101_0101_0101_0101
  return nibbles &+ 0x3030_3030_3030_3030 &+ letters &* 39
}

/// Writes the two digits of `value`, which is below 100, at `target`.
@inline(__always)
private func write(pair value: UInt64, to target: UnsafeMutableRawPointer) {
  assert(value < 100)
  // The table has 200 bytes, and the offset is below 100 * 2.
  let pair = unsafe UnsafeRawPointer(digitPairs.utf8Start)
    .loadUnaligned(fromByteOffset: Int(truncatingIfNeeded: value &* 2), as: UInt16.self)
  unsafe target.storeBytes(of: pair, as: UInt16.self)
}

/// Writes the lowest `width` decimal digits of `value` at `target`.
@inline(__always)
func writeDigits(_ value: UInt64, width: Int, to target: UnsafeMutableRawPointer) {
  var rest = value
  var end = width
  while end >= 2 {
    let next = rest / 100
    end -= 2
    // next * 100 <= rest: no overflow.
    unsafe write(pair: rest &- next &* 100, to: target + end)
    rest = next
  }
  if end == 1 {
    unsafe target.storeBytes(of: 0x30 + UInt8(truncatingIfNeeded: rest % 10), as: UInt8.self)
  }
}

/// Number of decimal digits of `value`, 1 to 20.
@inline(__always)
func decimalDigitCount(_ value: UInt64) -> Int {
  if value < 10 { return 1 }
  var count = 1
  var rest = value
  while rest >= 10_000 {
    rest /= 10_000
    count += 4
  }
  return count + (rest >= 1000 ? 3 : rest >= 100 ? 2 : rest >= 10 ? 1 : 0)
}

extension TextBuffer {
  /// Appends `value` in decimal, with `-` if it is negative (chapter 6, section 1.3).
  package mutating func append(decimal value: Int64) {
    if value < 0 { append(0x2D) }
    append(decimal: value.magnitude)
  }

  /// Appends `value` in decimal.
  package mutating func append(decimal value: UInt64) {
    let width = decimalDigitCount(value)
    unsafe writeDigits(value, width: width, to: room(for: width))
    unsafe didWrite(width)
  }

  /// Appends `value` in decimal.
  package mutating func append(decimal value: Int) {
    append(decimal: Int64(value))
  }

  /// Appends exactly `width` decimal digits: `value` with leading zeros, or only its lowest digits
  /// if it has more.
  @inline(__always)
  package mutating func append(zeroPadded value: UInt64, width: Int) {
    unsafe writeDigits(value, width: width, to: room(for: width))
    unsafe didWrite(width)
  }

  /// Appends the lowest `digits` hexadecimal digits of `value` in lower case.
  ///
  /// - Parameter digits: at most 16.
  package mutating func append(hex value: UInt64, digits: Int) {
    for digit in (0..<digits).reversed() {
      let nibble = Int(truncatingIfNeeded: (value >> UInt64(4 * digit)) & 15)
      append(unsafe hexDigits.utf8Start[nibble])
    }
  }

  /// Appends two lower-case hexadecimal digits for each byte: the format of an ObjectId (chapter 6,
  /// section 1.3).
  package mutating func append(hex bytes: ByteSlice) {
    let target = unsafe room(for: bytes.count &* 2)
    let digits = unsafe hexDigits.utf8Start
    var index = 0
    // Offsets are below the count, and below twice the count in the target, which has room for
    // them.
    while bytes.count &- index >= 4 {
      let word = unsafe bytes.start.loadUnaligned(fromByteOffset: index, as: UInt32.self)
      unsafe target.storeBytes(
        of: hexDigits(of: word.littleEndian).littleEndian, toByteOffset: index &* 2,
        as: UInt64.self)
      index &+= 4
    }
    while index < bytes.count {
      let byte = unsafe bytes.start.load(fromByteOffset: index, as: UInt8.self)
      unsafe target.storeBytes(
        of: digits[Int(byte >> 4)], toByteOffset: index &* 2, as: UInt8.self)
      unsafe target.storeBytes(
        of: digits[Int(byte & 15)], toByteOffset: index &* 2 &+ 1, as: UInt8.self)
      index &+= 1
    }
    unsafe didWrite(bytes.count &* 2)
  }

  /// Appends two lower-case hexadecimal digits for each byte.
  package mutating func append(hex bytes: [UInt8]) {
    unsafe bytes.withUnsafeBytes { buffer in
      guard let start = buffer.baseAddress else { return }
      append(hex: unsafe ByteSlice(start: start, count: buffer.count))
    }
  }

  /// Appends a UUID as 8-4-4-4-12 digits in lower case (chapter 6, section 1.3).
  ///
  /// - Parameter uuid: exactly 16 bytes.
  package mutating func append(uuid: ByteSlice) {
    precondition(uuid.count == 16)
    append(hex: uuid.part(0..<4))
    append(0x2D)
    append(hex: uuid.part(4..<6))
    append(0x2D)
    append(hex: uuid.part(6..<8))
    append(0x2D)
    append(hex: uuid.part(8..<10))
    append(0x2D)
    append(hex: uuid.part(10..<16))
  }

  /// Appends a UUID as 8-4-4-4-12 digits in lower case.
  ///
  /// - Parameter bytes: exactly 16.
  package mutating func append(uuid bytes: [UInt8]) {
    unsafe bytes.withUnsafeBytes { buffer in
      guard let start = buffer.baseAddress else { return }
      append(uuid: unsafe ByteSlice(start: start, count: buffer.count))
    }
  }
}
