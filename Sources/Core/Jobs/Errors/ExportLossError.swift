public import RealmInterchange
public import RealmStorage

/// An export would lose values that the user did not give up.
public struct ExportLossError: PathError, Sendable {
  /// All that the format cannot hold.
  public var losses: FormatLosses
  /// Path of the realm as the user wrote it.
  public var path: String

  public init(losses: FormatLosses, path: String = "") { (self.losses, self.path) = (losses, path) }
}
