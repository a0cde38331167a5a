import RealmModel

/// Model classes for Realm Dart and Flutter 2 and later. A generator makes an app's classes from these.
struct DartModels: ModelLanguage {
  let names = ModelNames(
    classWords: DartModels.words.union([
      "DateTime", "Decimal128", "EmbeddedObject", "Indexed", "List", "Map", "MapTo", "ObjectId",
      "PrimaryKey", "Realm", "RealmModel", "RealmObject", "RealmValue", "Set", "String",
      "Uint8List", "Uuid",
    ]),
    propertyWords: DartModels.words.union([
      "changes", "dynamic", "freeze", "hashCode", "isFrozen", "isManaged", "isValid",
      "noSuchMethod", "objectSchema", "realm", "runtimeType", "toEJson", "toString",
    ]), propertyStyle: .open)

  static let words: Set<String> = [
    "assert", "await", "bool", "break", "case", "catch", "class", "const", "continue", "default",
    "do", "double", "else", "enum", "extends", "false", "final", "finally", "for", "if", "in",
    "int", "is", "late", "new", "null", "rethrow", "return", "super", "switch", "this", "throw",
    "true", "try", "var", "void", "while", "with", "yield",
  ]

  func text(_ classes: [ModelClass]) -> String {
    var source = ModelSource(indent: "  ")
    source.line("import 'dart:typed_data';")
    source.line()
    source.line("import 'package:realm/realm.dart';")
    source.line()
    source.line("part 'models.realm.dart';")
    for objectClass in classes {
      source.line()
      append(objectClass, to: &source)
    }
    return source.text
  }

  private func append(_ model: ModelClass, to source: inout ModelSource) {
    switch model.objectClass.kind {
    case .topLevel: source.line("@RealmModel()")
    case .embedded: source.line("@RealmModel(ObjectType.embeddedObject)")
    case .asymmetric: source.line("@RealmModel(ObjectType.asymmetricObject)")
    }
    if model.identifier != model.objectClass.name.text {
      source.line("@MapTo(\(quoted(model.objectClass.name.text)))")
    }
    source.block("class _\(model.identifier)") { source in
      for property in model.properties { append(property, to: &source) }
      for origin in model.origins { source.comment("linked from \(origin)") }
    }
  }

  private func append(_ model: ModelProperty, to source: inout ModelSource) {
    guard model.isUsual, model.property.type != .float else {
      return source.comment("\(model.property.name.text): no type for \(model.typeText)")
    }
    if model.isPrimaryKey { source.line("@PrimaryKey()") }
    if model.notation.isIndexed { source.line("@Indexed()") }
    if model.notation.isFulltextIndexed { source.line("@Indexed(RealmIndexType.fullText)") }
    if model.identifier != model.property.name.text {
      source.line("@MapTo(\(quoted(model.property.name.text)))")
    }
    let type = type(of: model)
    source.line("\(type.hasSuffix("?") ? "" : "late ")\(type) \(model.identifier);")
  }

  private func quoted(_ text: String) -> String { ModelSource.quoted(text, dollar: "\\$") }

  private func type(of model: ModelProperty) -> String {
    let element =
      (model.target.map { "_" + $0 } ?? scalar(model.property.type)) + (model.mayBeNull ? "?" : "")
    return switch model.property.collection {
    case .none: element
    case .list: "List<\(element)>"
    case .set: "Set<\(element)>"
    case .dictionary: "Map<String, \(element)>"
    }
  }

  private func scalar(_ type: PropertyType) -> String {
    switch type {
    case .int: "int"
    case .bool: "bool"
    case .string: "String"
    case .binary: "Uint8List"
    case .mixed, .link, .typedLink: "RealmValue"
    case .timestamp: "DateTime"
    case .float, .double: "double"
    case .decimal: "Decimal128"
    case .objectId: "ObjectId"
    case .uuid: "Uuid"
    }
  }
}
