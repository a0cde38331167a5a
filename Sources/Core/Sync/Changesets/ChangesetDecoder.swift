/// Decodes the instructions of a changeset one by one, and makes all checks that do not need the
/// realm (chapter 4, section 3, and rule 11 of section 9).
package struct ChangesetDecoder {
  /// The code for the definition of an interned string, which is not an instruction.
  private static let internCode: Int64 = 63

  /// Maximum number of steps in a path. A step leads one level deeper into embedded objects and collections, and
  /// the reference reads fewer levels.
  private static let pathLimit = 1000

  private var bytes: ChangesetBytes
  private var strings = InternedStrings()

  /// - Parameter bytes: the unwrapped changeset, shorter than 4 GiB.
  package init(_ bytes: [UInt8]) { self.bytes = ChangesetBytes(bytes) }

  /// The byte offset of the next instruction, or of the strings defined before it.
  package var offset: Int { bytes.offset }

  /// The next instruction; nil at the end.
  package mutating func next() throws(ChangesetError) -> Instruction? {
    while !bytes.isAtEnd {
      let start = bytes.offset
      let code = try bytes.signed()
      guard code == ChangesetDecoder.internCode else { return try instruction(code, at: start) }
      try intern()
    }
    return nil
  }

  private mutating func intern() throws(ChangesetError) {
    let start = bytes.offset
    let number = try bytes.count()
    guard number == strings.count else {
      throw ChangesetError(
        "string \(number) is defined, expected string \(strings.count)", at: start)
    }
    guard strings.define(try bytes.literalRange(), in: bytes.bytes) else {
      throw ChangesetError("string \(number) is defined a second time", at: start)
    }
  }

  private mutating func instruction(
    _ code: Int64, at start: Int
  ) throws(ChangesetError) -> Instruction {
    switch code {
    case 0: return try addTable()
    case 1: return .eraseTable(name: try name())
    case 2: return .createObject(table: try name(), key: try identity())
    case 3: return .eraseObject(table: try name(), key: try identity())
    case 4: return try update()
    case 5: return .addInteger(try place(), try bytes.signed())
    case 6: return try addColumn()
    case 7: return .eraseColumn(table: try name(), field: try name())
    case 8:
      let (place, index) = try element()
      let payload = try payload()
      let priorSize = try size(atLeast: index)
      return .arrayInsert(place, payload, priorSize: priorSize)
    case 9:
      let (place, index) = try element()
      let destination = try bytes.count()
      let priorSize = try size(atLeast: max(index, destination) + 1)
      return .arrayMove(place, destination: destination, priorSize: priorSize)
    case 10:
      let (place, index) = try element()
      return .arrayErase(place, priorSize: try size(atLeast: index + 1))
    case 11: return .clear(try place(), try bytes.signed())
    case 12: return .setInsert(try place(), try payload())
    case 13: return .setErase(try place(), try payload())
    default: throw ChangesetError("instruction \(code) is unknown", at: start)
    }
  }

  // MARK: Instructions

  private mutating func addTable() throws(ChangesetError) -> Instruction {
    let name = try name()
    let start = bytes.offset
    guard let kind = Instruction.TableKind(rawValue: try bytes.count()) else {
      throw ChangesetError("the kind of a table is unknown", at: start)
    }
    guard kind != .embedded else { return .addTable(name: name, kind: kind, primaryKey: nil) }
    let field = try self.name()
    let typeStart = bytes.offset
    let type = try type()
    guard [.int, .string, .objectId, .uuid, .globalKey].contains(type) else {
      throw ChangesetError("no primary key can have this type", at: typeStart)
    }
    return .addTable(
      name: name, kind: kind,
      primaryKey: Instruction.PrimaryKeyColumn(
        name: field, type: type, isNullable: try bytes.bool()))
  }

  private mutating func addColumn() throws(ChangesetError) -> Instruction {
    let table = try name()
    let field = try name()
    let typeStart = bytes.offset
    let type = try type()
    guard type.rawValue >= 0 else {
      throw ChangesetError("no property can have this type", at: typeStart)
    }
    let isNullable = try bytes.bool()
    let start = bytes.offset
    guard let collection = Instruction.Collection(rawValue: try bytes.count()) else {
      throw ChangesetError("the kind of a collection is unknown", at: start)
    }
    let target = type == .link ? try name() : nil
    let keyStart = bytes.offset
    let keyType = collection == .dictionary ? try self.type() : nil
    guard keyType == nil || keyType == .string else {
      throw ChangesetError("the keys of a dictionary are not strings", at: keyStart)
    }
    return .addColumn(
      Instruction.NewColumn(
        table: table, name: field, type: type, isNullable: isNullable, collection: collection,
        target: target, keyType: keyType))
  }

  private mutating func update() throws(ChangesetError) -> Instruction {
    let place = try place()
    let payload = try payload()
    guard case .index(let index) = place.path.last else {
      return .update(place, payload, .value(isDefault: try bytes.bool()))
    }
    return .update(place, payload, .element(priorSize: try size(atLeast: index + 1)))
  }

  // MARK: Parts

  /// The size of a collection before the instruction, which must be at least `minimum`.
  private mutating func size(atLeast minimum: Int) throws(ChangesetError) -> Int {
    let start = bytes.offset
    let size = try bytes.count()
    guard size >= minimum else {
      throw ChangesetError("an index is past the end of a list of \(size)", at: start)
    }
    return size
  }

  private mutating func name() throws(ChangesetError) -> Instruction.InternedName {
    let start = bytes.offset
    let number = try bytes.count()
    guard number < strings.count else {
      throw ChangesetError("string \(number) is used before it is defined", at: start)
    }
    return Instruction.InternedName(Array(strings.bytes(number, in: bytes.bytes)))
  }

  private mutating func type() throws(ChangesetError) -> Instruction.ValueType {
    let start = bytes.offset
    let code = try bytes.signed()
    guard let type = Instruction.ValueType(rawValue: Int(code)) else {
      throw ChangesetError("type \(code) is unknown", at: start)
    }
    return type
  }

  private mutating func identity() throws(ChangesetError) -> Instruction.ObjectIdentity {
    let start = bytes.offset
    switch try type() {
    case .null: return .null
    case .int: return .int(try bytes.signed())
    case .string: return .string(try name())
    case .globalKey: return .globalKey(high: try bytes.unsigned(), low: try bytes.unsigned())
    case .objectId: return .objectId(try bytes.raw(12))
    case .uuid: return .uuid(try bytes.raw(16))
    default: throw ChangesetError("no primary key can have this type", at: start)
    }
  }

  private mutating func place() throws(ChangesetError) -> Instruction.Place {
    let table = try name()
    let key = try identity()
    let field = try name()
    let pathStart = bytes.offset
    let count = try bytes.count()
    guard count <= ChangesetDecoder.pathLimit else {
      throw ChangesetError(
        "a path has \(count) steps, expected at most \(ChangesetDecoder.pathLimit)", at: pathStart)
    }
    var path: [Instruction.Step] = []
    for _ in 0..<count {
      let start = bytes.offset
      let step = try bytes.signed()
      if step == -1 {
        path.append(.name(try name()))
      } else {
        guard let index = UInt32(exactly: step) else {
          throw ChangesetError("a list index is too large", at: start)
        }
        path.append(.index(Int(index)))
      }
    }
    return Instruction.Place(table: table, key: key, field: field, path: path)
  }

  /// A place whose last step is a list index.
  private mutating func element() throws(ChangesetError) -> (Instruction.Place, index: Int) {
    let start = bytes.offset
    let place = try place()
    guard case .index(let index) = place.path.last else {
      throw ChangesetError("a path does not end with a list index", at: start)
    }
    return (place, index)
  }

  private mutating func payload() throws(ChangesetError) -> Instruction.Payload {
    let start = bytes.offset
    switch try type() {
    case .null: return .null
    case .int: return .int(try bytes.signed())
    case .bool: return .bool(try bytes.bool())
    case .string: return .string(try bytes.literal())
    case .binary: return .binary(try bytes.literal())
    case .timestamp: return try timestamp()
    case .float: return .float(UInt32(try bytes.littleEndian(4)))
    case .double: return .double(try bytes.littleEndian(8))
    case .decimal:
      let coefficient = try bytes.coefficient()
      let exponent = try bytes.signed()
      return .decimal(
        coefficient: coefficient, exponent: Int(exponent), isNegative: try bytes.bool())
    case .link: return .link(table: try name(), key: try identity())
    case .objectId: return .objectId(try bytes.raw(12))
    case .uuid: return .uuid(try bytes.raw(16))
    case .newObject: return .newObject
    case .dictionary: return .newDictionary
    case .list: return .newList
    case .set: return .newSet
    case .erased: return .erased
    case .globalKey: throw ChangesetError("no value can have this type", at: start)
    }
  }

  private mutating func timestamp() throws(ChangesetError) -> Instruction.Payload {
    let start = bytes.offset
    let seconds = try bytes.signed()
    let nanoseconds = try bytes.signed()
    guard let short = Int32(exactly: nanoseconds), short.magnitude < 1_000_000_000,
      (seconds <= 0 || short >= 0) && (seconds >= 0 || short <= 0)
    else { throw ChangesetError("the nanoseconds do not match the seconds", at: start) }
    return .timestamp(seconds: seconds, nanoseconds: short)
  }
}

/// Why a changeset cannot be decoded.
package struct ChangesetError: Error, Equatable, Sendable, CustomStringConvertible {
  /// Byte offset in the unwrapped changeset.
  package let offset: Int
  /// The problem: a clause without a full stop.
  package let problem: String

  package init(_ problem: String, at offset: Int) {
    self.problem = problem
    self.offset = offset
  }

  package var description: String { "byte \(offset) of the changeset: \(problem)" }
}
