package import RealmStorage

/// What an older file format lacks (chapter 2, section 8.1; chapter 3, section 5.10).
extension FileFormat {
  /// What the format lacks for classes of this kind, for users; nil if nothing.
  package func missing(for kind: ObjectClass.Kind) -> String? {
    switch kind {
    case .embedded where !contents.contains(.embeddedClasses): "embedded classes"
    case .asymmetric where !contents.contains(.asymmetricClasses): "asymmetric classes"
    default: nil
    }
  }

  /// What the format lacks for a property, for users; nil if nothing.
  package func missing(for property: Property) -> String? {
    if let needed = property.type.contents, !contents.contains(needed) {
      return "properties of type \(property.type)"
    }
    switch property.collection {
    case .set where !contents.contains(.sets): return "sets"
    case .dictionary where !contents.contains(.dictionaries): return "dictionaries"
    default: break
    }
    switch property.index {
    case .fulltext where !contents.contains(.fulltextIndexes): return "full-text indexes"
    case .search where property.collection == .list && !contents.contains(.listIndexes):
      return "indexes of lists"
    default: return nil
    }
  }
}

extension PropertyType {
  /// What a format must have for properties of this type; nil for nothing.
  fileprivate var contents: FileFormat.Contents? {
    switch self {
    case .int, .bool, .string, .binary, .timestamp, .float, .double, .link: nil
    case .decimal: .decimals
    case .objectId: .objectIds
    case .uuid: .uuids
    case .mixed, .typedLink: .mixed
    }
  }
}
