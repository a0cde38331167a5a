package import RealmStorage

/// Reads dates in RFC 3339 form: `2023-11-14T22:13:20.123456789Z`.
package enum DateText {
  /// Seconds since 1970 and nanoseconds of the same sign; nil if `text` is not a date. The zone is `Z` or
  /// an offset; a space may replace the `T`.
  package static func parse(_ text: ByteSlice) -> (seconds: Int64, nanoseconds: Int64)? {
    func digits(_ start: Int, _ count: Int) -> Int64? {
      guard start + count <= text.count else { return nil }
      var number: Int64 = 0
      for i in start..<(start + count) {
        guard text[i] >= 0x30, text[i] <= 0x39 else { return nil }
        number = number * 10 + Int64(text[i] - 0x30)
      }
      return number
    }
    func isByte(_ i: Int, _ byte: Unicode.Scalar) -> Bool {
      i < text.count && text[i] == UInt8(ascii: byte)
    }
    guard let year = digits(0, 4), let month = digits(5, 2), let day = digits(8, 2),
      let hour = digits(11, 2), let minute = digits(14, 2), let second = digits(17, 2),
      isByte(4, "-"), isByte(7, "-"), isByte(10, "T") || isByte(10, " "), isByte(13, ":"),
      isByte(16, ":"), year >= 1, (1...12).contains(month), day >= 1,
      day <= length(ofMonth: month, year: year), hour < 24, minute < 60, second < 60
    else { return nil }
    var position = 19
    var nanoseconds: Int64 = 0
    if isByte(position, ".") {
      position += 1
      var count = 0
      while let digit = digits(position, 1) {
        guard count < 9 else { return nil }
        nanoseconds = nanoseconds * 10 + digit
        (position, count) = (position + 1, count + 1)
      }
      guard count > 0 else { return nil }
      for _ in count..<9 { nanoseconds *= 10 }
    }
    var offset: Int64 = 0
    if isByte(position, "Z") {
      position += 1
    } else {
      guard isByte(position, "+") || isByte(position, "-"), let hours = digits(position + 1, 2),
        isByte(position + 3, ":"), let minutes = digits(position + 4, 2), hours < 24, minutes < 60
      else { return nil }
      offset = (hours * 60 + minutes) * (isByte(position, "-") ? -60 : 60)
      position += 6
    }
    guard position == text.count else { return nil }
    let seconds =
      days(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second - offset
    return normalized(seconds: seconds, nanoseconds: nanoseconds)
  }

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

  private static func length(ofMonth month: Int64, year: Int64) -> Int64 {
    switch month {
    case 4, 6, 9, 11: 30
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    default: 31
    }
  }

  /// Days from 1970-01-01 in the proleptic Gregorian calendar. Years are counted from March, so that the
  /// leap day is the last one.
  private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let marchYear = month <= 2 ? year - 1 : year
    let marchMonth = (month + 9) % 12
    let dayOfYear = (153 * marchMonth + 2) / 5 + day - 1
    let leapDays = marchYear / 4 - marchYear / 100 + marchYear / 400
    // 719,468 days from 0000-03-01 to 1970-01-01.
    return marchYear * 365 + leapDays + dayOfYear - 719_468
  }
}
