import RealmModel
import RealmStorage

/// An inferred schema: classes with property types that fit all their values.
struct SchemaDraft {
  /// Longest name of a class in bytes (chapter 3, section 1.3).
  private static let classNameByteLimit = 57
  /// Bytes of an underscore and the largest number of a class.
  private static let endingByteLimit = 1 + String(ShapeCollector.placeLimit).utf8.count

  struct Member {
    let name: Name
    var type: PropertyType = .mixed
    var isOptional = false
    var collection: CollectionKind?
    var target: Int?
    var isIndexed = false

    /// The type for messages.
    func notation(_ schema: ObjectSchema) -> String {
      let notation = PropertyNotation(property, isPrimaryKey: false, schema)
      return notation.short ?? notation.long
    }

    fileprivate var property: Property {
      Property(
        name: name, type: type, isOptional: isOptional, collection: collection, target: target,
        index: isIndexed ? .search : nil)
    }
  }

  struct Class {
    let name: Name
    let isEmbedded: Bool
    var members: [Member] = []
    var primaryKey: Int?
  }

  /// The classes; each is followed by the classes embedded in it.
  private(set) var classes: [Class] = []
  private let names: [Name]
  /// The names in use.
  private var taken: Set<Name>
  /// The last number used for each start of the names of embedded classes.
  private var numbers: [Name: Int] = [:]

  /// - Parameter names: names of the top-level classes, by number.
  init(names: [Name]) { (self.names, taken) = (names, Set(names)) }

  var schema: ObjectSchema {
    ObjectSchema(
      classes: classes.map { draft in
        ObjectClass(
          name: draft.name, kind: draft.isEmbedded ? .embedded : .topLevel,
          properties: draft.members.enumerated().map { (i, member) in
            var member = member
            if i == draft.primaryKey { member.isIndexed = true }
            return member.property
          }, primaryKey: draft.primaryKey)
      })
  }

  /// Number of properties of all classes.
  var memberCount: Int { classes.reduce(0) { $0 + $1.members.count } }

  /// Adds a class.
  ///
  /// - Parameters:
  ///   - number: position of the class among the names.
  ///   - hasDocuments: whether `_id` becomes the primary key if its type allows it.
  mutating func add(_ shapes: MemberShapes, of number: Int, hasDocuments: Bool) {
    let position = append(shapes, names[number], isEmbedded: false)
    guard hasDocuments,
      let identity = classes[position].members.firstIndex(where: {
        $0.name.text == EJSONStyle.identityName
      })
    else { return }
    let member = classes[position].members[identity]
    if member.canBeKey, !member.isOptional { classes[position].primaryKey = identity }
  }

  private mutating func append(_ shapes: MemberShapes, _ name: Name, isEmbedded: Bool) -> Int {
    let position = classes.count
    classes.append(Class(name: name, isEmbedded: isEmbedded))
    for (i, shape) in shapes.shapes.enumerated() {
      // A name that only looks escaped stays unchanged.
      let memberName = RealmJSONSchema.name(ofMember: shapes.names[i]) ?? Name(shapes.names[i])
      let isMissing = shapes.presence[i] < shapes.objectCount
      let member = member(memberName, shape, isMissing: isMissing, in: name)
      classes[position].members.append(member)
    }
    return position
  }

  // MARK: Types

  private mutating func member(
    _ name: Name, _ shape: Shape, isMissing: Bool, in className: Name
  ) -> Member {
    var member = Member(name: name)
    switch shape.kinds.subtracting(.null) {
    case .list:
      member.collection = .list
      setElement(&member, shape.elements.first ?? Shape(), in: className)
    case .object:
      guard let members = shape.members.first else { break }
      guard !members.isDictionary, !members.names.isEmpty else {
        member.collection = .dictionary
        setElement(&member, members.shapes.first ?? Shape(), in: className)
        break
      }
      setEmbedded(&member, members, in: className)
      member.isOptional = true
    default:
      member.type = shape.scalarType ?? .mixed
      member.isOptional =
        isMissing || shape.kinds.contains(.null) || member.type == .mixed
        || shape.kinds.contains(.emptyField) && member.type != .string
    }
    return member
  }

  /// Sets the element type of a collection.
  private mutating func setElement(_ member: inout Member, _ shape: Shape, in className: Name) {
    let hasNull = shape.kinds.contains(.null)
    let isDictionary = member.collection == .dictionary
    if shape.kinds.subtracting(.null) == .object, isDictionary || !hasNull,
      let members = shape.members.first, !members.isDictionary, !members.names.isEmpty
    {
      setEmbedded(&member, members, in: className)
      member.isOptional = isDictionary
    } else {
      member.type = shape.scalarType ?? .mixed
      member.isOptional = hasNull || member.type == .mixed
    }
  }

  private mutating func setEmbedded(
    _ member: inout Member, _ members: MemberShapes, in className: Name
  ) {
    member.type = .link
    member.target = append(
      members, freeName("\(className.text)_\(member.name.text)"), isEmbedded: true)
  }

  /// `name`, shortened to the longest allowed length, with a number if it is in use.
  private mutating func freeName(_ name: String) -> Name {
    var free = SchemaDraft.shortened(name, by: 0)
    // Names with the same start share their numbers, so no number is tried twice.
    let start = SchemaDraft.shortened(name, by: SchemaDraft.endingByteLimit)
    while !taken.insert(free).inserted {
      let number = numbers[start, default: 1] + 1
      numbers[start] = number
      let ending = "_\(number)"
      free = Name(SchemaDraft.shortened(name, by: ending.utf8.count).text + ending)
    }
    return free
  }

  private static func shortened(_ name: String, by count: Int) -> Name {
    var name = Substring(name)
    while name.utf8.count > classNameByteLimit - count { name.removeLast() }
    return Name(String(name))
  }

  // MARK: Keys and indexes

  /// Makes properties primary keys.
  ///
  /// - Parameter wishes: `property` or `Class.property`.
  /// - Throws: `request` for properties that do not exist or cannot be primary keys.
  mutating func setKeys(_ wishes: [String]) throws(ImportError) {
    for wish in wishes {
      for (position, member) in try places(of: wish, embeddedToo: false) {
        guard classes[position].members[member].canBeKey else {
          let type = classes[position].members[member].notation(schema)
          throw ImportError(.request(.notAKey(wish, type: type)))
        }
        classes[position].primaryKey = member
      }
    }
  }

  /// Gives properties an index.
  ///
  /// - Parameter wishes: `property` or `Class.property`.
  /// - Throws: `request` for properties that do not exist or cannot have an index.
  mutating func setIndexes(_ wishes: [String]) throws(ImportError) {
    for wish in wishes {
      for (position, member) in try places(of: wish, embeddedToo: true) {
        guard classes[position].members[member].canHaveIndex else {
          let type = classes[position].members[member].notation(schema)
          throw ImportError(.request(.notIndexable(wish, type: type)))
        }
        classes[position].members[member].isIndexed = true
      }
    }
  }

  /// The property named by `wish` in one class; without a class, the properties with this name in all
  /// classes.
  private func places(
    of wish: String, embeddedToo: Bool
  ) throws(ImportError) -> [(position: Int, member: Int)] {
    var (exact, loose): ([(Int, Int)], [(Int, Int)]) = ([], [])
    for (position, draft) in classes.enumerated() where embeddedToo || !draft.isEmbedded {
      for (i, member) in draft.members.enumerated() {
        if wish == "\(draft.name.text).\(member.name.text)" { exact.append((position, i)) }
        if wish == member.name.text, !draft.isEmbedded { loose.append((position, i)) }
      }
    }
    let places = exact.isEmpty ? loose : exact
    guard !places.isEmpty else { throw ImportError(.request(.noSuchProperty(wish))) }
    return places
  }
}

extension SchemaDraft.Member {
  /// Whether a primary key can have this type.
  fileprivate var canBeKey: Bool {
    collection == nil && type.canBePrimaryKey
  }

  /// Whether a property of this type can have a search index.
  fileprivate var canHaveIndex: Bool {
    switch collection {
    case nil: [.int, .bool, .string, .timestamp, .objectId, .uuid, .mixed].contains(type)
    case .list: type == .string
    case .set, .dictionary: false
    }
  }
}

extension Shape {
  /// The type that fits all values as single values; nil if only mixed fits.
  fileprivate var scalarType: PropertyType? {
    var kinds = kinds.subtracting([.null, .emptyField])
    if kinds.contains(.string) {
      kinds.remove(.string)
      kinds.insert(forms.kind)
    }
    let numbers = kinds.intersection([.beyondDouble, .beyondDecimal])
    kinds.subtract(numbers)
    switch kinds {
    case [] where self.kinds.contains(.emptyField): return .string
    case .bool: return .bool
    case .int: return .int
    case .double, [.int, .double], [.largeInt, .double], [.int, .largeInt, .double]:
      guard numbers.contains(.beyondDouble) else { return .double }
      return numbers.contains(.beyondDecimal) ? nil : .decimal
    case .decimal, .largeInt, [.int, .largeInt], [.int, .decimal], [.largeInt, .decimal],
      [.int, .largeInt, .decimal]:
      return .decimal
    case .string: return .string
    case .date: return .timestamp
    case .objectId: return .objectId
    case .uuid: return .uuid
    case .binary: return .binary
    default: return nil
    }
  }
}
