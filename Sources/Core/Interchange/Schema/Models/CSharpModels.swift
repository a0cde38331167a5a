import RealmModel

/// Model classes for Realm .NET 11 and later.
struct CSharpModels: ModelLanguage {
  let names = ModelNames(
    classWords: CSharpModels.words.union([
      "DateTimeOffset", "Decimal128", "Guid", "IAsymmetricObject", "IDictionary", "IEmbeddedObject",
      "IList", "IRealmObject", "ISet", "Object", "ObjectId", "RealmValue", "Realms", "String",
      "System",
    ]),
    propertyWords: [
      "BacklinksCount", "DynamicApi", "Equals", "GetHashCode", "GetType", "IsFrozen", "IsManaged",
      "IsValid", "MemberwiseClone", "ObjectSchema", "PropertyChanged", "Realm", "ToString",
    ], propertyStyle: .pascal)

  private static let words: Set<String> = [
    "abstract", "as", "base", "bool", "break", "byte", "case", "catch", "char", "checked", "class",
    "const", "continue", "decimal", "default", "delegate", "do", "double", "else", "enum", "event",
    "explicit", "extern", "false", "finally", "fixed", "float", "for", "foreach", "goto", "if",
    "implicit", "in", "int", "interface", "internal", "is", "lock", "long", "namespace", "new",
    "null", "object", "operator", "out", "override", "params", "private", "protected", "public",
    "readonly", "record", "ref", "return", "sbyte", "sealed", "short", "sizeof", "stackalloc",
    "static", "string", "struct", "switch", "this", "throw", "true", "try", "typeof", "uint",
    "ulong", "unchecked", "unsafe", "ushort", "using", "virtual", "void", "volatile", "while",
  ]

  func text(_ classes: [ModelClass]) -> String {
    var source = ModelSource(indent: "    ")
    source.line("#nullable enable")
    for name in ["System", "System.Collections.Generic", "MongoDB.Bson", "Realms"] {
      source.line("using \(name);")
    }
    for objectClass in classes {
      source.line()
      append(objectClass, to: &source)
    }
    return source.text
  }

  private func append(_ model: ModelClass, to source: inout ModelSource) {
    let base =
      switch model.objectClass.kind {
      case .topLevel: "IRealmObject"
      case .embedded: "IEmbeddedObject"
      case .asymmetric: "IAsymmetricObject"
      }
    if model.identifier != model.objectClass.name.text {
      source.line("[MapTo(\(ModelSource.quoted(model.objectClass.name.text)))]")
    }
    source.block("public partial class \(model.identifier) : \(base)") { source in
      for property in model.properties { append(property, in: model, to: &source) }
      for origin in model.origins { source.comment("linked from \(origin)") }
    }
  }

  private func append(
    _ model: ModelProperty, in owner: ModelClass, to source: inout ModelSource
  ) {
    guard model.isUsual else {
      return source.comment("\(model.property.name.text): no type for \(model.typeText)")
    }
    var attributes: [String] = []
    if model.isPrimaryKey { attributes.append("[PrimaryKey]") }
    if model.notation.isIndexed { attributes.append("[Indexed]") }
    if model.notation.isFulltextIndexed { attributes.append("[Indexed(IndexType.FullText)]") }
    // A member cannot have the name of its class.
    let identifier =
      model.identifier == owner.identifier ? model.identifier + "_" : model.identifier
    if identifier != model.property.name.text {
      attributes.append("[MapTo(\(ModelSource.quoted(model.property.name.text)))]")
    }
    let declaration = "public \(type(of: model)) \(identifier) \(accessors(of: model))"
    source.line((attributes + [declaration]).joined(separator: " "))
  }

  private func accessors(of model: ModelProperty) -> String {
    if model.property.collection != nil { return "{ get; } = null!;" }
    // Types that refer to an object have no value of their own.
    let needsValue = !model.mayBeNull && [.string, .binary].contains(model.property.type)
    guard needsValue else { return "{ get; set; }" }
    return model.property.type == .string
      ? "{ get; set; } = \"\";" : "{ get; set; } = Array.Empty<byte>();"
  }

  private func type(of model: ModelProperty) -> String {
    let element = (model.target ?? scalar(model.property.type)) + (model.mayBeNull ? "?" : "")
    return switch model.property.collection {
    case .none: element
    case .list: "IList<\(element)>"
    case .set: "ISet<\(element)>"
    case .dictionary: "IDictionary<string, \(element)>"
    }
  }

  private func scalar(_ type: PropertyType) -> String {
    switch type {
    case .int: "long"
    case .bool: "bool"
    case .string: "string"
    case .binary: "byte[]"
    case .mixed, .link, .typedLink: "RealmValue"
    case .timestamp: "DateTimeOffset"
    case .float: "float"
    case .double: "double"
    case .decimal: "Decimal128"
    case .objectId: "ObjectId"
    case .uuid: "Guid"
    }
  }
}
