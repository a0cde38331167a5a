package import RealmModel
package import RealmStorage

/// How to add objects to a realm.
package struct MergeRequest: Sendable {
  /// What to do with an added object that the realm already has.
  package enum Mode: Sendable {
    /// The merge fails.
    case insert
    /// The added values replace those of the existing object. Properties without an added value stay.
    case upsert
    /// The added object replaces the existing one. Properties without an added value get default values.
    case replace
  }

  package var mode = Mode.insert
  /// Whether links to missing objects become null, and disappear from lists and sets. If false, the builder
  /// refuses them.
  package var dropsMissingTargets = false
  /// The most added objects to report together because the realm already has them, in ``MergeError/others``.
  package var errorLimit = 1
  /// The most bytes of memory for sorting primary keys.
  package var memoryByteCount = 256 << 20

  package init() {}
}

/// The realms to merge.
package struct MergeInput: Sendable {
  /// The realm that receives the objects; nil for a new realm.
  let existing: Realm?
  /// The realm with the objects to add.
  let added: Realm
  /// Names of the classes whose added objects had object keys in their source.
  let classesWithKeys: Set<Name>
  /// The schema of the result. The classes of `existing` have the same positions in it.
  let schema: ObjectSchema
  /// The tables of the added realm, by position of the class in the result; nil for a class without one.
  let addedTables: [Table?]
  /// The positions of the classes in the result, by position in the added realm.
  let positions: [Int]

  /// - Parameter schema: the schema of the result if there is no existing realm.
  package init(
    existing: Realm?, added: Realm, classesWithKeys: Set<Name>, schema: ObjectSchema
  ) {
    (self.existing, self.added) = (existing, added)
    self.classesWithKeys = classesWithKeys
    let schema = existing?.schema.objects ?? schema
    self.schema = schema
    let byName = Dictionary(
      schema.appClasses.map { (schema.classes[$0].name, $0) }, uniquingKeysWith: { a, _ in a })
    var tables: [Table?] = Array(repeating: nil, count: schema.classes.count)
    var positions: [Int] = []
    for table in added.schema.tables {
      let position = table.isClass ? byName[table.className] : nil
      if let position { tables[position] = table }
      // No link refers to the other tables.
      positions.append(position ?? 0)
    }
    (addedTables, self.positions) = (tables, positions)
  }
}

/// The values that an added object lacks, stored in the last property of its class.
///
/// ```
/// bit i   the object has no value for property i
/// ```
package struct AddedMark: Sendable {
  private var bytes: [UInt8]

  package init(propertyCount: Int) {
    bytes = Array(repeating: 0, count: (propertyCount + 7) / 8)
  }

  init(_ bytes: ByteSlice) { self.bytes = bytes.bytes }

  package mutating func insert(_ bit: Int) { bytes[bit / 8] |= 1 << UInt8(bit % 8) }

  func contains(_ bit: Int) -> Bool { bytes[bit / 8] >> UInt8(bit % 8) & 1 != 0 }

  /// The value to store; nil if the object lacks no value.
  package var stored: [UInt8]? { bytes.allSatisfy { $0 == 0 } ? nil : bytes }
}

/// Why objects cannot be added.
package struct MergeError: Error {
  package enum Kind {
    /// A realm cannot be read.
    case file(RealmFileError)
    /// The realm has an object with this identity.
    case exists(identity: RealmValue)
    /// A new object lacks a value for a required property.
    case missingProperty
    /// The class has no keys left for more objects.
    case tooMany
  }

  package let kind: Kind
  /// Position of the class in the schema of the result, if known.
  package let classPosition: Int?
  /// Position of the property, if known.
  package let property: Int?
  /// Key of the object in the added realm, if known.
  package let addedKey: ObjectKey?
  /// Further errors, if the caller asked for several.
  package private(set) var others: [MergeError] = []

  init(
    _ kind: Kind, classPosition: Int? = nil, property: Int? = nil, addedKey: ObjectKey? = nil
  ) {
    (self.kind, self.classPosition) = (kind, classPosition)
    (self.property, self.addedKey) = (property, addedKey)
  }
}

extension MergeError {
  /// Adds the position of the class to the error and to ``others``.
  func placed(in classPosition: Int) -> MergeError {
    var error = MergeError(
      kind, classPosition: classPosition, property: property, addedKey: addedKey)
    error.others = others.map { $0.placed(in: classPosition) }
    return error
  }

  /// All errors as one, at most `limit` of them; nil if there are none.
  static func joined(_ errors: [MergeError], limit: Int) -> MergeError? {
    let all = errors.flatMap { [$0] + $0.others }.prefix(limit)
    guard var first = all.first else { return nil }
    first.others = Array(all.dropFirst())
    return first
  }

  /// Number of added objects of the class before the one with ``addedKey``; nil if the objects had keys in their
  /// source.
  package func addedNumber(in objectClass: ObjectClass) -> Int? {
    guard let key = addedKey else { return nil }
    guard objectClass.primaryKey == nil else { return Int(key.raw) }
    return GlobalKey(squeezed: key).map { Int($0.low) }
  }
}

/// Evaluates `work`, and converts its errors to errors of the merge.
@discardableResult
func inMerge<Value>(
  _ work: @autoclosure () throws(RealmFileError) -> Value
) throws(MergeError) -> Value {
  do throws(RealmFileError) {
    return try work()
  } catch {
    throw MergeError(.file(error))
  }
}
