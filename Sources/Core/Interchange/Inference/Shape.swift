import RealmStorage

/// The facts about the values of a property, or about the elements of its lists, in all records.
struct Shape {
  var kinds: ValueKinds = []
  /// The types that fit all strings so far.
  var forms = StringForms.all
  /// The shape of the elements of lists: empty or one element.
  var elements: [Shape] = []
  /// The shape of the members of objects: empty or one element.
  var members: [MemberShapes] = []

  /// Adds the facts about other values of the same property.
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

  /// Number of shapes in this shape, including itself.
  var placeCount: Int {
    1 + elements.reduce(0) { $0 + $1.placeCount } + members.reduce(0) { $0 + $1.placeCount }
  }
}

/// The members of the objects of one property.
///
/// Objects with more than ``nameLimit`` names, or with a name that no property can have, are
/// dictionaries: one shape describes all their members. They stay dictionaries, so that the order of the
/// records does not matter.
struct MemberShapes {
  /// Largest number of member names of embedded objects.
  static let nameLimit = 256

  /// The names in the order of first occurrence.
  private(set) var names: [[UInt8]] = []
  private var positions: [[UInt8]: Int] = [:]
  var shapes: [Shape] = []
  /// The number of objects with each member.
  var presence: [Int] = []
  var objectCount = 0
  /// Whether these are the objects of a top-level class, which cannot become dictionaries.
  let isTop: Bool
  /// True if a single shape describes all members.
  private(set) var isDictionary = false

  init(isTop: Bool = false) { self.isTop = isTop }

  /// The position of the member whose name is token `i`; usually `next`.
  mutating func position(of record: JSONRecord, _ i: Int, next: Int) -> Int {
    if isDictionary { return 0 }
    if next < names.count, record.isText(i, names[next]) { return next }
    return position(of: record.bytes(i).bytes)
  }

  /// Adds a member, even if no object has it.
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
