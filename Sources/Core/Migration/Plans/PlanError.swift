public import RealmQuery
public import RealmStorage

/// Why a migration plan, or the schema given instead of one, cannot be applied.
public struct PlanError: PathError, Equatable, Sendable {
  /// What is wrong, one case for each thing that the user can do about it.
  public enum Kind: Equatable, Sendable {
    /// The file is not YAML.
    case syntax
    /// The document does not have the structure of a plan.
    case structure
    /// The schema has no class or property of this name.
    case unknownName
    /// The step would break a rule of Realm schemas.
    case rule
    /// An expression is wrong; ``PlanError/message`` is the message of the error.
    case expression(QueryError)
    /// The steps would lose data, and the user did not allow it.
    case dataLoss
  }

  public var kind: Kind
  /// One sentence: what was found, and what was expected.
  public var message: String
  /// Path of the plan as the user wrote it.
  public var path: String
  /// Line and column in the plan, from 1 on; nil if the error is not about a place.
  public var line: Int?
  public var column: Int?
  /// What the user can do; nil if the message is enough.
  public var advice: String?
  /// The wrong expression.
  public var expression: String?

  package init(_ kind: Kind, _ message: String, at place: PlanPlace, hint: String? = nil) {
    (self.kind, self.message, advice, path) = (kind, message, hint, "")
    if place != .nowhere { (line, column) = (place.line, place.column) }
  }

  /// An error of the expression `formula`.
  init(_ error: QueryError, in formula: PlanText) {
    self.init(.expression(error), error.message, at: formula.place, hint: error.hint)
    expression = formula.text
  }
}

extension PlanError: CustomStringConvertible {
  /// One line: the path, the place, and what is wrong.
  public var description: String {
    let place = line.map { "line \($0)" + (column.map { ", column \($0)" } ?? "") + ": " } ?? ""
    return (path.isEmpty ? "" : "\(path): ") + place + message
  }
}
