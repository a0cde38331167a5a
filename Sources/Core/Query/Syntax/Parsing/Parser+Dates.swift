// Dates (chapter 6, section 4.4).

extension Parser {
  private static let nanosecondLimit: Int64 = 999_999_999

  /// `T<seconds>:<nanoseconds>`.
  func timestamp(at range: TextRange) throws(QueryError) -> ConstantSyntax.Value {
    let colon = lexer.text[range].firstIndex(of: UInt8(ascii: ":")) ?? range.upperBound
    let seconds = decimal(range.lowerBound + 1..<colon)
    let nanoseconds = decimal(min(colon + 1, range.upperBound)..<range.upperBound)
    guard seconds >= 0 && nanoseconds >= 0 || seconds <= 0 && nanoseconds <= 0 else {
      throw QueryError(
        .value,
        "found \(seconds) s and \(nanoseconds) ns, expected the same sign for both",
        at: range)
    }
    try checkNanoseconds(nanoseconds, at: range)
    return .date(seconds: seconds, nanoseconds: nanoseconds)
  }

  /// `<year>-<month>-<day>@<hour>:<minute>:<second>` in UTC, with or without nanoseconds.
  ///
  /// A part that is too large, such as month 13, counts into the next larger part. The nanoseconds
  /// have the sign of the seconds, so before 1970 they count backward, as for the reference. The
  /// reference computes the seconds in 32 bits, which confuses 2038 with 1902; here they are right.
  func calendarDate(at range: TextRange) throws(QueryError) -> ConstantSyntax.Value {
    let parts = lexer.text[range].split { !Lexer.isDigit($0) }
      .map { decimal($0.startIndex..<$0.endIndex) }
    // Parts of at most 2³¹ keep all products below 2⁶³.
    guard parts.count >= 6, let largest = parts[..<6].max(), largest <= Int64(Int32.max) else {
      throw QueryError(
        .value, "found the date \(lexer.quoted(range)), expected parts of at most \(Int32.max)",
        at: range)
    }
    guard parts[0] >= 1900 else {
      throw QueryError(
        .value, "found a date in the year \(parts[0]), expected 1900 or later", at: range,
        hint: "earlier dates are written T<seconds since 1970>:<nanoseconds>, such as "
          + "T-2208988801:0")
    }
    let days = Parser.days(year: parts[0], month: parts[1]) + parts[2] - 1
    let seconds = days * 86400 + parts[3] * 3600 + parts[4] * 60 + parts[5]
    let nanoseconds = parts.count > 6 ? parts[6] : 0
    try checkNanoseconds(nanoseconds, at: range)
    return .date(seconds: seconds, nanoseconds: seconds < 0 ? -nanoseconds : nanoseconds)
  }

  /// Days from 1970-01-01 to the first day of a month of the Gregorian calendar; month 13 is the
  /// first one of the next year, and month 0 the last one of the year before.
  private static func days(year: Int64, month: Int64) -> Int64 {
    // Years from March to February, so that the leap day is the last one.
    let months = year * 12 + month - 3
    let (year, month) = (months / 12, months % 12)
    let leapDays = year / 4 - year / 100 + year / 400
    // 719,468 days from 0000-03-01 to 1970-01-01.
    return year * 365 + leapDays + (month * 153 + 2) / 5 - 719_468
  }

  private func checkNanoseconds(_ nanoseconds: Int64, at range: TextRange) throws(QueryError) {
    guard nanoseconds.magnitude <= Parser.nanosecondLimit.magnitude else {
      throw QueryError(
        .value,
        "found \(nanoseconds) nanoseconds, expected at most \(Parser.nanosecondLimit)", at: range)
    }
  }
}
