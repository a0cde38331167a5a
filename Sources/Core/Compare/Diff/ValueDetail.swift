public import RealmModel

/// One place where two values differ: a property, a property of an embedded object, or an element of a collection.
public struct ValueDetail: Sendable {
  /// A value, and the property that says how to write it.
  public struct Side: Sendable {
    public let value: RealmValue
    public let property: Property
    /// Whether the value is an element of the property's collection.
    public let isElement: Bool
  }

  /// Where the values are, such as `address.street`, `tags[3]` or `ratings["a"]`. The position in a list is the new
  /// one; that of a removed element is the old one. Members of sets have no position.
  public let path: String
  /// The old value; nil if there was none.
  public let old: Side?
  /// The new value; nil if there is none.
  public let new: Side?
}

extension ValueDetail {
  /// The places where two values of a property differ.
  ///
  /// - Parameters:
  ///   - old: nil if there was no object.
  ///   - schema: the schema with the property and with the classes of embedded objects.
  package static func all(
    from old: RealmValue?, to new: RealmValue, of property: Property, in schema: ObjectSchema
  ) -> [ValueDetail] {
    var details = ValueDetails(schemas: SchemaPair(schema, schema, ignored: [:]))
    details.add(
      path: property.name.text,
      old.map { Side(value: $0, property: property, isElement: false) },
      Side(value: new, property: property, isElement: false))
    return details.all
  }
}

extension RealmDiff {
  /// The places where the values of a changed property differ.
  ///
  /// Elements of lists are matched by their longest common subsequence, in lists of more than 10,000 elements by
  /// position.
  public func details(of value: ObjectChange.Value, in change: ObjectChange) -> [ValueDetail] {
    var details = ValueDetails(schemas: schemas)
    details.add(
      path: value.name.text, side(of: value.old, oldProperty(of: value, in: change)),
      side(of: value.new, newProperty(of: value, in: change)))
    return details.all
  }

  private func side(of value: RealmValue?, _ property: Property?) -> ValueDetail.Side? {
    guard let value, let property else { return nil }
    return ValueDetail.Side(value: value, property: property, isElement: false)
  }

  /// The property of a changed value in the old realm; nil if that has no such property.
  public func oldProperty(of value: ObjectChange.Value, in change: ObjectChange) -> Property? {
    guard let position = change.classes.old, let property = value.oldPosition else { return nil }
    return schemas.old.classes[position].properties[property]
  }

  /// The property of a changed value in the new realm; nil if that has no such property.
  public func newProperty(of value: ObjectChange.Value, in change: ObjectChange) -> Property? {
    guard let position = change.classes.new, let property = value.newPosition else { return nil }
    return schemas.new.classes[position].properties[property]
  }

  /// The schemas of both realms.
  public var objectSchemas: (old: ObjectSchema, new: ObjectSchema) { (schemas.old, schemas.new) }
}

/// Collects the places where two values differ.
struct ValueDetails {
  private let schemas: SchemaPair
  private(set) var all: [ValueDetail] = []

  /// Lists with more elements are compared by position.
  private static let subsequenceLimit = 10_000

  init(schemas: SchemaPair) { self.schemas = schemas }

  typealias Side = ValueDetail.Side

  mutating func add(path: String, _ old: Side?, _ new: Side?) {
    guard let old, let new else {
      if old != nil || new != nil { append(path, old, new) }
      return
    }
    guard ComparedValue(old.value) != ComparedValue(new.value) else { return }
    let isMixed = old.property.type == .mixed && new.property.type == .mixed
    let kind = old.isElement ? nil : old.property.collection
    guard kind == (new.isElement ? nil : new.property.collection) else {
      return append(path, old, new)
    }
    switch (old.value, new.value) {
    case (.list(let a), .list(let b)) where kind == .set:
      add(path: path, membersOf: (a, old), (b, new))
    case (.list(let a), .list(let b)) where kind == .list || isMixed:
      add(path: path, elementsOf: (a, old), (b, new))
    case (.dictionary(let a), .dictionary(let b)) where kind == .dictionary || isMixed:
      add(path: path, entriesOf: (a, old), (b, new))
    case (.object(let a), .object(let b)):
      guard let oldClass = old.property.target, let newClass = new.property.target,
        let pairs = schemas.properties(oldClass, newClass)
      else { return append(path, old, new) }
      for pair in pairs {
        let before = pair.old.map {
          Side(
            value: a[$0], property: schemas.old.classes[oldClass].properties[$0], isElement: false)
        }
        let after = pair.new.map {
          Side(
            value: b[$0], property: schemas.new.classes[newClass].properties[$0], isElement: false)
        }
        let name = (before ?? after)?.property.name.text ?? ""
        add(path: "\(path).\(name)", before, after)
      }
    default: append(path, old, new)
    }
  }

  private mutating func append(_ path: String, _ old: Side?, _ new: Side?) {
    all.append(ValueDetail(path: path, old: old, new: new))
  }

  private func element(_ value: RealmValue, of side: Side) -> Side {
    Side(value: value, property: side.property, isElement: true)
  }

  private mutating func add(
    path: String, membersOf old: ([RealmValue], Side), _ new: ([RealmValue], Side)
  ) {
    let (before, after) = (Set(old.0.map(ComparedValue.init)), Set(new.0.map(ComparedValue.init)))
    for member in old.0 where !after.contains(ComparedValue(member)) {
      append(path, element(member, of: old.1), nil)
    }
    for member in new.0 where !before.contains(ComparedValue(member)) {
      append(path, nil, element(member, of: new.1))
    }
  }

  private mutating func add(
    path: String, entriesOf old: ([RealmEntry], Side), _ new: ([RealmEntry], Side)
  ) {
    let after = Dictionary(
      new.0.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
    let before = Set(old.0.map(\.key))
    func place(_ key: RealmValue) -> String {
      switch key {
      case .string(let text): "\(path)[\"\(text)\"]"
      case .int(let number): "\(path)[\(number)]"
      case .malformedString(let bytes):
        "\(path)[\"\(String(decoding: bytes, as: UTF8.self))\"]"
      default: "\(path)[null]"
      }
    }
    for entry in old.0 {
      add(
        path: place(entry.key), element(entry.value, of: old.1),
        after[entry.key].map { element($0, of: new.1) })
    }
    for entry in new.0 where !before.contains(entry.key) {
      add(path: place(entry.key), nil, element(entry.value, of: new.1))
    }
  }

  private mutating func add(
    path: String, elementsOf old: ([RealmValue], Side), _ new: ([RealmValue], Side)
  ) {
    let (a, b) = (old.0, new.0)
    guard max(a.count, b.count) <= ValueDetails.subsequenceLimit else {
      for i in 0..<max(a.count, b.count) {
        add(
          path: "\(path)[\(i)]", i < a.count ? element(a[i], of: old.1) : nil,
          i < b.count ? element(b[i], of: new.1) : nil)
      }
      return
    }
    for gap in CommonSubsequence.gaps(a.map(ComparedValue.init), b.map(ComparedValue.init)) {
      // What replaces something is one change.
      for i in 0..<max(gap.old.count, gap.new.count) {
        let before = i < gap.old.count ? gap.old.lowerBound + i : nil
        let after = i < gap.new.count ? gap.new.lowerBound + i : nil
        add(
          path: "\(path)[\(after ?? before ?? 0)]", before.map { element(a[$0], of: old.1) },
          after.map { element(b[$0], of: new.1) })
      }
    }
  }
}

/// A value that equals another one as in ``BatchEquality``: floating-point numbers by their bits, except that all NaNs
/// are equal, and links by the identity of their targets.
struct ComparedValue: Hashable {
  let value: RealmValue

  init(_ value: RealmValue) { self.value = value }

  static func == (a: ComparedValue, b: ComparedValue) -> Bool {
    switch (a.value, b.value) {
    case (.float(let x), .float(let y)): x.bitPattern == y.bitPattern || x.isNaN && y.isNaN
    case (.double(let x), .double(let y)): x.bitPattern == y.bitPattern || x.isNaN && y.isNaN
    case (.decimal(let x), .decimal(let y)): x.low == y.low && x.high == y.high
    case (.link(let x), .link(let y)):
      x.classPosition == y.classPosition && x.isUnresolved == y.isUnresolved
        && (x.primaryKey.isEmpty && y.primaryKey.isEmpty
          ? x.key == y.key : x.primaryKey == y.primaryKey)
    case (.object(let x), .object(let y)), (.list(let x), .list(let y)):
      x.count == y.count && zip(x, y).allSatisfy { ComparedValue($0) == ComparedValue($1) }
    case (.dictionary(let x), .dictionary(let y)):
      x.count == y.count
        && zip(x, y).allSatisfy {
          $0.key == $1.key && ComparedValue($0.value) == ComparedValue($1.value)
        }
    case (let x, let y): x == y
    }
  }

  func hash(into hasher: inout Hasher) {
    switch value {
    case .float(let number): hasher.combine(number.isNaN ? 0 : number.bitPattern)
    case .double(let number): hasher.combine(number.isNaN ? 0 : number.bitPattern)
    case .decimal(let number): hasher.combine(number.low)
    case .link(let link): hasher.combine(link.primaryKey)
    case .object(let values), .list(let values):
      for value in values { ComparedValue(value).hash(into: &hasher) }
    case .dictionary(let entries): hasher.combine(entries.count)
    default: hasher.combine(value)
    }
  }
}
