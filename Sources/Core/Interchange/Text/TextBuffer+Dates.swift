/// The day of a Julian day number in the proleptic Gregorian calendar, by the formula of Fliegel
/// and Van Flandern, computed with unsigned 64-bit words like in realm-core.
///
/// Correct from the year -4800. Before it, and beyond 2^31 days, the results are as meaningless as the
/// reference's, and identical. No step can trap: all operations wrap, and no divisor is zero.
private struct GregorianDay {
  /// Negative before the year 0.
  var year: Int32
  /// 1 to 12 if the date is meaningful.
  var month: Int32
  /// Day of the month, from 1.
  var day: Int32

  /// - Parameter julianDay: any number.
  init(julianDay: Int32) {
    var rest = UInt64(bitPattern: Int64(julianDay &+ 68_569))
    // 400 years have 146,097 days.
    let century = 4 &* rest / 146_097
    rest = rest &- (146_097 &* century &+ 3) / 4
    let yearOfCentury = 4000 &* (rest &+ 1) / 1_461_001
    // From here on, months count from March, whose first day is 31.
    rest = rest &- 1461 &* yearOfCentury / 4 &+ 31
    let marchMonth = 80 &* rest / 2447
    day = Int32(truncatingIfNeeded: rest &- 2447 &* marchMonth / 80)
    let wrap = marchMonth / 11
    month = Int32(truncatingIfNeeded: marchMonth &+ 2 &- 12 &* wrap)
    year = Int32(truncatingIfNeeded: 100 &* (century &- 49) &+ yearOfCentury &+ wrap)
  }
}

/// Julian day number of 1970-01-01.
private let epochJulianDay: Int64 = 2_440_588
/// These dates have no leap seconds.
private let secondsPerDay: Int64 = 86_400
/// One more than the largest fraction.
private let nanosecondsPerSecond: Int64 = 1_000_000_000

/// The same time with nanoseconds in `0..<10^9`, counting forward from the second; wraps if the seconds
/// overflow.
private func normalized(seconds: Int64, nanoseconds: Int64) -> (seconds: Int64, nanoseconds: Int64)
{
  var whole = nanoseconds / nanosecondsPerSecond
  var rest = nanoseconds % nanosecondsPerSecond
  if rest < 0 {
    rest += nanosecondsPerSecond
    whole -= 1
  }
  return (seconds &+ whole, rest)
}

/// The day, and the seconds since it began, of a time in seconds since 1970; wraps if the day needs more than 32 bits.
@inline(__always)
private func dayAndSecond(_ seconds: Int64) -> (day: GregorianDay, second: UInt64) {
  var (day, second) = seconds.quotientAndRemainder(dividingBy: secondsPerDay)
  if second < 0 {
    second += secondsPerDay
    day -= 1
  }
  return (GregorianDay(julianDay: Int32(truncatingIfNeeded: day + epochJulianDay)), UInt64(second))
}

extension TextBuffer {
  /// Appends a date in the format of realm-core's mode json, without quotes: `2023-11-14 22:13:20`,
  /// with a point and nine digits if the nanoseconds are not zero (chapter 6, section 1.3 "Dates").
  ///
  /// For years from 10000 to 16388, the reference writes the last four digits. Above, its division by ten is
  /// wrong, so it writes meaningless characters, which are reproduced here. A byte 0 among them ends the
  /// string.
  ///
  /// - Parameters:
  ///   - seconds: seconds since 1970; any number.
  ///   - nanoseconds: of the same sign, less than 10^9 in magnitude. Others, which the reference rejects,
  ///     carry over to the seconds.
  package mutating func append(coreDateSeconds seconds: Int64, nanoseconds: Int64) {
    let (seconds, nanoseconds) = normalized(seconds: seconds, nanoseconds: nanoseconds)
    let (date, secondOfDay) = dayAndSecond(seconds)

    let start = count
    if date.year < 0 { append(0x2D) }
    append(coreField: date.year.magnitude, width: 4)
    append(0x2D)
    append(coreField: UInt32(bitPattern: date.month), width: 2)
    append(0x2D)
    append(coreField: UInt32(bitPattern: date.day), width: 2)
    append(0x20)
    append(timeOfDay: secondOfDay)
    if nanoseconds != 0 {
      append(0x2E)
      append(zeroPadded: UInt64(nanoseconds), width: 9)
    }
    if date.year.magnitude > 16_388 || !(1...12).contains(date.month) { cutAtZero(from: start) }
  }

  /// The number in a `$numberLong` of a date in realm-core's xjson: milliseconds rounded towards
  /// zero, which wrap beyond ±9.2e15 seconds (chapter 6, section 1.3 "Dates").
  package static func coreMilliseconds(seconds: Int64, nanoseconds: Int64) -> Int64 {
    seconds &* 1000 &+ nanoseconds / 1_000_000
  }

  /// Appends a date in the format of RFC 3339, without quotes: `2023-11-14T22:13:20.123456789Z`, with as many
  /// digits after the point as needed, and no point without digits.
  ///
  /// - Parameter allDigits: whether to write the point and nine digits even if some are not needed.
  /// - Returns: false, with nothing appended, if the date would not restore the pair: outside the years 1 to
  ///   9999, for nanoseconds and seconds of different signs, and for 10^9 nanoseconds or more.
  package mutating func append(
    isoDateSeconds seconds: Int64, nanoseconds: Int64, allDigits: Bool = false
  ) -> Bool {
    guard nanoseconds > -nanosecondsPerSecond, nanoseconds < nanosecondsPerSecond,
      seconds == 0 || nanoseconds == 0 || (seconds < 0) == (nanoseconds < 0)
    else { return false }
    let (seconds, nanoseconds) = normalized(seconds: seconds, nanoseconds: nanoseconds)
    // 0001-01-01T00:00:00Z to 9999-12-31T23:59:59Z.
    guard seconds >= -62_135_596_800, seconds <= 253_402_300_799 else { return false }

    let (date, secondOfDay) = dayAndSecond(seconds)
    append(zeroPadded: UInt64(date.year), width: 4)
    append(0x2D)
    append(zeroPadded: UInt64(date.month), width: 2)
    append(0x2D)
    append(zeroPadded: UInt64(date.day), width: 2)
    append(0x54)
    append(timeOfDay: secondOfDay)
    if nanoseconds != 0 || allDigits {
      var fraction = UInt64(nanoseconds)
      var width = 9
      while !allDigits, fraction % 10 == 0 {
        fraction /= 10
        width -= 1
      }
      append(0x2E)
      append(zeroPadded: fraction, width: width)
    }
    append(0x5A)
    return true
  }

  /// Appends a date for PostgreSQL, to the microsecond: `2023-11-14 22:13:20.123456+00`. Further digits are cut,
  /// towards 1970.
  ///
  /// - Returns: false, with nothing appended, outside the range of `timestamptz`: the years 4713 before Christ, from
  ///   24 November on, to 294276.
  mutating func append(postgresDateSeconds seconds: Int64, nanoseconds: Int64) -> Bool {
    let (seconds, nanoseconds) = normalized(
      seconds: seconds, nanoseconds: nanoseconds / 1000 * 1000)
    // The Julian day 0, and the end of the microseconds that PostgreSQL counts from 2000.
    guard seconds >= -210_866_803_200, seconds < 9_224_318_016_000 else { return false }
    let (date, secondOfDay) = dayAndSecond(seconds)
    // The year before 1 is 1 before Christ.
    let year = date.year > 0 ? Int(date.year) : 1 - Int(date.year)
    if year < 10_000 { append(zeroPadded: UInt64(year), width: 4) } else { append(decimal: year) }
    append(0x2D)
    append(zeroPadded: UInt64(date.month), width: 2)
    append(0x2D)
    append(zeroPadded: UInt64(date.day), width: 2)
    append(0x20)
    append(timeOfDay: secondOfDay)
    if nanoseconds != 0 {
      append(0x2E)
      append(zeroPadded: UInt64(nanoseconds / 1000), width: 6)
    }
    append("+00")
    if date.year <= 0 { append(" BC") }
    return true
  }

  /// Appends `HH:MM:SS`.
  private mutating func append(timeOfDay second: UInt64) {
    append(zeroPadded: second / 3600, width: 2)
    append(0x3A)
    append(zeroPadded: second / 60 % 60, width: 2)
    append(0x3A)
    append(zeroPadded: second % 60, width: 2)
  }

  /// Appends the lowest `width` digits of `value` with the arithmetic of realm-core: a tenth is
  /// 6554 / 2^16 in 32 bits, which is correct below 16389.
  private mutating func append(coreField value: UInt32, width: Int) {
    let target = unsafe room(for: width)
    var rest = value
    for place in (0..<width).reversed() {
      let tenth = (rest &* 6554) >> 16
      let character = UInt8(truncatingIfNeeded: rest &- tenth &* 10 &+ 0x30)
      unsafe target.storeBytes(of: character, toByteOffset: place, as: UInt8.self)
      rest = tenth
    }
    unsafe didWrite(width)
  }
}
