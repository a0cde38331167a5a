public import ArgumentParser
public import RealmInterchange

/// The format of an input, and the schema of an input without one.
struct ImportSchemaOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The format of the input: \(ImportFormat.names) (default: by its extension and content).",
      valueName: "format"))
  var format: ImportFormat?

  @Option(
    help: ArgumentHelp(
      """
      File with the schema of an input without one, as written by `schema show --format json` \
      (default: inferred from the objects).
      """, valueName: "file"),
    completion: .file(extensions: ["json"]))
  var schema: String?

  @Option(
    name: .customLong("class"),
    help: ArgumentHelp(
      "The class of the objects if the input names none (default: the name of the file).",
      valueName: "name"))
  var className: String?

  @Flag(help: "Print the schema that the realm would get, and create no file.")
  var inferOnly = false

  @Flag(help: "Infer dates, UUIDs and ObjectIds from strings that look like them.")
  var inferStrings = false

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      "Primary key of an inferred schema; can be given several times.",
      valueName: "[class.]property"))
  var primaryKey: [String] = []

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      "Property with an index in an inferred schema; can be given several times.",
      valueName: "[class.]property"))
  var index: [String] = []

  func validate() throws {
    guard schema == nil || !concernsInference else {
      throw ValidationError(
        "--schema is the whole schema; leave out --infer-strings, --primary-key and --index")
    }
    guard className != "" else {
      throw ValidationError("--class takes a name, not an empty string")
    }
  }

  /// Whether an option concerns the schema.
  var concernsSchema: Bool { schema != nil || concernsInference }

  private var concernsInference: Bool { inferStrings || !primaryKey.isEmpty || !index.isEmpty }

  /// Copies these options to `options`.
  func apply(to options: inout ImportOptions) {
    (options.format, options.schemaPath, options.className) = (format, schema, className)
    (options.infersStrings, options.primaryKeys, options.indexes) = (
      inferStrings, primaryKey, index
    )
  }
}

extension ImportFormat: ExpressibleByArgument {
  /// For the help.
  static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }
}
