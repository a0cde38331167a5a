import RealmModel

/// Where a form puts a property, and which type its column has.
extension TableForm {
  /// What holds the values of a property.
  enum PropertyPlace {
    case column, json, array, table
  }

  func place(of property: Property) -> PropertyPlace {
    guard let collection = property.collection else {
      return property.isAnyType && mixedIsJSON ? .json : .column
    }
    guard hasArrays, property.type != .link else { return .table }
    return collection == .dictionary || property.isAnyType ? .json : .array
  }

  /// The type of the values of a property that is not a link.
  func type(of type: PropertyType) -> TableLayout.ValueType {
    switch type {
    case .int, .link: .int
    case .bool: .bool
    case .float: .float
    case .double: .double
    case .string: .string
    case .binary: .binary
    case .timestamp: .date
    case .decimal: .decimal
    case .objectId: .objectId
    case .uuid: .uuid
    case .mixed, .typedLink: mixedIsJSON ? .json : .any
    }
  }

  /// Whether the values of a property are never null, even if one of them is changed for the database.
  func isRequired(_ property: Property) -> Bool {
    guard !property.isOptional else { return false }
    switch property.type {
    case .int, .bool, .string, .binary, .decimal, .objectId, .uuid: return true
    case .float, .double: return hasNaN
    // A date out of range, an unresolved link and the null of a mixed value.
    case .timestamp, .link, .mixed, .typedLink: return false
    }
  }
}

extension Property {
  /// Whether each value has its own type.
  var isAnyType: Bool { type == .mixed || type == .typedLink }
}

extension ObjectSchema {
  /// The schema with an indexed property in place of each primary key.
  var withoutPrimaryKeys: ObjectSchema {
    ObjectSchema(classes: classes.map(\.withoutPrimaryKey), appClasses: appClasses)
  }
}

extension ObjectClass {
  fileprivate var withoutPrimaryKey: ObjectClass {
    guard let primaryKey else { return self }
    var properties = properties
    let key = properties[primaryKey]
    properties[primaryKey] = Property(
      name: key.name, type: key.type, isOptional: key.isOptional, index: .search)
    return ObjectClass(name: name, isInternal: isInternal, kind: kind, properties: properties)
  }
}
