package import RealmStorage

/// Reads dates in RFC 3339 form: `2023-11-14T22:13:20.123456789Z`.
package enum DateText {
  /// Seconds since 1970 and nanoseconds of the same sign; nil if `text` is not a date. The zone is `Z` or an
  /// offset; a space may replace the `T`.
  package static func parse(_ text: ByteSlice) -> (seconds: Int64, nanoseconds: Int64)? {
    func isByte(_ i: Int, _ byte: Unicode.Scalar) -> Bool {
      i < text.count && text[i] == UInt8(ascii: byte)
    }
    func digits(_ start: Int) -> Int64? {
      guard start + 2 <= text.count else { return nil }
      let (high, low) = (text[start] &- 0x30, text[start + 1] &- 0x30)
      return high < 10 && low < 10 ? Int64(high) * 10 + Int64(low) : nil
    }
    // The zone has at least one byte.
    guard text.count > timeEnd,
      let date = DateFields(text.littleEndian(at: 0), separators: 0xFF00_00FF_0000_0000, 0x2D),
      let day = digits(8), isByte(10, "T") || isByte(10, " "),
      let time = DateFields(text.littleEndian(at: 11), separators: 0x0000_FF00_00FF_0000, 0x3A)
    else { return nil }
    let (year, month) = (date[0] * 100 + date[2], date[5])
    let (hour, minute, second) = (time[0], time[3], time[6])
    guard year >= 1, (1...12).contains(month), day >= 1, day <= length(ofMonth: month, year: year),
      hour < 24, minute < 60, second < 60
    else { return nil }
    var position = timeEnd
    var nanoseconds: Int64 = 0
    if isByte(position, ".") {
      position += 1
      var count = 0
      while position < text.count, case let digit = text[position] &- 0x30, digit < 10 {
        guard count < 9 else { return nil }
        nanoseconds = nanoseconds * 10 + Int64(digit)
        (position, count) = (position + 1, count + 1)
      }
      guard count > 0 else { return nil }
      for _ in count..<9 { nanoseconds *= 10 }
    }
    var offset: Int64 = 0
    if isByte(position, "Z") {
      position += 1
    } else {
      guard isByte(position, "+") || isByte(position, "-"), let hours = digits(position + 1),
        isByte(position + 3, ":"), let minutes = digits(position + 4), hours < 24, minutes < 60
      else { return nil }
      offset = (hours * 60 + minutes) * (isByte(position, "-") ? -60 : 60)
      position += 6
    }
    guard position == text.count else { return nil }
    let seconds =
      days(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second - offset
    return normalized(seconds: seconds, nanoseconds: nanoseconds)
  }

  /// The number of bytes up to the seconds.
  private static let timeEnd = 19

  /// Converts a date with a fraction that counts forward from the second.
  private static func normalized(
    seconds: Int64, nanoseconds: Int64
  ) -> (seconds: Int64, nanoseconds: Int64) {
    seconds < 0 && nanoseconds > 0
      ? (seconds + 1, nanoseconds - 1_000_000_000) : (seconds, nanoseconds)
  }

  /// Converts a number of milliseconds since 1970.
  static func pair(milliseconds: Int64) -> (seconds: Int64, nanoseconds: Int64) {
    (milliseconds / 1000, milliseconds % 1000 * 1_000_000)
  }

  /// Whether the number of seconds since 1970, as a double, gives the date back when it is rounded to whole
  /// microseconds.
  ///
  /// Below 2^33 seconds a double is wrong by less than half a microsecond; up to 2^53 it has all whole seconds.
  static func isSecondsNumber(seconds: Int64, nanoseconds: Int64) -> Bool {
    nanoseconds == 0
      ? seconds.magnitude <= 1 << 53 : nanoseconds % 1000 == 0 && seconds.magnitude < 1 << 33
  }

  private static func length(ofMonth month: Int64, year: Int64) -> Int64 {
    switch month {
    case 4, 6, 9, 11: 30
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    default: 31
    }
  }

  /// Days from 1970-01-01 in the proleptic Gregorian calendar. Years start in March, so that the leap day is
  /// the last day.
  private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let marchYear = month <= 2 ? year - 1 : year
    let marchMonth = (month + 9) % 12
    let dayOfYear = (153 * marchMonth + 2) / 5 + day - 1
    let leapDays = marchYear / 4 - marchYear / 100 + marchYear / 400
    // 719,468 days from 0000-03-01 to 1970-01-01.
    return marchYear * 365 + leapDays + dayOfYear - 719_468
  }
}

/// Eight bytes of a date, whose digits form numbers in pairs.
private struct DateFields {
  private let digits: UInt64

  /// - Parameters:
  ///   - bytes: the first byte is the lowest one.
  ///   - separators: 0xFF at each byte that must be `separator`. All others must be ASCII digits.
  init?(_ bytes: UInt64, separators: UInt64, _ separator: UInt64) {
    let (ones, high): (UInt64, UInt64) = (0x0101_0101_0101_0101, 0x8080_8080_8080_8080)
    // 0 at each separator, 0 to 9 at each digit.
    digits = bytes ^ (separators & (separator * ones) | ~separators & (0x30 * ones))
    guard digits & separators == 0 else { return nil }
    // 9 + 0x76 is the largest sum below 0x80. A byte with its highest bit set is wrong in any case.
    guard ((digits & ~high) &+ 0x76 * ones | digits) & high == 0 else { return nil }
  }

  /// The number with its first digit at position `i`.
  subscript(i: Int) -> Int64 {
    let pair = digits >> UInt64(8 * i)
    return Int64((pair & 0xFF) * 10 + (pair >> 8 & 0xFF))
  }
}
