import RealmModel
import RealmStorage

/// What an older file format cannot hold (chapter 2, section 8.1; chapter 3, section 5.10).
extension FileFormat {
  /// Checks that the format can hold the classes, properties and indexes of a schema.
  ///
  /// - Parameter classes: positions of the classes to check.
  /// - Throws: `unsupported` with all places.
  func check(_ schema: ObjectSchema, classes: [Int]) throws(BuildError) {
    var errors: [BuildError] = []
    for objectClass in classes.map({ schema.classes[$0] }) {
      if let kind = objectClass.kind.contents, !contents.contains(kind) {
        let name = objectClass.kind == .embedded ? "embedded" : "asymmetric"
        errors.append(
          BuildError(
            .unsupported("\(name) classes", format: number), className: objectClass.name.text))
      }
      for property in objectClass.properties {
        guard let missing = missing(for: property) else { continue }
        errors.append(
          BuildError(
            .unsupported(missing, format: number), className: objectClass.name.text,
            property: property.name.text))
      }
    }
    guard let first = errors.first else { return }
    throw first.adding(others: errors.dropFirst())
  }

  /// What the format lacks for a property; nil if it has all.
  private func missing(for property: Property) -> String? {
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

extension ObjectClass.Kind {
  /// What a format must have for classes of this kind; nil for nothing.
  fileprivate var contents: FileFormat.Contents? {
    switch self {
    case .topLevel: nil
    case .embedded: .embeddedClasses
    case .asymmetric: .asymmetricClasses
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
