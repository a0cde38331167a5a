import RealmModel
import RealmStorage

/// Reads a schema in the notation of `schema show --format json`, specified in `docs/realm-json.md`.
struct RealmJSONSchemaReader {
  /// Largest size of a schema file in bytes, far more than 65,534 classes need. It is read at once.
  private static let fileByteLimit = 32 << 20

  /// A property without a place in the schema, because a partial export does not have the class that it links to.
  struct LeftOutProperty {
    let classPosition: Int
    let name: Name
  }

  /// How to read a property that links to a missing class.
  enum MissingClasses {
    /// The schema is wrong.
    case refused
    /// The export is partial, so the class was left out; but the property needs it.
    case needed
    /// The export is partial; the property is left out.
    case leftOut
  }

  private let record: JSONRecord
  private let missingClasses: MissingClasses
  private var leftOut: [LeftOutProperty] = []
  /// Positions of the classes, by name.
  private var positions: [[UInt8]: Int] = [:]

  /// Reads a schema in a record.
  ///
  /// - Parameter i: the array of classes.
  /// - Throws: errors of the schema.
  static func read(_ record: JSONRecord, _ i: Int) throws(ValueError) -> ObjectSchema {
    try read(record, i, .refused).schema
  }

  /// Reads a schema in a record.
  ///
  /// - Parameter i: the array of classes.
  /// - Returns: the schema, and the properties that are left out of it.
  /// - Throws: errors of the schema; `classLeftOut`.
  static func read(
    _ record: JSONRecord, _ i: Int, _ missingClasses: MissingClasses
  ) throws(ValueError) -> (schema: ObjectSchema, leftOut: [LeftOutProperty]) {
    var reader = RealmJSONSchemaReader(record, missingClasses)
    guard record.kind(i) == .array else {
      let isExport = record.member(i, "realm") != nil
      throw ValueError(
        .schema((isExport ? "found an export, " : "") + "expected an array of classes"), at: i)
    }
    let classes = record.elements(i)
    for (position, token) in classes.enumerated() {
      let name = try reader.name(try reader.required(token, "name", "a class has no name"))
      guard reader.positions.updateValue(position, forKey: name.bytes) == nil else {
        throw ValueError(.schema("two classes are named \(name)"), at: token)
      }
    }
    var read: [ObjectClass] = []
    for token in classes { read.append(try reader.objectClass(token, position: read.count)) }
    return (ObjectSchema(classes: read), reader.leftOut)
  }

  /// Reads a schema file.
  ///
  /// - Throws: errors of the schema, with its path.
  static func read(path: String) throws(ImportError) -> ObjectSchema {
    let file = try ImportFile(path: path)
    do throws(ImportError) {
      guard file.range.count <= fileByteLimit else {
        throw ImportError(
          .schema(
            "the file has \(file.range.count >> 20) MB, expected at most \(fileByteLimit >> 20) MB")
        )
      }
      let record = try JSONParser().parse(try file.block(file.range), file.range)
      do throws(ValueError) {
        return try read(record, 0)
      } catch {
        throw file.error(error, in: record)
      }
    } catch {
      throw file.located(error)
    }
  }

  private init(_ record: JSONRecord, _ missingClasses: MissingClasses) {
    (self.record, self.missingClasses) = (record, missingClasses)
  }

  private func required(
    _ i: Int, _ member: StaticString, _ why: String
  ) throws(ValueError) -> Int {
    guard record.kind(i) == .object else {
      throw ValueError(.schema("expected an object"), at: i)
    }
    guard let value = record.member(i, member) else { throw ValueError(.schema(why), at: i) }
    return value
  }

  /// A name in the place of a value.
  private func name(_ i: Int) throws(ValueError) -> Name { Name(try record.string(i).bytes) }

  /// A name in the place of a member's name.
  private func memberName(_ i: Int) throws(ValueError) -> Name {
    guard let name = RealmJSONSchema.name(ofMember: record.bytes(i).bytes) else {
      throw ValueError(.schema("expected base64 after \(RealmJSONSchema.base64Prefix)"), at: i)
    }
    return name
  }

  private func flag(_ i: Int, _ member: StaticString) throws(ValueError) -> Bool {
    guard let value = record.member(i, member) else { return false }
    return try record.bool(value)
  }

  // MARK: Classes

  private static let classMembers: [StaticString] = [
    "name", "primaryKey", "embedded", "asymmetric", "keyMember", "properties",
  ]

  private mutating func objectClass(
    _ i: Int, position: Int
  ) throws(ValueError) -> ObjectClass {
    let className = try name(try required(i, "name", "a class has no name"))
    do throws(ValueError) {
      try check(i, members: RealmJSONSchemaReader.classMembers)
      let list = try required(i, "properties", "the class has no properties")
      guard record.kind(list) == .object else {
        throw ValueError(.schema("expected an object with the properties"), at: list)
      }
      let isEmbedded = try flag(i, "embedded")
      var primaryName: Name?
      if let token = record.member(i, "primaryKey"), record.kind(token) != .null {
        primaryName = try name(token)
      }
      var properties: [Property] = []
      var primaryKey: Int?
      for token in record.names(list) {
        let propertyName = try memberName(token)
        let isPrimary = propertyName == primaryName
        do throws(ValueError) {
          let property = try property(token + 1, propertyName, isPrimaryKey: isPrimary)
          if isPrimary { primaryKey = properties.count }
          properties.append(property)
        } catch {
          guard case .classLeftOut = error.kind, missingClasses == .leftOut else { throw error }
          leftOut.append(LeftOutProperty(classPosition: position, name: propertyName))
        }
      }
      if let primaryName, primaryKey == nil {
        throw ValueError(
          .schema("the primary key \(primaryName) is not one of the properties"), at: i)
      }
      let objectClass = ObjectClass(
        name: className,
        kind: isEmbedded ? .embedded : try flag(i, "asymmetric") ? .asymmetric : .topLevel,
        properties: properties, primaryKey: primaryKey)
      if let token = record.member(i, "keyMember") { try check(keyMember: token, of: objectClass) }
      return objectClass
    } catch {
      throw error.adding(className: className.text, property: nil)
    }
  }

  private func check(_ i: Int, members: [StaticString]) throws(ValueError) {
    for token in record.names(i) where !members.contains(where: { record.isText(token, $0) }) {
      throw ValueError(.schema("the member \(record.bytes(token).text) is unknown"), at: token)
    }
  }

  /// Checks the name of the object key's member, which follows from the class.
  private func check(keyMember i: Int, of objectClass: ObjectClass) throws(ValueError) {
    guard let member = RealmJSONSchema.keyMember(of: objectClass) else {
      throw ValueError(
        .schema("only objects of classes without a primary key have a keyMember"), at: i)
    }
    guard record.kind(i) == .string, record.isText(i, Array(member.utf8)) else {
      throw ValueError(.schema("the keyMember of this class is \(member)"), at: i)
    }
  }

  // MARK: Properties

  /// The facts in a type.
  private struct Notation {
    var type: PropertyType = .mixed
    var isOptional = false
    var collection: CollectionKind?
    var target: Int?
  }

  private static let propertyMembers: [StaticString] = [
    "type", "objectType", "optional", "collection", "keyType", "indexed", "fulltext",
  ]

  private func property(
    _ i: Int, _ name: Name, isPrimaryKey: Bool
  ) throws(ValueError) -> Property {
    var notation: Notation
    var index: PropertyIndex?
    var hasIntegerKeys = false
    if record.kind(i) == .string {
      notation = try short(i)
    } else {
      let type = try required(i, "type", "the property has no type")
      try check(i, members: RealmJSONSchemaReader.propertyMembers)
      guard record.kind(type) == .string else {
        throw ValueError(.schema("expected a type"), at: type)
      }
      notation = record.isText(type, "object") ? try long(i) : try short(type)
      if try flag(i, "optional") { notation.isOptional = true }
      if let token = record.member(i, "collection") {
        notation.collection = try collection(token)
      }
      if let token = record.member(i, "keyType") {
        guard record.isText(token, "int") || record.isText(token, "string") else {
          throw ValueError(.schema("the keys of dictionaries are int or string"), at: token)
        }
        hasIntegerKeys = record.isText(token, "int")
      }
      if try flag(i, "indexed") { index = .search }
      if try flag(i, "fulltext") { index = .fulltext }
    }
    return Property(
      name: name, type: notation.type,
      isOptional: notation.isOptional
        || TypeNotation.isAlwaysOptional(notation.type, notation.collection),
      collection: notation.collection, target: notation.target,
      index: isPrimaryKey ? .search : index, hasIntegerKeys: hasIntegerKeys)
  }

  /// A type in one word: `string?[]`.
  private func short(_ i: Int) throws(ValueError) -> Notation {
    let short = TypeNotation(record.bytes(i).bytes)
    var notation = Notation()
    (notation.isOptional, notation.collection) = (short.isOptional, short.collection)
    switch short.kind {
    case .type(let type): notation.type = type
    case .objects(let name):
      notation.type = .link
      notation.target = try target(name, at: i)
    }
    return notation
  }

  private func long(_ i: Int) throws(ValueError) -> Notation {
    let type = try required(i, "objectType", "the links have no objectType")
    var notation = Notation()
    notation.type = .link
    notation.target = try target(try name(type).bytes, at: type)
    return notation
  }

  private func target(_ name: [UInt8], at i: Int) throws(ValueError) -> Int {
    guard let position = positions[name] else {
      throw ValueError(
        missingClasses == .refused
          ? .schema("no type or class is named \(Name(name))") : .classLeftOut(Name(name).text),
        at: i)
    }
    return position
  }

  private func collection(_ i: Int) throws(ValueError) -> CollectionKind {
    switch record.kind(i) == .string ? record.bytes(i).text : "" {
    case "list": return .list
    case "set": return .set
    case "dictionary": return .dictionary
    default: throw ValueError(.schema("a collection is list, set or dictionary"), at: i)
    }
  }
}
