package import RealmModel

/// The format of an input, if its content does not show it.
public enum ImportFormat: String, Sendable, CaseIterable {
  /// One JSON document.
  case json
  /// JSON with one object per line.
  case ndjson
  /// Comma-separated values with a header (RFC 4180).
  case csv

  /// The format of files with this extension; nil for other extensions.
  init?(fileExtension: String) {
    switch fileExtension.lowercased() {
    case "json", "ejson": self = .json
    case "ndjson", "jsonl": self = .ndjson
    case "csv": self = .csv
    default: return nil
    }
  }
}

/// How much of an input is in memory at a time. A test makes the steps small, so that each byte is at an edge of one.
package struct ImportSteps: Sendable {
  /// Bytes of a block, as the whole file is read to find the parts.
  package var blockByteCount = 1 << 20
  /// Usual bytes of a part, whose objects a thread reads.
  package var partByteCount = 4 << 20

  package init() {}
}

/// Options for reading an input.
public struct ImportOptions: Sendable {
  /// Whether members that the schema does not contain are left out.
  public var ignoresUnknown = false
  /// Number of errors about objects to report before the import ends; at least 1.
  public var errorLimit = 1
  /// The format of the input; nil if its name and content show it.
  public var format: ImportFormat?
  /// Path of a file with the schema; nil if the input contains the schema or it is inferred.
  public var schemaPath: String?
  /// The class of the objects; nil to use the file name.
  public var className: String?
  /// Whether strings that look like dates or identifiers get these types in an inferred schema.
  public var infersStrings = false
  /// Primary keys of an inferred schema, as `property` or `Class.property`.
  public var primaryKeys: [String] = []
  /// Indexed properties of an inferred schema, as `property` or `Class.property`.
  public var indexes: [String] = []

  /// Whether links to missing objects become null. Then properties that link to classes which a partial export does not
  /// have are left out of a new realm.
  package var nullsMissingLinks = false
  /// The schema of the realm that receives the objects; it replaces the schema of the input.
  package var targetSchema: ObjectSchema?
  /// Whether the objects will be added to a realm. They may then lack values, and record which ones.
  package var isStaged = false
  package var steps = ImportSteps()

  public init() {}

  /// Whether any option applies only to an inferred schema.
  var concernsInference: Bool { infersStrings || !primaryKeys.isEmpty || !indexes.isEmpty }
}
