import RealmModel
import RealmStorage
import RealmSync

/// The place where values are masked: equal values in one domain stay equal.
struct MaskDomain: Sendable {
  /// 8 bytes that no other domain has.
  let bytes: [UInt8]
  /// Counts the attempts to find a value that a collection does not have yet.
  var attempt: UInt8 = 0
  /// Whether equal words of strings stay equal, because a full-text index stores each word once.
  var isByWord = false

  init(_ name: [UInt8], _ code: MessageCode) throws(RealmFileError) {
    let (number, _) = try code.code(of: name)
    bytes = MaskDomain.bytes(of: number)
  }

  static func bytes(of number: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: number &>> UInt64(8 * $0)) }
  }

  static func bytes(of number: UInt128) -> [UInt8] {
    (0..<16).map { UInt8(truncatingIfNeeded: number &>> UInt128(8 * $0)) }
  }
}

/// Replaces numbers by others of the same magnitude, one to one. Used by one thread.
struct NumberMask {
  let code: MessageCode

  // MARK: Permutations

  /// A permutation of `0..<count`: a Feistel network over the product of two numbers near the root of `count`
  /// (Black and Rogaway, "Ciphers with arbitrary finite domains", 2002), walked until the result is below `count`.
  private func permuted(
    _ value: UInt128, of count: UInt128, _ domain: MaskDomain, _ kind: UInt8
  ) throws(RealmFileError) -> UInt128 {
    guard count > 1, value < count else { return value }
    // Any two factors do; a product close to `count` needs few walks.
    let a: UInt128 = 1 << ((UInt128.bitWidth - count.leadingZeroBitCount + 1) / 2)
    let b = (count - 1) / a + 1
    let prefix = domain.bytes + [domain.attempt, kind] + MaskDomain.bytes(of: count)
    var result = value
    repeat {
      var (left, right) = (result % a, result / a)
      for round in 0..<4 as Range<UInt8> {
        let (high, low) = try code.code(of: prefix + [round] + MaskDomain.bytes(of: right))
        let limit = round % 2 == 0 ? a : b
        // Both are below the limit, which is at most 2⁶⁴.
        let sum = (left + (UInt128(high) << 64 | UInt128(low)) % limit) % limit
        (left, right) = (right, sum)
      }
      result = a * right + left
    } while result >= count
    return result
  }

  /// Where the magnitudes of integers begin: powers of ten, and the first numbers that a wider leaf stores (chapter 2,
  /// section 1.2), so that a column keeps its width.
  private static let magnitudes: [UInt64] = {
    let widths: [UInt64] = [16, 1 << 7, 1 << 15, 1 << 31]
    var starts = [UInt64](widths)
    var power: UInt64 = 1
    for _ in 0..<19 {
      starts.append(power)
      power *= 10
    }
    return starts.sorted()
  }()

  /// 0 and the smallest number stay.
  func int(_ value: Int64, _ domain: MaskDomain) throws(RealmFileError) -> Int64 {
    guard value != 0, value != .min else { return value }
    let next = NumberMask.magnitudes.firstIndex { $0 > value.magnitude }
    let end = next.map { NumberMask.magnitudes[$0] } ?? UInt64(Int64.max) + 1
    let start = NumberMask.magnitudes[(next ?? NumberMask.magnitudes.count) - 1]
    let offset = try permuted(
      UInt128(value.magnitude - start), of: UInt128(end - start), domain, 0)
    let magnitude = Int64(start + UInt64(offset))
    return value < 0 ? -magnitude : magnitude
  }

  func bool(_ value: Bool, _ domain: MaskDomain) throws(RealmFileError) -> Bool {
    try permuted(value ? 1 : 0, of: 2, domain, 1) == 1
  }

  /// Sign and exponent stay, and so do zeros, infinities and NaNs.
  func double(_ value: Double, _ domain: MaskDomain) throws(RealmFileError) -> Double {
    guard value.isNormal else { return value }
    let mask: UInt64 = 1 << 52 - 1
    let mantissa = try permuted(UInt128(value.bitPattern & mask), of: 1 << 52, domain, 2)
    return Double(bitPattern: value.bitPattern & ~mask | UInt64(mantissa))
  }

  func float(_ value: Float, _ domain: MaskDomain) throws(RealmFileError) -> Float {
    guard value.isNormal else { return value }
    let mask: UInt32 = 1 << 23 - 1
    let mantissa = try permuted(UInt128(value.bitPattern & mask), of: 1 << 23, domain, 3)
    return Float(bitPattern: value.bitPattern & ~mask | UInt32(mantissa))
  }

  /// For each number of digits: the first number that has so many, the first ones that leaves store in 8 or in 16
  /// bytes (chapter 2, section 3.11), also with any number of zeros at the end, and the first number of more digits.
  private static let decimalStarts: [[UInt128]] = {
    // A coefficient has up to 34 digits.
    let powers = (0...34).map { (0..<$0).reduce(UInt128(1)) { power, _ in power * 10 } }
    let limits: [(limit: UInt128, digits: Int)] = [(1 << 23, 7), (1 << 53, 16)]
    return (1...34).map { count in
      let starts = limits.compactMap { (limit, digits) -> UInt128? in
        // Of numbers with one digit, only 9 is beyond a limit: it would stay.
        guard 2...digits ~= count else { return nil }
        return (limit - 1) / powers[digits - count] + 1
      }
      return [powers[count - 1]] + starts + [powers[count]]
    }
  }()

  /// Keeps sign, exponent, the number of digits, without counting zeros at the end, and the size in a leaf. What
  /// replaces the digits depends on nothing but the digits, so different numbers stay different, even if they have
  /// different exponents.
  func decimal(_ value: Decimal128, _ domain: MaskDomain) throws(RealmFileError) -> Decimal128 {
    guard value.isFinite, value.coefficient != 0 else { return value }
    var (digits, zeros): (UInt128, UInt128) = (value.coefficient, 1)
    while digits % 10 == 0 { (digits, zeros) = (digits / 10, zeros * 10) }
    let starts = NumberMask.decimalStarts.first { $0[$0.count - 1] > digits } ?? []
    guard let next = starts.firstIndex(where: { $0 > digits }) else { return value }
    // The last digit is not 0, so nine of ten numbers count.
    func index(_ number: UInt128) -> UInt128 { number / 10 * 9 + max(number % 10, 1) - 1 }
    let first = index(starts[next - 1])
    let masked =
      try permuted(index(digits) - first, of: index(starts[next]) - first, domain, 4) + first
    let coefficient = (masked / 9 * 10 + masked % 9 + 1) * zeros
    return Decimal128(
      coefficient: coefficient, exponent: value.exponent, isNegative: value.isNegative) ?? value
  }

  /// Moves a date by up to a year; nanoseconds keep their precision.
  func date(
    _ seconds: Int64, _ nanoseconds: Int64, _ domain: MaskDomain
  ) throws(RealmFileError) -> (seconds: Int64, nanoseconds: Int64) {
    let length: Int64 = 1 << 25
    let offset = try permuted(UInt128(seconds & (length - 1)), of: UInt128(length), domain, 5)
    let moved = seconds & ~(length - 1) | Int64(offset)
    var step: Int64 = 1
    while step < 1_000_000_000, nanoseconds % (step * 10) == 0 { step *= 10 }
    guard nanoseconds != 0 else { return (moved, 0) }
    // The number of steps does not end with 0, so nine of ten numbers count.
    let steps = nanoseconds.magnitude / UInt64(step)
    let index = UInt128(steps / 10 * 9 + steps % 10 - 1)
    let count = max(UInt128(100_000_000 / step) * 9, 9)
    let part = try permuted(index, of: count, domain, 6)
    let masked = Int64(part / 9 * 10 + part % 9 + 1) * step
    // Seconds and nanoseconds have the same sign.
    return nanoseconds < 0 ? (seconds == 0 ? 0 : moved, -masked) : (moved, masked)
  }

  /// 12 bytes.
  func objectId(_ bytes: ByteSlice, _ domain: MaskDomain) throws(RealmFileError) -> [UInt8] {
    let number = bytes.bytes.reduce(UInt128(0)) { $0 << 8 | UInt128($1) }
    let masked = try permuted(number, of: 1 << 96, domain, 7)
    return stride(from: 88, through: 0, by: -8).map { UInt8(truncatingIfNeeded: masked >> $0) }
  }

  /// 16 bytes. The version and the variant stay.
  func uuid(_ bytes: ByteSlice, _ domain: MaskDomain) throws(RealmFileError) -> [UInt8] {
    var bytes = bytes.bytes
    let (version, variant) = (bytes[6] & 0xF0, bytes[8] & 0xC0)
    // The other bits: 48, 12 and 62.
    let number = bytes.reduce(UInt128(0)) { $0 << 8 | UInt128($1) }
    let low: UInt128 = 1 << 62 - 1
    let middle: UInt128 = 0xFFF
    let open = ((number >> 80) << 74) | ((number >> 64 & middle) << 62) | (number & low)
    let masked = try permuted(open, of: 1 << 122, domain, 8)
    let result = ((masked >> 74) << 80) | ((masked >> 62 & middle) << 64) | (masked & low)
    bytes = stride(from: 120, through: 0, by: -8).map { UInt8(truncatingIfNeeded: result >> $0) }
    bytes[6] |= version
    bytes[8] |= variant
    return bytes
  }
}
