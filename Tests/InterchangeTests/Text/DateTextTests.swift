import RealmInterchange
import Testing

/// Days since 1970 of a date of the proleptic Gregorian calendar, counted year by year.
private func daysSinceEpoch(year: Int, month: Int, day: Int) -> Int {
  func isLeap(_ year: Int) -> Bool {
    year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
  }
  let years = year >= 1970 ? 1970..<year : year..<1970
  let length = years.reduce(0) { $0 + (isLeap($1) ? 366 : 365) }
  let months = [31, isLeap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
  return (year >= 1970 ? length : -length) + months[..<(month - 1)].reduce(0, +) + day - 1
}

/// `value` with zeros in front.
private func padded(_ value: Int, _ width: Int) -> String {
  let digits = String(value)
  return String(repeating: "0", count: width - digits.count) + digits
}

@Suite("Dates as text")
struct DateTextTests {
  /// The output of the reference library (14.14), which is not a date from the year 16389 on
  /// and before -4800.
  @Test(
    "realm-core's format",
    arguments: [
      (0, 0, "1970-01-01 00:00:00"),
      (-1, -500_000_000, "1969-12-31 23:59:58.500000000"),
      (0, -1, "1969-12-31 23:59:59.999999999"),
      (253_402_300_799, 999_999_999, "9999-12-31 23:59:59.999999999"),
      (253_402_300_800, 0, "0000-01-01 00:00:00"),
      (455_000_000_000, 0, "6388-05-17 16:53:20"),
      (460_000_000_000, 0, "6546-10-27 01:46:40"),
      (485_000_000_000, 0, "734/-01-14 22:13:20"),
      (517_000_000_000, 0, "8353-01-29 07:06:40"),
      (520_000_000_000, 0, "8448-02-22 12:26:40"),
      (600_000_000_000, 123, "0983-03-30 10:40:00.000000123"),
      (900_000_000_000, 0, "049/-11-11 16:00:00"),
      (1_990_000_000_000, 0, "5030-08-04 09:46:40"),
      (2_000_000_000_000, 0, "535--06-24 03:33:20"),
      (5_000_000_000_000, 0, "042)-09-10 08:53:20"),
      (-62_135_596_800, 0, "0001-01-01 00:00:00"),
      (-62_167_219_200, 0, "0000-01-01 00:00:00"),
      (-62_167_219_201, 0, "-0001-12-31 23:59:59"),
      (-62_200_000_000, 0, "-0002-12-17 14:13:20"),
      (-62_200_000_000, -5, "-0002-12-17 14:13:19.999999995"),
      (-100_000_000_000, 0, "-1199-02-15 14:13:20"),
      (-210_866_803_200, 0, "-4713-11-24 00:00:00"),
      (-210_866_803_201, 0, "-4713-11-23 23:59:59"),
      (-400_000_000_000, 0, "77-E-10-16 08:53:20"),
      (-1_000_000_000_000, 0, "866B-07-19 22:13:20"),
      (-210_860_000_000, 0, "-4712-02-10 17:46:40"),
      (-216_790_000_000, 0, "-4900-03-14 11:33:20"),
      (-216_800_000_000, 0, "35.A-03-02 17:46:40"),
    ] as [(Int64, Int64, String)])
  func core(seconds: Int64, nanoseconds: Int64, expected: String) {
    let text = textWritten { $0.append(coreDateSeconds: seconds, nanoseconds: nanoseconds) }
    #expect(text == expected)
  }

  /// A year for which the reference computes a character 0, where its output ends; the characters before
  /// stay.
  @Test("realm-core's format ends at a zero among its characters")
  func coreEndsAtZero() {
    let bytes = bytesWritten { $0.append(coreDateSeconds: -101_416_447_522_800, nanoseconds: 0) }
    #expect(bytes == [0x33, 0x32, 0x30])
  }

  @Test("both formats of every day of the years 1 to 9999, by a count of the days")
  func calendar() {
    let first = daysSinceEpoch(year: 1, month: 1, day: 1)
    var (year, month, day) = (1, 1, 1)
    for offset in 0..<3_652_059 {
      let isLeap =
        year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
      let length = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
      // A prime stride through the days keeps the test short; the ends of the months are all seen.
      if offset % 97 == 0 || day == length && offset % 5 == 0 {
        let second = offset % 86_400
        let seconds = Int64((first + offset) * 86_400 + second)
        let date = "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
        let time =
          "\(padded(second / 3600, 2)):\(padded(second / 60 % 60, 2)):\(padded(second % 60, 2))"
        let core = textWritten { $0.append(coreDateSeconds: seconds, nanoseconds: 0) }
        let iso = textWritten { _ = $0.append(isoDateSeconds: seconds, nanoseconds: 0) }
        if core != "\(date) \(time)" || iso != "\(date)T\(time)Z" {
          Issue.record("\(seconds): \(core), \(iso)")
        }
      }
      day += 1
      if day > length { (month, day) = (month + 1, 1) }
      if month > 12 { (year, month) = (year + 1, 1) }
    }
    #expect(year == 10_000)
  }

  @Test(
    "ISO 8601 has as many digits of the fraction as needed",
    arguments: [
      (1_700_000_000, 123_456_789, "2023-11-14T22:13:20.123456789Z"),
      (1_700_000_000, 120_000_000, "2023-11-14T22:13:20.12Z"),
      (1_700_000_000, 1, "2023-11-14T22:13:20.000000001Z"),
      (0, 0, "1970-01-01T00:00:00Z"),
      (-1, -500_000_000, "1969-12-31T23:59:58.5Z"),
      (0, -1, "1969-12-31T23:59:59.999999999Z"),
      (-62_135_596_800, 0, "0001-01-01T00:00:00Z"),
      (253_402_300_799, 999_999_999, "9999-12-31T23:59:59.999999999Z"),
    ] as [(Int64, Int64, String)])
  func iso(seconds: Int64, nanoseconds: Int64, expected: String) {
    let text = textWritten { buffer in
      let isWritten = buffer.append(isoDateSeconds: seconds, nanoseconds: nanoseconds)
      #expect(isWritten)
    }
    #expect(text == expected)
  }

  @Test(
    "a pair that ISO 8601 cannot represent is left to the caller",
    arguments: [
      (253_402_300_800, 0), (-62_135_596_801, 0), (-62_135_596_800, -1), (.max, 999_999_999),
      (.min, -999_999_999), (.min, 0), (1, -1), (-1, 1), (0, 1_000_000_000), (0, -1_000_000_000),
      (0, .min), (.max, .max),
    ] as [(Int64, Int64)])
  func isoRefused(seconds: Int64, nanoseconds: Int64) {
    let text = textWritten { buffer in
      let isWritten = buffer.append(isoDateSeconds: seconds, nanoseconds: nanoseconds)
      #expect(!isWritten)
    }
    #expect(text == "")
  }

  @Test(
    "milliseconds are rounded towards zero and wrap",
    arguments: [
      (1_700_000_000, 123_456_789, 1_700_000_000_123), (-1, -1_500_000, -1001), (0, -999_999, 0),
      // 2^63 - 1 times 1000 is 1000 * 2^63 - 1000: the first part vanishes in 64 bits.
      (.max, 999_999_999, -1), (.min, -999_999_999, -999),
    ] as [(Int64, Int64, Int64)])
  func milliseconds(seconds: Int64, nanoseconds: Int64, expected: Int64) {
    #expect(
      TextBuffer.coreMilliseconds(seconds: seconds, nanoseconds: nanoseconds) == expected)
  }

  @Test("no pair is a trap")
  func total() {
    var generator = SeededGenerator(state: 9)
    var buffer = TextBuffer()
    let ends: [Int64] = [.min, .min + 1, -1, 0, 1, .max - 1, .max]
    for seconds in ends {
      for nanoseconds in ends {
        buffer.append(coreDateSeconds: seconds, nanoseconds: nanoseconds)
      }
    }
    for _ in 0..<50_000 {
      let (seconds, nanoseconds) = (
        Int64(bitPattern: generator.next()), Int64(bitPattern: generator.next())
      )
      buffer.append(coreDateSeconds: seconds, nanoseconds: nanoseconds)
      _ = buffer.append(isoDateSeconds: seconds, nanoseconds: nanoseconds)
      _ = TextBuffer.coreMilliseconds(seconds: seconds, nanoseconds: nanoseconds)
    }
    #expect(buffer.count > 0)
  }
}
