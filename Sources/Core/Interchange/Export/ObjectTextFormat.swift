/// The text formats that hold the objects of a realm (CLI contract, section 3).
public enum ObjectTextFormat: String, Sendable, CaseIterable {
  case json
  case ndjson
  case coreJSON = "core-json"
  case coreXJSON = "core-xjson"
  case coreXJSONPlus = "core-xjson-plus"

  /// True for the texts of the reference implementation, which show internal tables too.
  public var isCore: Bool { self != .json && self != .ndjson }
}
