import RealmModel

/// Model classes for Realm JS 12 and later, in JavaScript or TypeScript.
struct JavaScriptModels: ModelLanguage {
  /// Whether the classes declare the types of their properties.
  let isTyped: Bool

  let names = ModelNames(
    classWords: JavaScriptModels.words.union([
      "Array", "ArrayBuffer", "BSON", "Boolean", "Date", "Error", "Map", "Number", "Object",
      "Promise", "Realm", "Set", "String", "Symbol",
    ]), propertyWords: [])

  private static let words: Set<String> = [
    "any", "arguments", "await", "boolean", "break", "case", "catch", "class", "const", "continue",
    "debugger", "default", "delete", "do", "else", "enum", "eval", "export", "extends", "false",
    "finally", "for", "function", "if", "implements", "import", "in", "instanceof", "interface",
    "let", "never", "new", "null", "number", "object", "package", "private", "protected", "public",
    "return", "static", "string", "super", "switch", "symbol", "this", "throw", "true", "try",
    "typeof", "undefined", "unknown", "var", "void", "while", "with", "yield",
  ]

  func text(_ classes: [ModelClass]) -> String {
    var source = ModelSource(indent: "  ")
    source.line("import Realm\(isTyped ? ", { BSON }" : "") from \"realm\";")
    for objectClass in classes {
      source.line()
      append(objectClass, to: &source)
    }
    return source.text
  }

  private func append(_ model: ModelClass, to source: inout ModelSource) {
    let base = isTyped ? "Realm.Object<\(model.identifier)>" : "Realm.Object"
    source.block("export class \(model.identifier) extends \(base)") { source in
      if isTyped {
        for property in model.properties where property.isUsual {
          source.line("\(member(property))!: \(type(of: property));")
        }
        if !model.properties.isEmpty { source.line() }
      }
      for origin in model.origins { source.comment("linked from \(origin)") }
      let type = isTyped ? ": Realm.ObjectSchema" : ""
      source.block("static schema\(type) =", end: "};") { source in
        source.line("name: \(ModelSource.quoted(model.objectClass.name.text)),")
        switch model.objectClass.kind {
        case .topLevel: break
        case .embedded: source.line("embedded: true,")
        case .asymmetric: source.line("asymmetric: true,")
        }
        if let key = model.properties.first(where: \.isPrimaryKey) {
          source.line("primaryKey: \(ModelSource.quoted(key.property.name.text)),")
        }
        source.block("properties:", end: "},") { source in
          for property in model.properties { append(property, to: &source) }
        }
      }
    }
  }

  private func append(_ model: ModelProperty, to source: inout ModelSource) {
    guard model.isUsual else {
      return source.comment("\(model.property.name.text): no type for \(model.typeText)")
    }
    source.line("\(member(model)): \(schemaType(of: model)),")
  }

  /// The name of a member: quoted if it is not an identifier, in brackets if a plain name means something
  /// else.
  private func member(_ model: ModelProperty) -> String {
    let name = model.property.name.text
    if name == "__proto__" || name == "constructor" { return "[\(ModelSource.quoted(name))]" }
    return ModelNames.isIdentifier(name) ? name : ModelSource.quoted(name)
  }

  /// The type in the schema.
  private func schemaType(of model: ModelProperty) -> String {
    let index =
      model.notation.isFulltextIndexed
      ? "\"full-text\"" : model.notation.isIndexed ? "true" : nil
    if let short = model.notation.short {
      let type = ModelSource.quoted(short)
      return index.map { "{ type: \(type), indexed: \($0) }" } ?? type
    }
    let element = model.notation.objectType.map(\.text) ?? model.notation.type
    var members: [String] = []
    if let collection = model.notation.collection {
      members = ["type: \"\(collection)\"", "objectType: \(ModelSource.quoted(element))"]
    } else {
      members = ["type: \"object\"", "objectType: \(ModelSource.quoted(element))"]
    }
    if model.notation.isOptional { members.append("optional: true") }
    if let index { members.append("indexed: \(index)") }
    return "{ " + members.joined(separator: ", ") + " }"
  }

  /// The type in TypeScript.
  private func type(of model: ModelProperty) -> String {
    let element = (model.target ?? scalar(model.property.type)) + (model.mayBeNull ? " | null" : "")
    return switch model.property.collection {
    case .none: element
    case .list: "Realm.List<\(element)>"
    case .set: "Realm.Set<\(element)>"
    case .dictionary: "Realm.Dictionary<\(element)>"
    }
  }

  private func scalar(_ type: PropertyType) -> String {
    switch type {
    case .int, .float, .double: "number"
    case .bool: "boolean"
    case .string: "string"
    case .binary: "ArrayBuffer"
    case .mixed, .link, .typedLink: "Realm.Mixed"
    case .timestamp: "Date"
    case .decimal: "BSON.Decimal128"
    case .objectId: "BSON.ObjectId"
    case .uuid: "BSON.UUID"
    }
  }
}
