/// The text formats that hold the objects of a realm (CLI contract, section 3).
package enum ObjectTextFormat: String, Sendable, CaseIterable {
  case json
  case ndjson
  case coreJSON = "core-json"
  case coreXJSON = "core-xjson"
  case coreXJSONPlus = "core-xjson-plus"

  /// True for the texts of the reference implementation, which show internal tables too.
  package var isCore: Bool { self != .json && self != .ndjson }
}
