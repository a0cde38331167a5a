package import RealmStorage

/// How objects are added to those of a realm.
package struct MergeRequest: Sendable {
  /// What an object becomes that has the identity of one in the realm.
  package enum Mode: Sendable {
    /// It is an error.
    case insert
    /// Its values replace those of the other, but for properties that it does not have.
    case upsert
    /// It replaces the other. Properties that it does not have get their default values.
    case replace
  }

  package var mode = Mode.insert
  /// Links to objects that are nowhere become null, or are left out of lists and sets; otherwise the builder
  /// refuses them.
  package var dropsMissingTargets = false
  /// Bytes for sorting primary keys.
  package var memoryByteCount = 256 << 20

  package init() {}
}

/// Realms whose objects become those of one.
package struct MergeInput: Sendable {
  /// The realm that objects are added to; nil for a new one.
  let existing: Realm?
  /// The objects that are added.
  let added: Realm
  /// Names of the classes whose added objects came with object keys.
  let classesWithKeys: Set<Name>
  /// The classes of the result: those of `existing`, in the same positions.
  let schema: ObjectSchema

  /// - Parameter schema: of the result, where there is no existing realm.
  package init(
    existing: Realm?, added: Realm, classesWithKeys: Set<Name>, schema: ObjectSchema
  ) {
    (self.existing, self.added) = (existing, added)
    self.classesWithKeys = classesWithKeys
    self.schema = existing?.schema.objects ?? schema
  }

  /// The table of a class of the result in the realm of the added objects.
  func addedTable(_ position: Int) -> Table? {
    let name = schema.classes[position].name
    return added.schema.tables.first { $0.isClass && $0.className == name }
  }
}

/// What the added objects say about themselves, in the last property of their classes.
///
/// ```
/// bit i         the object has no value for property i
/// bit n         of n properties: the object has links that may be unresolved
/// ```
/// Nil where no bit is set.
package struct AddedMark: Sendable {
  private var bytes: [UInt8]

  package init(propertyCount: Int) {
    bytes = Array(repeating: 0, count: propertyCount / 8 + 1)
  }

  /// - Parameter bytes: as stored.
  init(_ bytes: ByteSlice) { self.bytes = bytes.bytes }

  package mutating func insert(_ bit: Int) { bytes[bit / 8] |= 1 << UInt8(bit % 8) }

  func contains(_ bit: Int) -> Bool { bytes[bit / 8] >> UInt8(bit % 8) & 1 != 0 }

  /// As stored.
  package var stored: [UInt8]? { bytes.allSatisfy { $0 == 0 } ? nil : bytes }
}

/// Why objects cannot be added.
package struct MergeError: Error {
  package enum Kind {
    /// A realm cannot be read.
    case file(RealmFileError)
    /// The realm has an object of this identity.
    case exists(identity: RealmValue)
    /// A new object has no value for a required property.
    case missingProperty
    /// The class has no room for more objects.
    case tooMany
  }

  package let kind: Kind
  /// Position of the class in the schema of the result.
  package let classPosition: Int?
  /// Position of the property.
  package let property: Int?
  /// Key of the object among the added ones.
  package let addedKey: ObjectKey?

  init(
    _ kind: Kind, classPosition: Int? = nil, property: Int? = nil, addedKey: ObjectKey? = nil
  ) {
    (self.kind, self.classPosition) = (kind, classPosition)
    (self.property, self.addedKey) = (property, addedKey)
  }
}

extension MergeError {
  /// How many added objects of the class come before the one with ``addedKey``, where they came without keys.
  package func addedNumber(in objectClass: ObjectClass) -> Int? {
    guard let key = addedKey else { return nil }
    guard objectClass.primaryKey == nil else { return Int(key.raw) }
    return GlobalKey(squeezed: key).map { Int($0.low) }
  }
}

/// Runs `work` as a part of a merge.
func inMerge<Value>(
  _ work: () throws(RealmFileError) -> Value
) throws(MergeError) -> Value {
  do throws(RealmFileError) {
    return try work()
  } catch {
    throw MergeError(.file(error))
  }
}
