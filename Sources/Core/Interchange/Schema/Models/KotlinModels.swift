import RealmModel

/// Model classes for Realm Kotlin 1.6 and later.
struct KotlinModels: ModelLanguage {
  let names = ModelNames(
    classWords: KotlinModels.words.union([
      "Any", "AsymmetricRealmObject", "Boolean", "ByteArray", "Decimal128", "Double",
      "EmbeddedRealmObject", "Float", "Int", "List", "Long", "Map", "ObjectId", "RealmAny",
      "RealmDictionary", "RealmInstant", "RealmList", "RealmObject", "RealmSet", "RealmUUID", "Set",
      "String", "Unit",
    ]), propertyWords: KotlinModels.words)

  static let words: Set<String> = [
    "as", "break", "class", "continue", "do", "else", "false", "for", "fun", "if", "in",
    "interface", "is", "null", "object", "package", "return", "super", "this", "throw", "true",
    "try", "typealias", "typeof", "val", "var", "when", "while",
  ]

  func text(_ classes: [ModelClass]) -> String {
    var source = ModelSource(indent: "    ")
    for line in KotlinModels.imports { source.line("import \(line)") }
    for objectClass in classes {
      source.line()
      append(objectClass, to: &source)
    }
    return source.text
  }

  private static let imports = [
    "io.realm.kotlin.ext.*", "io.realm.kotlin.types.*", "io.realm.kotlin.types.annotations.*",
    "org.mongodb.kbson.Decimal128", "org.mongodb.kbson.ObjectId",
  ]

  private func append(_ model: ModelClass, to source: inout ModelSource) {
    let base =
      switch model.objectClass.kind {
      case .topLevel: "RealmObject"
      case .embedded: "EmbeddedRealmObject"
      case .asymmetric: "AsymmetricRealmObject"
      }
    if model.identifier != model.objectClass.name.text {
      source.line("@PersistedName(\(quoted(model.objectClass.name.text)))")
    }
    source.block("class \(model.identifier) : \(base)") { source in
      for property in model.properties { append(property, to: &source) }
      for origin in model.origins { source.comment("linked from \(origin)") }
    }
  }

  private func append(_ model: ModelProperty, to source: inout ModelSource) {
    guard model.isUsual else {
      return source.comment("\(model.property.name.text): no type for \(model.typeText)")
    }
    var attributes: [String] = []
    if model.isPrimaryKey { attributes.append("@PrimaryKey") }
    if model.notation.isIndexed { attributes.append("@Index") }
    if model.notation.isFulltextIndexed { attributes.append("@FullText") }
    if model.identifier != model.property.name.text {
      attributes.append("@PersistedName(\(quoted(model.property.name.text)))")
    }
    let (type, value) = declaration(of: model)
    source.line(
      (attributes + ["var \(model.identifier): \(type) = \(value)"]).joined(separator: " "))
  }

  private func quoted(_ text: String) -> String { ModelSource.quoted(text, dollar: "\\$") }

  /// The type, and the value of a new object.
  private func declaration(of model: ModelProperty) -> (type: String, value: String) {
    let mayBeNull = model.mayBeNull || model.property.type == .mixed
    let (name, value) = scalar(model.property.type)
    let element = (model.target ?? name) + (mayBeNull ? "?" : "")
    return switch model.property.collection {
    case .none: (element, mayBeNull ? "null" : value)
    case .list: ("RealmList<\(element)>", "realmListOf()")
    case .set: ("RealmSet<\(element)>", "realmSetOf()")
    case .dictionary: ("RealmDictionary<\(element)>", "realmDictionaryOf()")
    }
  }

  private func scalar(_ type: PropertyType) -> (name: String, value: String) {
    switch type {
    case .int: ("Long", "0")
    case .bool: ("Boolean", "false")
    case .string: ("String", "\"\"")
    case .binary: ("ByteArray", "byteArrayOf()")
    case .mixed, .link, .typedLink: ("RealmAny", "null")
    case .timestamp: ("RealmInstant", "RealmInstant.from(0, 0)")
    case .float: ("Float", "0f")
    case .double: ("Double", "0.0")
    case .decimal: ("Decimal128", "Decimal128(\"0\")")
    case .objectId: ("ObjectId", "ObjectId()")
    case .uuid: ("RealmUUID", "RealmUUID.random()")
    }
  }
}
