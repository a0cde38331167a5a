/// A value that a patch changes, where the realm has neither the old nor the new value.
public struct PatchConflict: Sendable, Equatable {
  public enum Reason: String, Sendable {
    /// The realm has another value.
    case changed
    /// The patch adds the object, and the realm has it with another value.
    case exists
    /// The patch removes the object, and the realm has another value.
    case removed
    /// The realm does not have the object.
    case missing
    /// The new value links to an object that the realm does not have.
    case missingTarget
  }

  public let className: String
  public let property: String
  public let reason: Reason
  /// The identity and the values as Realm JSON; nil for a value that does not exist.
  public let identity: String
  public let old: String?
  public let new: String?
  public let realm: String?
}

/// What to do about conflicts.
public enum PatchResolution: String, Sendable, CaseIterable {
  /// Nothing is written.
  case fail
  /// The patch's values replace those of the realm.
  case patch
  /// The realm keeps its values.
  case realm
}
