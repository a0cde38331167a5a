import RealmModel
import RealmQuery

/// The conditions that objects with a value of a facet meet.
struct FacetConditions {
  private let schema: ObjectSchema
  private let classPosition: Int
  /// The property as the left side of a comparison.
  private let path: String
  private let isMixed: Bool
  private let isDictionary: Bool

  /// - Parameter name: the name of the property as queries spell it.
  init(
    _ position: Int, named name: String, ofClassAt classPosition: Int, _ schema: ObjectSchema
  ) {
    (self.schema, self.classPosition) = (schema, classPosition)
    let property = schema.classes[classPosition].properties[position]
    path = property.collection == nil ? name : "ANY \(name)"
    (isMixed, isDictionary) = (property.type == .mixed, property.collection == .dictionary)
  }

  /// The condition; nil if no query can spell the value.
  func text(_ value: ShownValue) -> String? {
    let conditions: [String]
    switch value {
    case .scalar(let scalar):
      guard let constant = constant(scalar) else { return nil }
      var condition = "\(path) == \(constant)"
      // In mixed properties, equal numbers of all types are equal.
      if isMixed, let type = QueryConstant.typeName(of: scalar) {
        condition += " AND \(path).@type == '\(type)'"
      }
      conditions = [condition]
    case .link(let link):
      conditions = QueryConstant.texts(link, in: schema).map { "\(path) == \($0)" }
    case .object, .collection: return nil
    }
    // Not every primary key can be spelled, and not every path compares with object keys, or with null.
    return conditions.first { (try? Query($0, ofClassAt: classPosition, in: schema)) != nil }
  }

  private func constant(_ value: BatchValue) -> String? {
    // The values of all dictionaries are mixed for queries, which read a number next to a mixed value as a double.
    guard isMixed || isDictionary else { return QueryConstant.text(value) }
    switch value {
    case .float(let number): return QueryConstant.text(BatchValue.double(Double(number)))
    case .decimal: return nil
    default: return QueryConstant.text(value)
    }
  }
}
