public import RealmStorage

/// The rules for keeping backups of one name.
public struct Retention: Sendable {
  /// Number of backups to keep for each rule; nil without the rule.
  public var last: Int?
  public var hourly: Int?
  public var daily: Int?
  public var weekly: Int?
  public var monthly: Int?
  public var yearly: Int?

  public init(
    last: Int? = nil, hourly: Int? = nil, daily: Int? = nil, weekly: Int? = nil,
    monthly: Int? = nil, yearly: Int? = nil
  ) {
    (self.last, self.hourly, self.daily) = (last, hourly, daily)
    (self.weekly, self.monthly, self.yearly) = (weekly, monthly, yearly)
  }

  /// Whether there is no rule.
  public var isEmpty: Bool {
    [last, hourly, daily, weekly, monthly, yearly].allSatisfy { $0 == nil }
  }

  /// The reasons to keep each of the backups with `times`, which have one name; empty for a backup that
  /// may be deleted.
  ///
  /// `daily` keeps the newest backup of each day in UTC, for the last days that have a backup, up to this
  /// number of days. The other rules work in the same way; weeks start on Monday. The newest backup is
  /// always kept.
  public func reasons(for times: [UTCTime]) -> [[String]] {
    // The result must be deterministic: if times are equal, the later one in the list counts as newer.
    let newestFirst = times.indices.sorted { (times[$0], $0) > (times[$1], $1) }
    var reasons = Array(repeating: [String](), count: times.count)
    func keep(_ wanted: Int?, _ reason: String, of period: (Int) -> Int) {
      guard let wanted else { return }
      var periods: Set<Int> = []
      for i in newestFirst where periods.count < wanted {
        if periods.insert(period(i)).inserted { reasons[i].append(reason) }
      }
    }
    keep(last, "last") { $0 }
    keep(hourly, "hourly") { times[$0].hour }
    keep(daily, "daily") { times[$0].day }
    keep(weekly, "weekly") { times[$0].week }
    keep(monthly, "monthly") { times[$0].month }
    keep(yearly, "yearly") { times[$0].year }
    if let newest = newestFirst.first, reasons[newest].isEmpty { reasons[newest] = ["newest"] }
    return reasons
  }
}
