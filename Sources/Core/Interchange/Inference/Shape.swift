import RealmStorage

/// What is known of the values in one place of all records: of a property, or of the elements of its lists.
struct Shape {
  var kinds: ValueKinds = []
  /// What all strings so far could stand for.
  var forms = TextForms.all
  /// Of the elements of lists: none or one.
  var elements: [Shape] = []
  /// Of the members of objects: none or one.
  var members: [MemberShapes] = []

  /// Joins what is known of other values of the same place.
  mutating func merge(_ other: Shape) {
    kinds.formUnion(other.kinds)
    forms.formIntersection(other.forms)
    if let more = other.elements.first {
      if elements.isEmpty { elements = [more] } else { elements[0].merge(more) }
    }
    if let more = other.members.first {
      if members.isEmpty { members = [more] } else { members[0].merge(more) }
    }
  }

  /// Number of places in it, itself included.
  var placeCount: Int {
    1 + elements.reduce(0) { $0 + $1.placeCount } + members.reduce(0) { $0 + $1.placeCount }
  }
}

/// The members of the objects in one place.
///
/// Objects with more than ``nameLimit`` names, or with a name that no property can have, are dictionaries:
/// the shapes of all their members are one. Once they are, they stay so, in whatever order objects come.
struct MemberShapes {
  /// The most names of the members of embedded objects.
  static let nameLimit = 256

  /// In the order in which they came.
  private(set) var names: [[UInt8]] = []
  private var positions: [[UInt8]: Int] = [:]
  var shapes: [Shape] = []
  /// Objects that have the member.
  var presence: [Int] = []
  var objectCount = 0
  /// Whether these are the objects of a class that is not embedded, which cannot become dictionaries.
  let isTop: Bool
  /// The only shape is that of all values.
  private(set) var isDictionary = false

  init(isTop: Bool = false) { self.isTop = isTop }

  /// The position of the member whose name is token `i`, which is most of the time `next`.
  mutating func position(of record: JSONRecord, _ i: Int, next: Int) -> Int {
    if isDictionary { return 0 }
    if next < names.count, record.isText(i, names[next]) { return next }
    return position(of: record.bytes(i).bytes)
  }

  /// Adds a member that no object may have.
  mutating func add(name: [UInt8]) { _ = position(of: name) }

  private mutating func position(of name: [UInt8]) -> Int {
    if let known = positions[name] { return known }
    if !isTop, names.count == MemberShapes.nameLimit || !MemberShapes.isPropertyName(name) {
      becomeDictionary()
      return 0
    }
    positions[name] = names.count
    names.append(name)
    shapes.append(Shape())
    presence.append(0)
    return names.count - 1
  }

  /// Whether an embedded class can have a property of this name.
  private static func isPropertyName(_ name: [UInt8]) -> Bool {
    !name.isEmpty && name.count <= SchemaInference.nameByteLimit && name[0] != UInt8(ascii: "$")
  }

  private mutating func becomeDictionary() {
    guard !isDictionary else { return }
    isDictionary = true
    let all = shapes.reduce(into: Shape()) { $0.merge($1) }
    (names, positions, shapes, presence) = ([], [:], [all], [0])
  }

  mutating func merge(_ other: MemberShapes) {
    objectCount += other.objectCount
    if other.isDictionary { becomeDictionary() }
    for (i, shape) in other.shapes.enumerated() {
      let position = isDictionary ? 0 : position(of: other.names[i])
      shapes[position].merge(shape)
      presence[position] += other.presence[i]
    }
  }

  var placeCount: Int { shapes.reduce(0) { $0 + $1.placeCount } }
}
