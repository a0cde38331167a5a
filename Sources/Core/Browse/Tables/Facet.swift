import RealmModel
import RealmQuery
import RealmStorage

/// The most frequent values of a property among some objects, or the elements of its collections that most objects have.
struct Facet {
  /// Maximum number of values that are shown.
  private static let valueLimit = 20

  struct Value {
    let text: String
    let isNull: Bool
    /// The condition that objects with the value meet; nil if no query can spell it.
    let condition: String?
    let count: Int
  }

  let property: String
  /// The most frequent values first.
  let values: [Value]
  /// Number of different values among the counted objects.
  let distinct: Int
  /// Number of objects that were counted.
  let counted: Int

  /// Whether a property can have a facet: values that several objects can have, and that a query can spell.
  static func isPossible(_ property: Property, in schema: ObjectSchema) -> Bool {
    switch property.type {
    case .binary, .typedLink: false
    case .link: property.target.map { schema.classes[$0].kind != .embedded } ?? false
    default: true
    }
  }

  /// - Parameters:
  ///   - position: position of the property in the class.
  ///   - keys: the objects to count.
  /// - Returns: nil if the language cannot spell the name of the property.
  /// - Throws: the errors of reading.
  init?(
    _ position: Int, ofClassAt classPosition: Int, _ keys: [ObjectKey], _ view: RealmView
  ) throws {
    let owner = view.schema.classes[classPosition]
    guard
      let name = QueryText.name(
        ofProperty: position, ofClass: owner.name.text, in: view.schema)
    else { return nil }
    let source = try TotalSource(
      view.realm, classPosition: classPosition, keys: keys, totals: [.count],
      groupedBy: try QueryPath.paths(name, ofClass: owner.name.text, in: view.schema).first,
      largest: Facet.valueLimit)
    let conditions = FacetConditions(position, named: name, ofClassAt: classPosition, view.schema)
    var writer = ValueWriter(RealmURLs(number: 0, version: .latest), view.schema)
    var shown: [Value] = []
    let cursor = try source.makeCursor()
    for part in source.parts() {
      cursor.open(part)
      while let batch = try cursor.next() {
        guard let values = batch.columns[0],
          case .scalar(.int(let counts, _))? = batch.columns[1]
        else { continue }
        for row in 0..<batch.count {
          let value = ShownValue(values, row)
          let text: String
          var isNull = false
          switch value {
          case .scalar(let scalar):
            (text, isNull) = (writer.text(of: scalar, limit: 60), scalar.isNull)
          case .link(let link): text = writer.label(of: link)
          case .object, .collection: continue
          }
          shown.append(
            Value(
              text: text, isNull: isNull, condition: conditions.text(value),
              count: Int(counts[row])))
        }
      }
    }
    (property, values) = (owner.properties[position].name.text, shown)
    (distinct, counted) = (source.groupCount, keys.count)
  }
}
