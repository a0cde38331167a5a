#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A time in the proleptic Gregorian calendar, in UTC, without leap seconds.
public struct UTCTime: Equatable, Comparable, Sendable {
  /// Seconds since 1970.
  public var seconds: Int
  /// 0 to 999,999,999.
  public var nanoseconds: Int

  public init(seconds: Int, nanoseconds: Int = 0) {
    (self.seconds, self.nanoseconds) = (seconds, nanoseconds)
  }

  /// The current time, in whole seconds.
  public static var now: UTCTime { UTCTime(seconds: time(nil)) }

  public static func < (a: UTCTime, b: UTCTime) -> Bool {
    (a.seconds, a.nanoseconds) < (b.seconds, b.nanoseconds)
  }

  /// Days since 1970-01-01, a Thursday.
  package var day: Int { UTCTime.floor(seconds, 86_400) }
  package var hour: Int { UTCTime.floor(seconds, 3600) }
  /// Weeks begin on Mondays.
  package var week: Int { UTCTime.floor(day + 3, 7) }
  /// Months since the year 0.
  package var month: Int { date.year * 12 + date.month - 1 }
  package var year: Int { date.year }

  private static func floor(_ a: Int, _ b: Int) -> Int {
    a >= 0 ? a / b : -((b - 1 - a) / b)
  }

  private var date: (year: Int, month: Int, day: Int) {
    // Years start on the first of March, so that the leap day comes last. 400 years have 146,097
    // days, and there are 719,468 days from 0000-03-01 to 1970-01-01.
    let shifted = day + 719_468
    let era = UTCTime.floor(shifted, 146_097)
    let ofEra = shifted - era * 146_097
    let yearOfEra = (ofEra - ofEra / 1460 + ofEra / 36_524 - ofEra / 146_096) / 365
    let ofYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * ofYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    return (
      yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month,
      ofYear - (153 * shiftedMonth + 2) / 5 + 1
    )
  }

  private static func days(year: Int, month: Int, day: Int) -> Int {
    let shiftedYear = month <= 2 ? year - 1 : year
    let era = floor(shiftedYear, 400)
    let yearOfEra = shiftedYear - era * 400
    let ofYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + ofYear - 719_468
  }

  /// `2026-11-21T14:05:09Z`, with nine digits after the seconds if they are not zero.
  public var text: String {
    let (year, month, dayOfMonth) = date
    let ofDay = seconds - day * 86_400
    func digits(_ number: Int, _ count: Int) -> String {
      let text = String(number)
      return String(repeating: "0", count: max(0, count - text.count)) + text
    }
    let fraction = nanoseconds == 0 ? "" : "." + digits(nanoseconds, 9)
    return digits(year, 4) + "-" + digits(month, 2) + "-" + digits(dayOfMonth, 2) + "T"
      + digits(ofDay / 3600, 2) + ":" + digits(ofDay / 60 % 60, 2) + ":" + digits(ofDay % 60, 2)
      + fraction + "Z"
  }

  /// `20261121T140509Z`, for file names.
  public var compactText: String {
    String(UTCTime(seconds: seconds).text.filter { $0 != "-" && $0 != ":" })
  }

  /// Parses the format of ``text``; nil for any other string.
  public init?(_ text: String) {
    let bytes = Array(text.utf8)
    func number(_ range: Range<Int>) -> Int? {
      guard range.upperBound <= bytes.count else { return nil }
      return bytes[range].reduce(Optional(0)) { number, byte in
        guard let number, (0x30...0x39).contains(byte) else { return nil }
        return number * 10 + Int(byte - 0x30)
      }
    }
    guard bytes.count == 20 || bytes.count == 30, let year = number(0..<4),
      let month = number(5..<7), let day = number(8..<10), let hour = number(11..<13),
      let minute = number(14..<16), let second = number(17..<19),
      let nanoseconds = bytes.count == 20 ? 0 : number(20..<29)
    else { return nil }
    let days = UTCTime.days(year: year, month: month, day: day)
    self.init(
      seconds: days * 86_400 + hour * 3600 + minute * 60 + second, nanoseconds: nanoseconds)
    // An invalid time, such as February 30, is formatted differently.
    guard self.text == text else { return nil }
  }
}
