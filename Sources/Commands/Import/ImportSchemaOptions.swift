public import ArgumentParser
public import RealmInterchange

/// What a text without a schema is, and which schema it gets.
struct ImportSchemaOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "What the text is: \(ImportFormat.names); by default its extension and content tell.",
      valueName: "format"))
  var format: ImportFormat?

  @Option(
    help: ArgumentHelp(
      """
      File with the schema of a text that has none, as `schema show --format json` writes it; by \
      default the schema is inferred from the objects.
      """, valueName: "file"),
    completion: .file(extensions: ["json"]))
  var schema: String?

  @Option(
    name: .customLong("class"),
    help: ArgumentHelp(
      "The class of the objects of a text that names none; by default the name of the file.",
      valueName: "name"))
  var className: String?

  @Flag(help: "Print the schema that the realm would get, and make no file.")
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
        "--schema says all of the schema; leave out --infer-strings, --primary-key and --index")
    }
    guard className != "" else { throw ValidationError("--class takes a name, not an empty text") }
  }

  /// Whether anything is asked of the schema.
  var concernsSchema: Bool { schema != nil || concernsInference }

  private var concernsInference: Bool { inferStrings || !primaryKey.isEmpty || !index.isEmpty }

  /// Adds what is asked for.
  func apply(to options: inout ImportOptions) {
    (options.format, options.schemaPath, options.className) = (format, schema, className)
    (options.infersStrings, options.primaryKeys, options.indexes) = (
      inferStrings, primaryKey, index
    )
  }
}

extension ImportFormat: ExpressibleByArgument {
  /// For help texts.
  static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }
}
