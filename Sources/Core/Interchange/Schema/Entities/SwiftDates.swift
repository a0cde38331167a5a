/// A part of printed Swift sources.
enum SwiftDates {
  /// The number of seconds of a date's text.
  static let secondsSince1970 = #"""

    /// The seconds since 1970 of a date such as 2023-11-14T22:13:20, in the calendar of today at all times: Foundation takes
    /// dates before 1582 for those of an older one.
    private func secondsSince1970(_ text: Substring) -> Int? {
        let parts = text.split { "-T:".contains($0) }.compactMap { Int($0) }
        guard parts.count == 6 else { return nil }
        // Years start in March, so that the leap day is the last day.
        let (year, month) = parts[1] > 2 ? (parts[0], parts[1] - 3) : (parts[0] - 1, parts[1] + 9)
        let days = year * 365 + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + parts[2] - 719_469
        return days * 86_400 + parts[3] * 3600 + parts[4] * 60 + parts[5]
    }
    """#
}
