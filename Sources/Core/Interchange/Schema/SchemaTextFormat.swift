package import RealmModel
import RealmPictures
package import RealmStorage

/// The formats for a schema (`docs/schema.md`).
public enum SchemaTextFormat: String, Sendable, CaseIterable {
  /// For people; includes the links from other classes.
  case text
  /// The notation of Realm JS.
  case json
  /// Model classes for the SDK of a language.
  case swift, kotlin, javascript, typescript, csharp, dart
  /// Model classes of libraries for the tables of `export --format sqlite`, and their SQL.
  case grdb, room, drift, sqlalchemy, sql
  /// Models for SwiftData, with an importer of `export --format ndjson`.
  case swiftdata
  /// A class diagram: as text for Mermaid, and as a picture.
  case mermaid, svg
  /// The format of the reference implementation.
  case coreJSON = "core-json"

  /// The writer of the model classes or the diagram; nil for other formats.
  private var language: (any ModelLanguage)? {
    switch self {
    case .text, .json, .svg, .coreJSON, .grdb, .room, .drift, .sqlalchemy, .sql: nil
    case .swift: SwiftModels()
    case .kotlin: KotlinModels()
    case .javascript: JavaScriptModels(isTyped: false)
    case .typescript: JavaScriptModels(isTyped: true)
    case .csharp: CSharpModels()
    case .dart: DartModels()
    case .mermaid: MermaidDiagram()
    case .swiftdata: SwiftDataModels()
    }
  }

  /// The printer of the classes of tables; nil for other formats.
  private var tableLanguage: (any TableLanguage)? {
    switch self {
    case .grdb: GRDBModels()
    case .room: RoomModels()
    case .drift: DriftModels()
    case .sqlalchemy: SQLAlchemyModels()
    case .sql: SQLText()
    default: nil
    }
  }

  /// Whether the format describes tables, for which there are options.
  public var hasTables: Bool { tableLanguage != nil }

  /// For whom the tables are: `room` for its own classes, `plain` for those of other libraries, and SQL for both.
  ///
  /// - Returns: nil if the format does not describe the tables that are wanted.
  public func reader(_ wanted: TableOptions.Reader?) -> TableOptions.Reader? {
    switch self {
    case .sql: wanted ?? .plain
    case .room: wanted == .plain ? nil : .room
    default: wanted == .room ? nil : .plain
    }
  }

  /// `schema` in this format.
  ///
  /// - Parameters:
  ///   - classes: positions of the classes that `text` and `json` list; nil for all.
  ///   - tables: the tables that an export makes, and the facts of the realm that decide them.
  ///   - origins: returns the properties that link to the class at a position, as `Class.property`.
  /// - Throws: `unsupported` for a class with more properties than a table can have columns.
  package func text(
    _ schema: ObjectSchema, classes: [Int]? = nil, tables: TableFacts = TableFacts(),
    origins: (Int) -> [String]
  ) throws(RealmFileError) -> [UInt8] {
    if let tableLanguage {
      let layout = try TableLayout(
        schema, classes: schema.topLevelClasses, .sqlite(tables.options),
        hasUniqueKeys: tables.hasUniqueKeys)
      let model = TableModel(
        layout, tableLanguage.names, linkEnding: tableLanguage.linkEnding,
        schemaVersion: tables.schemaVersion)
      return Array(tableLanguage.text(model).utf8)
    }
    if let language {
      return Array(language.text(ModelClass.all(of: schema, language.names)).utf8)
    }
    var text = TextBuffer()
    switch self {
    case .json: return RealmJSONSchema.document(schema, only: classes)
    case .svg: text.append(ClassDiagram(schema).svg(for: .file))
    case .coreJSON: CoreSchemaText.append(schema, to: &text)
    default:
      SchemaListing.append(classes ?? schema.appClasses, of: schema, origins: origins, to: &text)
    }
    return text.bytes
  }
}

/// What decides the tables of an export, apart from the schema.
package struct TableFacts: Sendable {
  package var options: TableOptions
  /// The schema version of the realm; nil if the app set none.
  package var schemaVersion: UInt64?
  /// False for realms of formats 2 to 9, in which objects of a class may have the same primary key.
  package var hasUniqueKeys: Bool

  package init(
    options: TableOptions = TableOptions(), schemaVersion: UInt64? = nil, hasUniqueKeys: Bool = true
  ) {
    (self.options, self.schemaVersion) = (options, schemaVersion)
    self.hasUniqueKeys = hasUniqueKeys
  }
}
