import RealmModel
import RealmStorage
import RealmSync

/// Replaces numbers by others of the same magnitude, one to one.
struct NumberMask {
  let domain: MaskDomain

  init(_ domain: MaskDomain) { self.domain = domain }

  // MARK: Permutations

  /// A permutation of `0..<count`: a Feistel network over the product of two numbers near the root of `count`
  /// (Black and Rogaway, "Ciphers with arbitrary finite domains", 2002), walked until the result is below `count`.
  ///
  /// - Parameters:
  ///   - count: at most 2¹²².
  ///   - range: differs for values that are not replaced by one another.
  @inline(__always)
  private func permuted<Number: FixedWidthInteger & UnsignedInteger>(
    _ value: Number, of count: Number, _ kind: MaskDomain.Kind, range: Int = 0
  ) -> Number {
    guard count > 1, value < count else { return value }
    // Any two factors do; a product close to `count` needs few walks. Both are at most 2⁶².
    let bits = (Number.bitWidth - count.leadingZeroBitCount + 1) / 2
    let a: UInt64 = 1 &<< UInt64(bits)
    let b = UInt64(truncatingIfNeeded: (count - 1) >> bits) + 1
    let hash = domain.hash(kind, range: range)
    var result = value
    repeat {
      var left = UInt64(truncatingIfNeeded: result) & (a - 1)
      var right = UInt64(truncatingIfNeeded: result >> bits)
      for round in 0..<4 as Range<UInt64> {
        var code = hash
        // `right` has at most 62 bits.
        code.add(right | round &<< 62)
        let limit = round & 1 == 0 ? a : b
        // Both numbers are below the limit, so no sum overflows.
        let sum = left + code.value.multipliedFullWidth(by: limit).high
        (left, right) = (right, sum < limit ? sum : sum - limit)
      }
      result = Number(truncatingIfNeeded: right) << bits | Number(truncatingIfNeeded: left)
    } while result >= count
    return result
  }

  /// Where the magnitudes of integers begin: powers of ten, and the first numbers that a wider leaf stores (chapter 2,
  /// section 1.2), so that a column keeps its width. At the end, the first number that is too large.
  private static let magnitudes: [UInt64] = {
    let widths: [UInt64] = [16, 1 << 7, 1 << 15, 1 << 31]
    var starts = [UInt64](widths)
    var power: UInt64 = 1
    for _ in 0..<19 {
      starts.append(power)
      power *= 10
    }
    return starts.sorted() + [1 << 63]
  }()

  /// 0 and the smallest number stay.
  func int(_ value: Int64) -> Int64 {
    let magnitude = value.magnitude
    let magnitudes = NumberMask.magnitudes
    guard magnitude != 0, let next = magnitudes.firstIndex(where: { $0 > magnitude }) else {
      return value
    }
    let start = magnitudes[next - 1]
    let offset = permuted(magnitude - start, of: magnitudes[next] - start, .int, range: next)
    let masked = Int64(start + offset)
    return value < 0 ? -masked : masked
  }

  func bool(_ value: Bool) -> Bool {
    permuted(value ? 1 : 0 as UInt64, of: 2, .bool) == 1
  }

  /// Sign and exponent stay, and so do zeros, infinities and NaNs.
  func double(_ value: Double) -> Double {
    guard value.isNormal else { return value }
    let mask: UInt64 = 1 << 52 - 1
    let mantissa = permuted(value.bitPattern & mask, of: 1 << 52, .double)
    return Double(bitPattern: value.bitPattern & ~mask | mantissa)
  }

  func float(_ value: Float) -> Float {
    guard value.isNormal else { return value }
    let mask: UInt32 = 1 << 23 - 1
    let mantissa = permuted(UInt64(value.bitPattern & mask), of: 1 << 23, .float)
    return Float(bitPattern: value.bitPattern & ~mask | UInt32(mantissa))
  }

  /// Numbers of digits that are replaced by one another: those with as many digits that leaves store in as many bytes
  /// (chapter 2, section 3.11), also with any number of zeros at the end. Each range begins where another one ends.
  private static let decimalStarts: [UInt128] = {
    // A coefficient has up to 34 digits.
    let powers = (0...34).map { (0..<$0).reduce(UInt128(1)) { power, _ in power * 10 } }
    let limits: [(limit: UInt128, digits: Int)] = [(1 << 23, 7), (1 << 53, 16)]
    let starts = (1...34).flatMap { count in
      [powers[count - 1]]
        + limits.compactMap { (limit, digits) -> UInt128? in
          // Of numbers with one digit, only 9 is beyond a limit: it would stay.
          guard 2...digits ~= count else { return nil }
          return (limit - 1) / powers[digits - count] + 1
        }
    }
    return starts.sorted() + [powers[34]]
  }()

  /// Keeps sign, exponent, the number of digits, without counting zeros at the end, and the size in a leaf. What
  /// replaces the digits depends on nothing but the digits, so different numbers stay different, even if they have
  /// different exponents.
  func decimal(_ value: Decimal128) -> Decimal128 {
    guard value.isFinite, case let coefficient = value.coefficient, coefficient != 0 else {
      return value
    }
    // Divisions of 128 bits are slow, and most numbers need none. 10¹⁹ still has 64 bits.
    let masked =
      coefficient < 1_000_000_000_000_000_000
      ? UInt128(digits(UInt64(coefficient))) : digits(coefficient)
    return Decimal128(
      coefficient: masked, exponent: value.exponent, isNegative: value.isNegative) ?? value
  }

  /// - Parameter coefficient: not 0. The next power of ten is a `Number`.
  @inline(__always)
  private func digits<Number: FixedWidthInteger & UnsignedInteger>(
    _ coefficient: Number
  ) -> Number {
    var (digits, zeros): (Number, Number) = (coefficient, 1)
    while case (let quotient, let last) = digits.quotientAndRemainder(dividingBy: 10), last == 0 {
      (digits, zeros) = (quotient, zeros * 10)
    }
    let starts = NumberMask.decimalStarts
    guard let next = starts.firstIndex(where: { $0 > digits }) else { return coefficient }
    // The last digit is not 0, so nine of ten numbers count.
    func index(_ number: Number) -> Number {
      let (quotient, last) = number.quotientAndRemainder(dividingBy: 10)
      return quotient * 9 + max(last, 1) - 1
    }
    let first = index(Number(starts[next - 1]))
    let count = index(Number(starts[next])) - first
    let masked = permuted(index(digits) - first, of: count, .decimal, range: next) + first
    let (quotient, last) = masked.quotientAndRemainder(dividingBy: 9)
    return (quotient * 10 + last + 1) * zeros
  }

  /// Moves a date by up to 388 days; nanoseconds keep their precision. Of a damaged date, with a second or more of them, they
  /// become 0.
  func date(_ seconds: Int64, _ nanoseconds: Int64) -> (seconds: Int64, nanoseconds: Int64) {
    let length: Int64 = 1 << 25
    let offset = permuted(UInt64(seconds & (length - 1)), of: UInt64(length), .date)
    let moved = seconds & ~(length - 1) | Int64(offset)
    guard nanoseconds != 0, nanoseconds.magnitude < 1_000_000_000 else { return (moved, 0) }
    var (step, zeros): (UInt64, Int) = (1, 0)
    while nanoseconds.magnitude % (step * 10) == 0 {
      (step, zeros) = (step * 10, zeros + 1)
    }
    // The number of steps does not end with 0, so nine of ten numbers count.
    let steps = nanoseconds.magnitude / step
    let count = max(100_000_000 / step * 9, 9)
    let part = permuted(steps / 10 * 9 + steps % 10 - 1, of: count, .nanoseconds, range: zeros)
    let masked = Int64((part / 9 * 10 + part % 9 + 1) * step)
    // Seconds and nanoseconds have the same sign.
    return nanoseconds < 0 ? (seconds == 0 ? 0 : moved, -masked) : (moved, masked)
  }

  /// - Parameters:
  ///   - bytes: 12 bytes.
  ///   - masks: receives the mask.
  func appendObjectId(_ bytes: ByteSlice, to masks: inout [UInt8]) {
    let high = bytes.littleEndian(at: 0).byteSwapped
    let low = bytes.littleEndian32(at: 8).byteSwapped
    let masked = permuted(UInt128(high) << 32 | UInt128(low), of: 1 << 96, .objectId)
    NumberMask.append(UInt64(masked >> 32), to: &masks)
    for shift in stride(from: 24, through: 0, by: -8) {
      masks.append(UInt8(truncatingIfNeeded: masked >> shift))
    }
  }

  /// The version and the variant stay.
  ///
  /// - Parameters:
  ///   - bytes: 16 bytes.
  ///   - masks: receives the mask.
  func appendUUID(_ bytes: ByteSlice, to masks: inout [UInt8]) {
    let (high, low) = (bytes.littleEndian(at: 0).byteSwapped, bytes.littleEndian(at: 8).byteSwapped)
    let (version, variant): (UInt64, UInt64) = (0xF000, 3 << 62)
    // The other bits: 48, 12 and 62.
    let open = UInt128((high >> 16) << 12 | high & 0xFFF) << 62 | UInt128(low & ~variant)
    let masked = permuted(open, of: 1 << 122, .uuid)
    let top = UInt64(masked >> 62)
    NumberMask.append((top >> 12) << 16 | high & version | top & 0xFFF, to: &masks)
    NumberMask.append(low & variant | UInt64(truncatingIfNeeded: masked) & ~variant, to: &masks)
  }

  /// Appends eight bytes, the highest first.
  private static func append(_ number: UInt64, to bytes: inout [UInt8]) {
    for shift in stride(from: 56 as UInt64, through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: number &>> shift))
    }
  }
}
