/// The text formats for a schema (CLI contract, section 2).
public enum SchemaTextFormat: String, Sendable, CaseIterable {
  /// For people; includes the links from other classes.
  case text
  /// The notation of Realm JS.
  case json
  /// The text of the reference implementation.
  case coreJSON = "core-json"
}
