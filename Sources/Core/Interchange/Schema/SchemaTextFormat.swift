/// The texts that show a schema (CLI contract, section 2).
public enum SchemaTextFormat: String, Sendable, CaseIterable {
  /// For people: with the links that come from other classes.
  case text
  /// The notation that users of Realm JS know.
  case json
  /// The text of the reference implementation.
  case coreJSON = "core-json"
}
