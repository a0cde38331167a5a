/// How the tables of a SQLite database store dates and ids, and for which library they are
/// (`docs/formats.md`).
public struct TableOptions: Sendable, Hashable {
  /// How a date is stored.
  public enum Dates: String, Sendable, CaseIterable {
    /// As RFC 3339 text with nine digits after the point, which sorts by time.
    case iso
    /// As whole milliseconds since 1970.
    case unixMilliseconds = "unix-ms"
    /// As seconds since 1970, in a floating-point number.
    case unix
  }

  /// How ObjectIds and UUIDs are stored.
  public enum IDs: String, Sendable, CaseIterable {
    case text
    /// As their 12 or 16 bytes.
    case blob
  }

  /// For whom the tables are.
  public enum Reader: String, Sendable, CaseIterable {
    case plain
    /// A database that Android's Room accepts as a prepackaged one.
    case room
  }

  public var dates: Dates
  public var ids: IDs
  public var reader: Reader

  public init(dates: Dates = .iso, ids: IDs = .text, reader: Reader = .plain) {
    (self.dates, self.ids, self.reader) = (dates, ids, reader)
  }
}
