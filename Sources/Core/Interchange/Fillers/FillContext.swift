import RealmModel
import RealmStorage
import Synchronization

/// The facts that all fillers of an import share.
final class FillContext: Sendable {
  let schema: ObjectSchema
  /// The classes of the collected objects: ``schema`` or its staged form.
  let filledSchema: ObjectSchema
  let options: ImportOptions
  /// True if the input is not Realm JSON: null then also means an empty collection.
  let isForeign: Bool
  /// Whether the keys of dictionaries have the escapes of ``DocumentKey``.
  let unescapesKeys: Bool
  /// Positions of the classes with member names as in MongoDB documents.
  private let documents: Set<Int>
  /// Positions of the classes, by name.
  private let positions: [[UInt8]: Int]
  /// Whether the input is an export without some classes.
  private let isPartial: Bool
  /// The properties of the input that the schema does not have, because they link to classes that the input does not
  /// have.
  let leftOut: [RealmJSONSchemaReader.LeftOutProperty]
  private let subtypes = Atomic(0)

  /// - Parameters:
  ///   - isForeign: whether the input is not Realm JSON.
  ///   - unescapesKeys: whether the keys of dictionaries have the escapes of ``DocumentKey``.
  ///   - documents: positions of the classes with member names as in MongoDB documents.
  ///   - isPartial: whether the input is an export without some classes.
  ///   - leftOut: properties of the input that the schema does not have.
  init(
    _ schema: ObjectSchema, _ options: ImportOptions, isForeign: Bool = false,
    unescapesKeys: Bool = false, documents: Set<Int> = [], isPartial: Bool = false,
    leftOut: [RealmJSONSchemaReader.LeftOutProperty] = []
  ) {
    (self.isPartial, self.leftOut) = (isPartial, leftOut)
    (self.schema, self.options) = (schema, options)
    filledSchema = options.isStaged ? schema.staged : schema
    (self.isForeign, self.unescapesKeys, self.documents) = (isForeign, unescapesKeys, documents)
    positions = Dictionary(
      schema.appClasses.map { (schema.classes[$0].name.bytes, $0) }, uniquingKeysWith: { a, _ in a }
    )
  }

  /// The class named by the string in token `i`.
  func classPosition(_ record: JSONRecord, _ i: Int) throws(ValueError) -> Int {
    let name = try record.string(i)
    guard let position = positions[name.bytes] else {
      throw ValueError(.unknownClass(name.text), at: i)
    }
    return position
  }

  /// The class named by the string in token `i` of a link; nil if a partial export does not have it and its links become
  /// null.
  func linkedClass(_ record: JSONRecord, _ i: Int) throws(ValueError) -> Int? {
    do throws(ValueError) {
      return try classPosition(record, i)
    } catch {
      guard isPartial, case .unknownClass(let name) = error.kind else { throw error }
      guard options.nullsMissingLinks else { throw ValueError(.classLeftOut(name), at: i) }
      return nil
    }
  }

  /// The position of the class with this name; nil if there is none.
  func classPosition(named name: [UInt8]) -> Int? { positions[name] }

  /// Number of binaries that lost a subtype unknown to realms.
  var lostSubtypes: Int { subtypes.load(ordering: .relaxed) }

  func noteLostSubtype() { subtypes.add(1, ordering: .relaxed) }

  // MARK: Names of members

  /// The member names of the properties of a class.
  func memberNames(_ classPosition: Int) -> [[UInt8]] {
    let objectClass = schema.classes[classPosition]
    return objectClass.properties.indices.map {
      RealmJSONSchema.memberText(
        documents.contains(classPosition)
          ? EJSONStyle.name(of: $0, in: objectClass) : objectClass.properties[$0].name)
    }
  }

  /// The member names of the properties that are left out of a class.
  func leftOutNames(_ classPosition: Int) -> [[UInt8]] {
    leftOut.filter { $0.classPosition == classPosition }.map { RealmJSONSchema.memberText($0.name) }
  }

  /// The name of the primary key, if the objects are MongoDB documents and have it in another member.
  func replacedKeyMember(_ classPosition: Int) -> [UInt8]? {
    let objectClass = schema.classes[classPosition]
    guard documents.contains(classPosition), let primaryKey = objectClass.primaryKey else {
      return nil
    }
    return RealmJSONSchema.memberText(objectClass.properties[primaryKey].name)
  }

  /// The name of the member with the object key; nil if the class has no object keys.
  func keyMember(_ classPosition: Int) -> [UInt8]? {
    guard let member = RealmJSONSchema.keyMember(of: schema.classes[classPosition]) else {
      return nil
    }
    return Array((documents.contains(classPosition) ? EJSONStyle.identityName : member).utf8)
  }
}

extension ObjectSchema {
  /// The classes for objects to add to a realm. Single values may be missing, except primary keys and values
  /// of embedded objects. No property has an index, and the last property of each class that is not
  /// embedded stores the ``AddedMark``.
  var staged: ObjectSchema {
    ObjectSchema(classes: classes.map(\.staged), appClasses: appClasses)
  }
}

extension ObjectClass {
  fileprivate var staged: ObjectClass {
    let isEmbedded = kind == .embedded
    var staged = properties.enumerated().map { (i, property) in
      Property(
        name: property.name, type: property.type,
        isOptional: property.isOptional
          || !isEmbedded && property.collection == nil && i != primaryKey,
        collection: property.collection, target: property.target, index: nil,
        hasIntegerKeys: property.hasIntegerKeys)
    }
    if !isEmbedded {
      staged.append(Property(name: freeName, type: .binary, isOptional: true))
    }
    return ObjectClass(
      name: name, isInternal: isInternal, kind: kind, properties: staged, primaryKey: primaryKey)
  }

  /// A name unused in the class.
  private var freeName: Name {
    var name = Name("mark")
    while properties.contains(where: { $0.name == name }) { name = Name(name.text + "_") }
    return name
  }
}
