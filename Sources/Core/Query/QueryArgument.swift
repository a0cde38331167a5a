public import RealmModel

/// What `$0`, `$1`, … stand for in a query (chapter 6, section 4.18).
public enum QueryArgument: Sendable, Equatable {
  /// A scalar, null or a link; or a list of them, which acts like `{…}`. As `$K0` or as a shape for
  /// `GEOWITHIN`, a string with its text.
  case value(RealmValue)
  /// The key of an object of the class on the other side.
  case objectKey(ObjectKey)
}
