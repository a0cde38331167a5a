/// The head of Realm JSON. It contains only facts that an import preserves.
package struct RealmJSONHead: Sendable {
  /// Version of the format, which `docs/realm-json.md` specifies.
  static let version = 1

  /// The schema version; nil if the app set none.
  let schemaVersion: UInt64?
  /// True if the output does not contain all classes.
  let isPartial: Bool

  package init(schemaVersion: UInt64?, isPartial: Bool) {
    (self.schemaVersion, self.isPartial) = (schemaVersion, isPartial)
  }

  func append(to text: inout TextBuffer) {
    text.append(
      "{\"format\":\"realm-json\",\"version\":\(RealmJSONHead.version),\"schemaVersion\":")
    text.append(schemaVersion.map(String.init) ?? "null")
    if isPartial { text.append(",\"partial\":true") }
    text.append("}")
  }
}
