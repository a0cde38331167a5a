import RealmInterchange
import RealmModel

extension SchemaChange.Kind {
  /// The change for people, such as `added: string?` or `index: none -> indexed`.
  ///
  /// - Parameters:
  ///   - from: the schema before the change.
  ///   - to: the schema after it.
  func words(from: ObjectSchema, to: ObjectSchema) -> String {
    let (before, after) = sides(from: from, to: to)
    let both = "\(before ?? "none") -> \(after ?? "none")"
    return switch self {
    case .classAdded: "class added"
    case .classRemoved: "class removed"
    case .classKind: "kind: \(both)"
    case .primaryKey: "primary key: \(both)"
    case .propertyAdded: "added: \(after ?? "")"
    case .propertyRemoved: "removed: \(before ?? "")"
    case .typeChanged, .madeOptional, .madeRequired: both
    case .index: "index: \(both)"
    }
  }

  /// What there is before and after the change, in the notation of schemas.
  func sides(from: ObjectSchema, to: ObjectSchema) -> (before: String?, after: String?) {
    switch self {
    case .classAdded, .classRemoved: (nil, nil)
    case .classKind(let before, let after): (before.notation, after.notation)
    case .primaryKey(let before, let after): (before?.text, after?.text)
    case .propertyAdded(let property): (nil, property.notation(to))
    case .propertyRemoved(let property): (property.notation(from), nil)
    case .typeChanged(let before, let after), .madeOptional(let before, let after),
      .madeRequired(let before, let after):
      (before.notation(from), after.notation(to))
    case .index(let before, let after): (before?.notation, after?.notation)
    }
  }
}

extension Property {
  /// The type in the notation of schemas.
  fileprivate func notation(_ schema: ObjectSchema) -> String {
    let notation = PropertyNotation(self, isPrimaryKey: false, schema)
    return notation.short ?? notation.long
  }
}

extension ObjectClass.Kind {
  fileprivate var notation: String {
    switch self {
    case .topLevel: "topLevel"
    case .embedded: "embedded"
    case .asymmetric: "asymmetric"
    }
  }
}

extension PropertyIndex {
  fileprivate var notation: String {
    switch self {
    case .search: "indexed"
    case .fulltext: "fulltext"
    }
  }
}
