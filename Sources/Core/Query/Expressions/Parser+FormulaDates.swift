extension Parser {
  /// The value of a date as a calendar shows it. Unlike in queries, no part carries over into the next larger one, and
  /// nanoseconds count forward before 1970, too.
  func formulaDate(at range: TextRange) throws(QueryError) -> FormulaConstant.Value {
    guard case .date(let seconds, let nanoseconds) = try calendarDate(at: range) else {
      throw unexpected(.formulaValue, at: range)
    }
    let parts = dateParts(at: range)
    let (year, month) = (parts[0], parts[1])
    let length = Parser.days(year: year, month: month + 1) - Parser.days(year: year, month: month)
    guard 1...12 ~= month, 1...length ~= parts[2], parts[3] < 24, parts[4] < 60, parts[5] < 60
    else {
      throw QueryError(
        .value, "found \(lexer.quoted(range)), which is in no calendar", at: range,
        hint: "write a date as 2025-12-31@23:59:59")
    }
    guard seconds < 0, nanoseconds != 0 else {
      return .date(seconds: seconds, nanoseconds: nanoseconds)
    }
    // `calendarDate` gives them the sign of the seconds. Both have one sign.
    return .date(seconds: seconds + 1, nanoseconds: -nanoseconds - 1_000_000_000)
  }
}
