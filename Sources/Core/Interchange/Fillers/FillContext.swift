import RealmModel
import RealmStorage

/// What all fillers of an import know.
final class FillContext: Sendable {
  let schema: ObjectSchema
  /// The classes of the objects that come out: those of ``schema``, or staged ones.
  let filledSchema: ObjectSchema
  let options: ImportOptions
  /// The text is not Realm JSON: null also stands for an empty collection.
  let isForeign: Bool
  /// Positions of the classes whose members are named as in documents of MongoDB.
  private let documents: Set<Int>
  /// Positions of the classes, by name.
  private let positions: [[UInt8]: Int]

  /// - Parameter documents: positions of the classes whose members are named as in documents of MongoDB.
  init(
    _ schema: ObjectSchema, _ options: ImportOptions, isForeign: Bool = false,
    documents: Set<Int> = []
  ) {
    (self.schema, self.options) = (schema, options)
    filledSchema = options.isStaged ? schema.staged : schema
    (self.isForeign, self.documents) = (isForeign, documents)
    positions = Dictionary(
      schema.appClasses.map { (schema.classes[$0].name.bytes, $0) }, uniquingKeysWith: { a, _ in a }
    )
  }

  /// The class that a name in the place of a value stands for.
  func classPosition(_ record: JSONRecord, _ i: Int) throws(ValueError) -> Int {
    let name = try record.string(i)
    guard let position = positions[name.bytes] else {
      throw ValueError(.unknownClass(name.text), at: i)
    }
    return position
  }

  /// The class of this name; nil where there is none.
  func classPosition(named name: [UInt8]) -> Int? { positions[name] }

  // MARK: Names of members

  /// The names of the properties of a class as members.
  func memberNames(_ classPosition: Int) -> [[UInt8]] {
    let objectClass = schema.classes[classPosition]
    return objectClass.properties.indices.map {
      RealmJSONSchema.memberText(
        documents.contains(classPosition)
          ? EJSONStyle.name(of: $0, in: objectClass) : objectClass.properties[$0].name)
    }
  }

  /// The member with the object key; nil for classes whose objects have none in the text.
  func keyMember(_ classPosition: Int) -> [UInt8]? {
    guard let member = RealmJSONSchema.keyMember(of: schema.classes[classPosition]) else {
      return nil
    }
    return Array((documents.contains(classPosition) ? EJSONStyle.identityName : member).utf8)
  }
}
