import RealmModel
import RealmStorage

/// Collects the shapes of the values in records. Used by one thread.
struct ShapeCollector {
  /// Deepest level of embedded objects. Deeper objects become mixed values.
  static let depthLimit = 16
  /// Largest number of shapes in all classes, which bounds the memory.
  static let placeLimit = 1 << 16
  /// Largest number of properties of a class.
  static let propertyLimit = 1000

  private let isCSV: Bool
  private let infersStrings: Bool
  /// The members of each class, by number of the class.
  private(set) var classes: [Int: MemberShapes] = [:]
  /// Number of shapes so far.
  private(set) var placeCount = 0

  init(isCSV: Bool, infersStrings: Bool) {
    (self.isCSV, self.infersStrings) = (isCSV, infersStrings)
  }

  /// Adds the object in a record.
  ///
  /// - Parameter number: number of the class.
  /// - Throws: `wrongType` if the record is not an object, `structure` for names that no property can
  ///   have, `tooLarge`.
  mutating func add(_ record: JSONRecord, of number: Int) throws(ValueError) {
    guard record.kind(0) == .object else {
      throw ValueError(.wrongType(expected: "an object"), at: 0)
    }
    // Removed from the dictionary, so that appending does not copy the shapes.
    var shapes = classes.removeValue(forKey: number) ?? MemberShapes(isTop: true)
    try add(record, 0, to: &shapes, depth: 0)
    classes[number] = shapes
  }

  private mutating func add(
    _ record: JSONRecord, _ i: Int, to shapes: inout MemberShapes, depth: Int
  ) throws(ValueError) {
    shapes.objectCount += 1
    let end = record.end(i)
    var (position, next) = (i + 1, 0)
    while position < end {
      let count = shapes.shapes.count
      let member = shapes.position(of: record, position, next: next)
      if shapes.shapes.count > count {
        if shapes.isTop { try check(record, position, count: shapes.shapes.count) }
        try notePlace(position)
      }
      shapes.presence[member] += 1
      try add(record, position + 1, to: &shapes.shapes[member], depth: depth)
      (next, position) = (member + 1, record.end(position + 1))
    }
  }

  /// Checks the name of a new property.
  private func check(_ record: JSONRecord, _ i: Int, count: Int) throws(ValueError) {
    guard record.bytes(i).count > 0 else {
      throw ValueError(.structure("the name of a property is empty"), at: i)
    }
    guard record.bytes(i).count <= SchemaInference.nameByteLimit else {
      throw ValueError(
        .structure(
          "the name of a property is longer than \(SchemaInference.nameByteLimit) bytes"), at: i)
    }
    guard count <= ShapeCollector.propertyLimit else {
      throw ValueError(.structure(ShapeCollector.tooManyProperties), at: i)
    }
  }

  /// Checks the number of columns of CSV, which can have no rows.
  static func check(_ header: CSVHeader, className: Name?) throws(ImportError) {
    guard header.columns.count > propertyLimit else { return }
    throw ImportError(
      .structure(tooManyProperties), offset: header.columns[propertyLimit].offset,
      className: className?.text)
  }

  private static let tooManyProperties =
    "the objects of the class have more than \(propertyLimit) properties"

  private mutating func notePlace(_ i: Int) throws(ValueError) {
    placeCount += 1
    guard placeCount <= ShapeCollector.placeLimit else {
      throw ValueError(.structure(ShapeCollector.tooManyPlaces), at: i)
    }
  }

  static let tooManyPlaces =
    "the objects have more than \(placeLimit) properties in total, including embedded objects"

  /// - Parameter isElement: whether the value is an element of a list. A list in a list is a mixed value,
  ///   whatever it contains.
  private mutating func add(
    _ record: JSONRecord, _ i: Int, to shape: inout Shape, depth: Int, isElement: Bool = false
  ) throws(ValueError) {
    switch record.kind(i) {
    case .null: shape.kinds.insert(.null)
    case .yes, .no: shape.kinds.insert(.bool)
    case .integer:
      shape.kinds.insert(.int)
      if Double(exactly: record.integer(i)) == nil { try add(number: i, record, to: &shape) }
    case .double where record.isWithinDouble(i): shape.kinds.insert(.double)
    case .double, .largeNumber:
      let isInteger = try add(number: i, record, to: &shape)
      shape.kinds.insert(isInteger ? .largeInt : .double)
    case .string, .name: add(string: record.bytes(i), to: &shape)
    case .array:
      shape.kinds.insert(.list)
      guard !isElement else { return }
      if shape.elements.isEmpty {
        shape.elements = [Shape()]
        try notePlace(i)
      }
      for element in record.elements(i) {
        try add(record, element, to: &shape.elements[0], depth: depth, isElement: true)
      }
    case .object:
      if let kind = ValueKinds(wrapper: i, in: record) {
        shape.kinds.insert(kind)
        if kind == .string { shape.forms = [] }
      } else if depth == ShapeCollector.depthLimit {
        shape.kinds.insert(.mixed)
      } else {
        shape.kinds.insert(.object)
        if shape.members.isEmpty { shape.members = [MemberShapes()] }
        try add(record, i, to: &shape.members[0], depth: depth + 1)
      }
    }
  }

  /// Records the types that would round a number.
  ///
  /// - Returns: whether the number is an integer that a decimal128 holds.
  /// - Throws: `rounded` if all types would.
  @discardableResult
  private func add(
    number i: Int, _ record: JSONRecord, to shape: inout Shape
  ) throws(ValueError) -> Bool {
    let text = record.numberText(i)
    let fit = NumberFit(text)
    guard fit.fitsDouble || fit.fitsDecimal else {
      throw ValueError(.rounded(expected: NumberFit.expected), at: i)
    }
    if !fit.fitsDouble { shape.kinds.insert(.beyondDouble) }
    if !fit.fitsDecimal { shape.kinds.insert(.beyondDecimal) }
    return fit.fitsDecimal && !NumberFit.isFraction(text)
  }

  private func add(string: ByteSlice, to shape: inout Shape) {
    guard !isCSV || string.count > 0 else {
      shape.kinds.insert(.emptyField)
      return
    }
    shape.kinds.insert(.string)
    guard isCSV || infersStrings, !shape.forms.isEmpty else {
      shape.forms = []
      return
    }
    shape.forms.formIntersection(
      StringForms(string, isField: isCSV, infersStrings: infersStrings))
  }

  /// Adds the shapes that another thread collected from later records.
  ///
  /// - Throws: `structure` if the classes have too many properties.
  mutating func merge(_ other: ShapeCollector) throws(ImportError) {
    for (number, shapes) in other.classes {
      var joined = classes.removeValue(forKey: number) ?? MemberShapes(isTop: true)
      joined.merge(shapes)
      guard joined.shapes.count <= ShapeCollector.propertyLimit else {
        throw ImportError(.structure(ShapeCollector.tooManyProperties))
      }
      classes[number] = joined
    }
    placeCount = classes.values.reduce(0) { $0 + $1.placeCount }
    guard placeCount <= ShapeCollector.placeLimit else {
      throw ImportError(.structure(ShapeCollector.tooManyPlaces))
    }
  }
}

extension ValueKinds {
  /// The kind of a wrapped value; nil for an object that is not a wrapper. An unknown wrapper counts as
  /// `mixed`, and is an error when the values are read.
  fileprivate init?(wrapper i: Int, in record: JSONRecord) {
    let names: [(StaticString, ValueKinds)] = [
      ("$oid", .objectId), ("$date", .date), ("$uuid", .uuid), ("$numberLong", .int),
      ("$numberInt", .int), ("$numberDouble", [.double, .beyondDecimal]),
      ("$numberDecimal", .decimal),
      ("$string", .string), ("$float", .mixed), ("$link", .mixed), ("$ref", .mixed),
      ("$dictionary", .mixed), ("$timestamp", .mixed), ("$regularExpression", .mixed),
      ("$minKey", .mixed), ("$maxKey", .mixed), ("$undefined", .mixed), ("$symbol", .mixed),
      ("$code", .mixed),
    ]
    guard record.count(i) > 0, record.bytes(i + 1).count > 0,
      record.bytes(i + 1)[0] == UInt8(ascii: "$")
    else { return nil }
    if record.isText(i + 1, "$binary") {
      self = record.isBinaryUUID(i) ? .uuid : .binary
      return
    }
    guard let kind = names.first(where: { record.isText(i + 1, $0.0) })?.1 else { return nil }
    self = kind
    if kind == .int, record.kind(i + 2) == .string, !NumberFit(record.bytes(i + 2).text).fitsDouble
    {
      insert(.beyondDouble)
    }
  }
}
