import RealmBackup
import RealmStorage
import Testing

@Suite("Retention of backups")
struct RetentionTests {
  /// Whether the backup of each time stays.
  private func kept(_ retention: Retention, _ times: [String]) throws -> [String] {
    let parsed = try times.map { try #require(UTCTime($0)) }
    return zip(times, retention.reasons(for: parsed)).filter { !$0.1.isEmpty }.map(\.0)
  }

  @Test("the newest n")
  func last() throws {
    let times = ["2026-01-01T00:00:00Z", "2026-01-03T00:00:00Z", "2026-01-02T00:00:00Z"]
    #expect(
      try kept(Retention(last: 2), times) == ["2026-01-03T00:00:00Z", "2026-01-02T00:00:00Z"])
    #expect(try kept(Retention(last: 5), times) == times)
  }

  @Test("the newest of each hour and day that has any, in UTC")
  func hoursAndDays() throws {
    let times = [
      "2026-03-01T10:05:00Z", "2026-03-01T10:59:59Z", "2026-03-01T11:00:00Z",
      "2026-02-28T23:59:59Z", "2026-02-27T00:00:00Z",
    ]
    #expect(
      try kept(Retention(hourly: 2), times) == ["2026-03-01T10:59:59Z", "2026-03-01T11:00:00Z"])
    #expect(
      try kept(Retention(daily: 2), times) == ["2026-03-01T11:00:00Z", "2026-02-28T23:59:59Z"])
  }

  @Test("weeks begin on Monday, also across years")
  func weeks() throws {
    // 2026-01-05 is a Monday; the week before has days of two years.
    let times = [
      "2025-12-28T12:00:00Z", "2025-12-29T12:00:00Z", "2026-01-04T12:00:00Z",
      "2026-01-05T00:00:00Z",
    ]
    #expect(
      try kept(Retention(weekly: 2), times) == ["2026-01-04T12:00:00Z", "2026-01-05T00:00:00Z"])
    #expect(
      try kept(Retention(weekly: 3), times) == [
        "2025-12-28T12:00:00Z", "2026-01-04T12:00:00Z", "2026-01-05T00:00:00Z",
      ])
  }

  @Test("months and years, and rules together")
  func monthsAndYears() throws {
    let times = [
      "2024-02-29T00:00:00Z", "2024-12-31T23:59:59Z", "2025-01-01T00:00:00Z",
      "2025-01-31T00:00:00Z", "2025-02-01T00:00:00Z",
    ]
    #expect(
      try kept(Retention(monthly: 3), times) == [
        "2024-12-31T23:59:59Z", "2025-01-31T00:00:00Z", "2025-02-01T00:00:00Z",
      ])
    #expect(
      try kept(Retention(yearly: 5), times) == ["2024-12-31T23:59:59Z", "2025-02-01T00:00:00Z"])
    #expect(
      try kept(Retention(last: 1, yearly: 2), times) == [
        "2024-12-31T23:59:59Z", "2025-02-01T00:00:00Z",
      ])
    #expect(try kept(Retention(), times) == ["2025-02-01T00:00:00Z"])
  }

  @Test(
    "times are read in the format in which they are written",
    arguments: [
      ("1970-01-01T00:00:00Z", 0), ("2000-02-29T12:34:56Z", 951_827_696),
      ("1969-12-31T23:59:59Z", -1), ("2026-11-21T00:00:00Z", 1_795_219_200),
    ])
  func times(text: String, seconds: Int) {
    #expect(UTCTime(text) == UTCTime(seconds: seconds))
    #expect(UTCTime(seconds: seconds).text == text)
  }

  @Test(
    "other strings are refused",
    arguments: ["", "2026-02-30T00:00:00Z", "2026-01-01T24:00:00Z", "2026-01-01 00:00:00Z"])
  func noTime(text: String) { #expect(UTCTime(text) == nil) }
}
