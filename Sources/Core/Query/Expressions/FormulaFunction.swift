/// The functions of the expressions of migration plans.
enum FormulaFunction: String, CaseIterable, Sendable {
  case lower, upper, trim, substring, replace, length, coalesce
  case string, int, float, double, decimal, date, objectId, uuid
  case now, newObjectId, newUUID

  /// How many arguments it takes.
  var argumentCount: ClosedRange<Int> {
    switch self {
    case .now, .newObjectId, .newUUID: 0...0
    case .substring: 2...3
    case .replace: 3...3
    case .coalesce: 1...100
    default: 1...1
    }
  }

  /// The call as documentation shows it.
  var signature: String {
    switch self {
    case .substring: "substring(text, start, count)"
    case .replace: "replace(text, part, replacement)"
    case .coalesce: "coalesce(value, otherwise)"
    case .now, .newObjectId, .newUUID: "\(rawValue)()"
    case .lower, .upper, .trim, .length: "\(rawValue)(text)"
    default: "\(rawValue)(value)"
    }
  }

  /// Whether each call gives another value.
  var isRandom: Bool { self == .newObjectId || self == .newUUID }
}
