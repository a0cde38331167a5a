import RealmModel

/// Model classes for Realm Swift 10 and later.
struct SwiftModels: ModelLanguage {
  let names = ModelNames(
    classWords: SwiftModels.words.union([
      "Any", "AnyObject", "AnyRealmValue", "AsymmetricObject", "Array", "Bool", "Data", "Date",
      "Decimal128", "Dictionary", "Double", "EmbeddedObject", "Error", "Float", "Int",
      "LinkingObjects", "List", "Map", "MutableSet", "Object", "ObjectBase", "ObjectId",
      "Optional", "Persisted", "Realm", "RealmSwift", "Result", "Results", "Set", "String", "UUID",
    ]),
    propertyWords: SwiftModels.words.union([
      "debugDescription", "description", "hash", "isFrozen", "isInvalidated", "isSameObject",
      "objectSchema", "observe", "realm", "superclass", "thaw", "freeze",
    ]))

  static let words: Set<String> = [
    "Self", "Type", "as", "associatedtype", "break", "case", "catch", "class", "continue",
    "default", "defer", "deinit", "do", "else", "enum", "extension", "fallthrough", "false",
    "fileprivate", "for", "func", "guard", "if", "import", "in", "init", "inout", "internal", "is",
    "let", "nil", "operator", "precedencegroup", "private", "protocol", "public", "repeat",
    "rethrows", "return", "self", "static", "struct", "subscript", "super", "switch", "throw",
    "throws", "true", "try", "typealias", "var", "where", "while",
  ]

  func text(_ classes: [ModelClass]) -> String {
    var source = ModelSource(indent: "    ")
    source.line("import Foundation")
    source.line("import RealmSwift")
    for objectClass in classes {
      source.line()
      append(objectClass, to: &source)
    }
    return source.text
  }

  private func append(_ model: ModelClass, to source: inout ModelSource) {
    let base =
      switch model.objectClass.kind {
      case .topLevel: "Object"
      case .embedded: "EmbeddedObject"
      case .asymmetric: "AsymmetricObject"
      }
    source.block("class \(model.identifier): \(base)") { source in
      for property in model.properties { append(property, to: &source) }
      for origin in model.origins { source.comment("linked from \(origin)") }
      if model.identifier != model.objectClass.name.text {
        source.line()
        source.block("override class func _realmObjectName() -> String?") { source in
          source.line(ModelSource.quoted(model.objectClass.name.text))
        }
      }
      guard !model.renamed.isEmpty else { return }
      source.line()
      source.block("override class func propertiesMapping() -> [String: String]") { source in
        source.line("[")
        for property in model.renamed {
          let name = ModelSource.quoted(property.property.name.text)
          source.line("    \"\(property.identifier)\": \(name),")
        }
        source.line("]")
      }
    }
  }

  private func append(_ model: ModelProperty, to source: inout ModelSource) {
    guard model.isUsual else {
      return source.comment("\(model.property.name.text): no type for \(model.typeText)")
    }
    if model.notation.isFulltextIndexed {
      source.comment("full-text indexed; Realm Swift has no attribute for it")
    }
    let attribute =
      model.isPrimaryKey
      ? "@Persisted(primaryKey: true)"
      : model.notation.isIndexed ? "@Persisted(indexed: true)" : "@Persisted"
    source.line("\(attribute) var \(model.identifier): \(type(of: model))")
  }

  private func type(of model: ModelProperty) -> String {
    let element = (model.target ?? scalar(model.property.type)) + (model.mayBeNull ? "?" : "")
    return switch model.property.collection {
    case .none: element
    case .list: "List<\(element)>"
    case .set: "MutableSet<\(element)>"
    case .dictionary: "Map<String, \(element)>"
    }
  }

  private func scalar(_ type: PropertyType) -> String {
    switch type {
    case .int: "Int"
    case .bool: "Bool"
    case .string: "String"
    case .binary: "Data"
    case .mixed, .link, .typedLink: "AnyRealmValue"
    case .timestamp: "Date"
    case .float: "Float"
    case .double: "Double"
    case .decimal: "Decimal128"
    case .objectId: "ObjectId"
    case .uuid: "UUID"
    }
  }
}
