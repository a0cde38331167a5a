public import RealmInterchange
import RealmModel

/// The format of an export.
public enum ExportFormat: Sendable, Hashable, CaseIterable {
  case text(ObjectTextFormat)
  /// A database of SQLite.
  case sqlite
  /// A script for PostgreSQL's `psql`.
  case postgres

  public static var allCases: [ExportFormat] {
    ObjectTextFormat.allCases.map(text) + [.sqlite, .postgres]
  }

  /// The format with `name`, or nil.
  public init?(name: String) {
    guard let format = ExportFormat.allCases.first(where: { $0.name == name }) else { return nil }
    self = format
  }

  public var name: String {
    switch self {
    case .text(let format): format.rawValue
    case .sqlite: "sqlite"
    case .postgres: "postgres"
    }
  }

  /// Whether the format has a table for each class.
  var hasTables: Bool { self == .sqlite || self == .postgres }

  /// True for the formats of the reference implementation, which show internal tables too.
  var isCore: Bool {
    switch self {
    case .text(let format): format.isCore
    case .sqlite, .postgres: false
    }
  }

  /// The form in which data of old formats appears.
  var normalization: ObjectRequest.Normalization {
    switch self {
    case .text(let format): format.normalization
    case .sqlite, .postgres: .format24
    }
  }
}
