package import RealmModel

/// What a text is, where its content does not say so.
public enum ImportFormat: String, Sendable, CaseIterable {
  /// A document of JSON.
  case json
  /// JSON, an object a line.
  case ndjson
  /// Comma-separated values with a header (RFC 4180).
  case csv

  /// The format that the extension of a file stands for; nil for others.
  init?(fileExtension: String) {
    switch fileExtension.lowercased() {
    case "json", "ejson": self = .json
    case "ndjson", "jsonl": self = .ndjson
    case "csv": self = .csv
    default: return nil
    }
  }
}

/// How a text is taken.
public struct ImportOptions: Sendable {
  /// Members that the schema does not know are left out.
  public var ignoresUnknown = false
  /// Wrong objects that are told before the import ends; at least one.
  public var errorLimit = 1
  /// What the text is; nil where its name and content tell.
  public var format: ImportFormat?
  /// Path of a file with the schema; nil where the text has one, or where it is inferred.
  public var schemaPath: String?
  /// The class of the objects; nil for the name of the file.
  public var className: String?
  /// Strings that look like dates and identifiers are such in an inferred schema.
  public var infersStrings = false
  /// `property` or `Class.property`: the primary keys of an inferred schema.
  public var primaryKeys: [String] = []
  /// `property` or `Class.property`: what has an index in an inferred schema.
  public var indexes: [String] = []

  /// The classes of the realm that the objects are added to, instead of those of the text.
  package var targetSchema: ObjectSchema?
  /// The objects are to be added to others: they may lack values, and say which.
  package var isStaged = false

  public init() {}

  /// Whether the user asks for anything that only an inferred schema can have.
  var concernsInference: Bool { infersStrings || !primaryKeys.isEmpty || !indexes.isEmpty }
}
