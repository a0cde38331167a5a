/// A class in the schema of a Realm JSON document, read without the code under test.
public struct RealmJSONClass {
  public struct PropertyType {
    /// `int`, `mixed`, …; `object` for a link.
    public var name: String
    /// The target class of links.
    public var objectType: String?
    public var isOptional = false
    /// `list`, `set` or `dictionary`.
    public var collection: String?
  }

  public var name: String
  public var primaryKey: String?
  public var isEmbedded: Bool
  public var keyMember: String?
  public var properties: [(name: String, type: PropertyType)]

  /// - Parameter json: an element of the array `schema`.
  public init?(_ json: JSONValue) {
    guard let name = json["name"]?.string, let members = json["properties"]?.members else {
      return nil
    }
    self.name = name
    primaryKey = json["primaryKey"]?.string
    isEmbedded = json["embedded"]?.bool ?? false
    keyMember = json["keyMember"]?.string
    properties = members.compactMap { member in
      PropertyType(member.value).map { (member.name, $0) }
    }
    guard properties.count == members.count else { return nil }
  }
}

extension RealmJSONClass.PropertyType {
  private static let scalars: Set<String> = [
    "int", "bool", "string", "data", "mixed", "date", "float", "double", "decimal128", "objectId",
    "uuid",
  ]

  /// - Parameter json: `"int?[]"`, `{"type":"string","indexed":true}`, or the long form.
  init?(_ json: JSONValue) {
    if let text = json.string {
      self.init(short: text)
    } else if let text = json["type"]?.string {
      guard text == "object" || json["collection"] != nil || json["optional"] != nil else {
        self.init(short: text)
        return
      }
      self.init(
        name: text, objectType: json["objectType"]?.string,
        isOptional: json["optional"]?.bool ?? false, collection: json["collection"]?.string)
    } else {
      return nil
    }
  }

  private init(short: String) {
    var rest = short
    for (suffix, kind) in [("[]", "list"), ("<>", "set"), ("{}", "dictionary")]
    where rest.hasSuffix(suffix) {
      rest.removeLast(2)
      collection = kind
    }
    if rest.hasSuffix("?") {
      rest.removeLast()
      isOptional = true
    }
    let isScalar = RealmJSONClass.PropertyType.scalars.contains(rest)
    name = isScalar ? rest : "object"
    objectType = isScalar ? nil : rest
  }
}
