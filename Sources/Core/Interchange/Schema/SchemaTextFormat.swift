package import RealmModel
import RealmPictures

/// The formats for a schema (`docs/schema.md`).
public enum SchemaTextFormat: String, Sendable, CaseIterable {
  /// For people; includes the links from other classes.
  case text
  /// The notation of Realm JS.
  case json
  /// Model classes for the SDK of a language.
  case swift, kotlin, javascript, typescript, csharp, dart
  /// A class diagram: as text for Mermaid, and as a picture.
  case mermaid, svg
  /// The format of the reference implementation.
  case coreJSON = "core-json"

  /// The writer of the model classes or the diagram; nil for other formats.
  private var language: (any ModelLanguage)? {
    switch self {
    case .text, .json, .svg, .coreJSON: nil
    case .swift: SwiftModels()
    case .kotlin: KotlinModels()
    case .javascript: JavaScriptModels(isTyped: false)
    case .typescript: JavaScriptModels(isTyped: true)
    case .csharp: CSharpModels()
    case .dart: DartModels()
    case .mermaid: MermaidDiagram()
    }
  }

  /// `schema` in this format.
  ///
  /// - Parameters:
  ///   - classes: positions of the classes that `text` and `json` list; nil for all.
  ///   - origins: returns the properties that link to the class at a position, as `Class.property`.
  package func text(
    _ schema: ObjectSchema, classes: [Int]? = nil, origins: (Int) -> [String]
  ) -> [UInt8] {
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
