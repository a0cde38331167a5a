import RealmModel
import RealmQuery
import RealmStorage

/// The most frequent values of a property among the objects of a result.
///
/// Of a large result only a sample is counted, in runs that are spread over it, so that a facet takes the same time
/// however many objects there are.
struct Facet {
  /// Maximum number of objects that are counted, and objects that follow each other in a sample.
  static let sampleLimit = 16_384
  private static let runCount = 256
  /// Maximum number of values that are shown.
  private static let valueLimit = 20

  struct Value {
    /// The value, and the condition that objects with it meet; nil if no query can spell it.
    let text: String
    let isNull: Bool
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

  /// Whether a property can have a facet: it has single values that a query can spell.
  static func isPossible(_ property: Property) -> Bool {
    property.collection == nil && property.type != .link && property.type != .typedLink
      && property.type != .binary && property.type != .mixed
  }

  /// - Parameters:
  ///   - position: position of the property in the class.
  ///   - keys: the objects.
  ///   - isSample: false to count all of them.
  /// - Returns: nil if the language cannot spell the name of the property.
  /// - Throws: the errors of reading.
  init?(
    _ position: Int, ofClassAt classPosition: Int, _ keys: [ObjectKey], isSample: Bool,
    _ view: RealmView
  ) throws {
    let owner = view.schema.classes[classPosition]
    guard
      let name = QueryText.name(
        ofProperty: position, ofClass: owner.name.text, in: view.schema)
    else { return nil }
    let path = try QueryPath.group(name, ofClass: owner.name.text, in: view.schema)
    let sample = isSample ? Facet.sample(of: keys) : keys
    let source = try TotalSource(
      view.realm, classPosition: classPosition, keys: sample, totals: [.count], groupedBy: path)
    var writer = ValueWriter(RealmURLs(number: 0, version: .latest), view.schema)
    var found: [(value: ColumnValues, row: Int, count: Int64, batch: ObjectBatch)] = []
    let cursor = try source.makeCursor()
    for part in source.parts() {
      cursor.open(part)
      while let batch = try cursor.next() {
        guard let values = batch.columns[0],
          case .scalar(.int(let counts, _))? = batch.columns[1]
        else { continue }
        for row in 0..<batch.count { found.append((values, row, counts[row], batch)) }
      }
    }
    // Equal counts stay in the order of the values.
    let order = found.indices.sorted {
      found[$0].count == found[$1].count ? $0 < $1 : found[$0].count > found[$1].count
    }
    var shown: [Value] = []
    for i in order.prefix(Facet.valueLimit) {
      guard case .scalar(let value) = ShownValue(found[i].value, found[i].row) else { continue }
      shown.append(
        Value(
          text: writer.text(of: value, limit: 60), isNull: value.isNull,
          condition: QueryConstant.text(value).map { "\(name) == \($0)" },
          count: Int(found[i].count)))
    }
    (property, values) = (owner.properties[position].name.text, shown)
    (distinct, counted) = (found.count, sample.count)
  }

  private static func sample(of keys: [ObjectKey]) -> [ObjectKey] {
    guard keys.count > sampleLimit else { return keys }
    let runs = sampleLimit / runCount
    return (0..<runs).flatMap { run in
      let start = run * (keys.count - runCount) / (runs - 1)
      return keys[start..<(start + runCount)]
    }
  }
}
