import RealmModel
import RealmStorage

/// Which properties a redaction keeps, and the domains of the others.
struct RedactionScope: Sendable {
  /// Properties and classes that the user wants to keep, by name.
  struct Names: Sendable {
    /// As `Class.property`.
    var properties: [String] = []
    var classes: [String] = []
  }

  let schema: ObjectSchema
  /// Positions of the kept properties, by position of their class.
  private let kept: [Int: Set<Int>]
  /// The domain of each property, by position of its class.
  private let domains: [[MaskDomain]]
  /// The domain of primary keys, mixed values and keys of dictionaries, which can name the same things.
  let identities: MaskDomain

  /// - Throws: `noSuchClass`, `noSuchProperty`.
  init(_ schema: ObjectSchema, keeping names: Names, _ code: MessageCode) throws {
    self.schema = schema
    var kept: [Int: Set<Int>] = [:]
    for name in names.classes {
      let position = try RedactionScope.position(ofClass: name, in: schema)
      kept[position] = Set(schema.classes[position].properties.indices)
    }
    for name in names.properties {
      let parts = name.split(separator: ".", maxSplits: 1).map(String.init)
      let position = try RedactionScope.position(ofClass: parts.first ?? "", in: schema)
      let properties = schema.classes[position].properties
      guard parts.count == 2,
        let property = properties.firstIndex(where: {
          ExactText($0.name.text) == ExactText(parts[1])
        })
      else {
        throw RequestError(
          .noSuchProperty(parts.count == 2 ? parts[1] : name), className: parts.first)
      }
      kept[position, default: []].insert(property)
    }
    self.kept = kept
    identities = try MaskDomain([], code)
    var domains: [[MaskDomain]] = []
    for objectClass in schema.classes {
      var own: [MaskDomain] = []
      for (i, property) in objectClass.properties.enumerated() {
        let isIdentity = i == objectClass.primaryKey || property.type == .mixed
        var domain =
          isIdentity
          ? identities
          : try MaskDomain(objectClass.name.bytes + [0] + property.name.bytes, code)
        domain.isByWord = i != objectClass.primaryKey && property.index == .fulltext
        own.append(domain)
      }
      domains.append(own)
    }
    self.domains = domains
  }

  private static func position(ofClass name: String, in schema: ObjectSchema) throws -> Int {
    let found = schema.appClasses.first {
      ExactText(schema.classes[$0].name.text) == ExactText(name)
    }
    guard let found else { throw RequestError(.noSuchClass(name)) }
    return found
  }

  func keeps(_ property: Int, ofClass position: Int) -> Bool {
    kept[position]?.contains(property) ?? false
  }

  /// Nil for a property that is kept.
  func domain(of property: Int, ofClass position: Int) -> MaskDomain? {
    keeps(property, ofClass: position) ? nil : domains[position][property]
  }

  /// The domain of the primary key of a class; nil if it is kept.
  func domain(ofKeyOf position: Int) -> MaskDomain? {
    let key = schema.classes[position].primaryKey
    return key.map { keeps($0, ofClass: position) } ?? false ? nil : identities
  }

  /// The kept properties as `Class.property`, in the order of the schema.
  var keptNames: [String] {
    schema.appClasses.flatMap { position in
      (kept[position] ?? []).sorted().map {
        "\(schema.classes[position].name).\(schema.classes[position].properties[$0].name)"
      }
    }
  }
}
