public import RealmInterchange
import RealmModel

/// The format of an export.
public enum ExportFormat: Sendable, Hashable, CaseIterable {
  case text(ObjectTextFormat)
  /// A database of SQLite.
  case sqlite

  public static var allCases: [ExportFormat] { ObjectTextFormat.allCases.map(text) + [.sqlite] }

  /// The format with `name`, or nil.
  public init?(name: String) {
    guard let format = ExportFormat.allCases.first(where: { $0.name == name }) else { return nil }
    self = format
  }

  public var name: String {
    switch self {
    case .text(let format): format.rawValue
    case .sqlite: "sqlite"
    }
  }

  /// True for the formats of the reference implementation, which show internal tables too.
  var isCore: Bool {
    switch self {
    case .text(let format): format.isCore
    case .sqlite: false
    }
  }

  /// The form in which data of old formats appears.
  var normalization: ObjectRequest.Normalization {
    switch self {
    case .text(let format): format.normalization
    case .sqlite: .format24
    }
  }
}
