/// Encodes instructions as a changeset, which ``ChangesetDecoder`` decodes to the same instructions (chapter 4, section 3).
package struct ChangesetEncoder {
  /// A state of the encoder; see ``reset(to:)``.
  package struct Mark {
    fileprivate let byteCount: Int
    fileprivate let nameCount: Int
  }

  private static let internCode: UInt8 = 63

  /// The changeset so far.
  package private(set) var bytes: [UInt8] = []
  private var numbers: [Instruction.InternedName: UInt64] = [:]
  private var names: [Instruction.InternedName] = []
  /// The instruction that is being encoded. Definitions of its strings are appended to `bytes` first.
  private var body: [UInt8] = []

  package init() {}

  package var mark: Mark { Mark(byteCount: bytes.count, nameCount: names.count) }

  /// Removes the instructions appended since `mark`.
  package mutating func reset(to mark: Mark) {
    bytes.removeSubrange(mark.byteCount...)
    for name in names[mark.nameCount...] { numbers[name] = nil }
    names.removeSubrange(mark.nameCount...)
  }

  package mutating func append(_ instruction: Instruction) {
    body.removeAll(keepingCapacity: true)
    encode(instruction)
    bytes += body
  }

  private mutating func encode(_ instruction: Instruction) {
    switch instruction {
    case .addTable(let name, let kind, let primaryKey):
      put(code: 0, name)
      put(UInt64(kind.rawValue))
      guard kind != .embedded else { return }
      let primaryKey = primaryKey ?? .absent
      put(primaryKey.name)
      put(primaryKey.type)
      put(primaryKey.isNullable)
    case .eraseTable(let name): put(code: 1, name)
    case .createObject(let table, let key):
      put(code: 2, table)
      put(key)
    case .eraseObject(let table, let key):
      put(code: 3, table)
      put(key)
    case .update(let place, let payload, let kind):
      put(code: 4, place)
      put(payload)
      switch kind {
      case .element(let priorSize): put(UInt64(priorSize))
      case .value(let isDefault): put(isDefault)
      }
    case .addInteger(let place, let delta):
      put(code: 5, place)
      put(signed: delta)
    case .addColumn(let column): put(column)
    case .eraseColumn(let table, let field):
      put(code: 7, table)
      put(field)
    case .arrayInsert(let place, let payload, let priorSize):
      put(code: 8, place)
      put(payload)
      put(UInt64(priorSize))
    case .arrayMove(let place, let destination, let priorSize):
      put(code: 9, place)
      put(UInt64(destination))
      put(UInt64(priorSize))
    case .arrayErase(let place, let priorSize):
      put(code: 10, place)
      put(UInt64(priorSize))
    case .clear(let place, let kind):
      put(code: 11, place)
      put(signed: kind)
    case .setInsert(let place, let payload):
      put(code: 12, place)
      put(payload)
    case .setErase(let place, let payload):
      put(code: 13, place)
      put(payload)
    }
  }

  // MARK: Parts

  private mutating func put(_ column: Instruction.NewColumn) {
    put(code: 6, column.table)
    put(column.name)
    put(column.type)
    put(column.isNullable)
    put(UInt64(column.collection.rawValue))
    precondition(column.type != .link || column.target != nil, "a link has a target class")
    if let target = column.target { put(target) }
    if let keyType = column.keyType { put(keyType) }
  }

  private mutating func put(code: UInt8, _ name: Instruction.InternedName) {
    body.append(code)
    put(name)
  }

  private mutating func put(code: UInt8, _ place: Instruction.Place) {
    put(code: code, place.table)
    put(place.key)
    put(place.field)
    put(UInt64(place.path.count))
    for step in place.path {
      switch step {
      case .index(let index): put(UInt64(index))
      case .name(let name):
        put(signed: -1)
        put(name)
      }
    }
  }

  private mutating func put(_ key: Instruction.ObjectIdentity) {
    switch key {
    case .null: put(Instruction.ValueType.null)
    case .int(let number):
      put(.int)
      put(signed: number)
    case .string(let name):
      put(.string)
      put(name)
    case .globalKey(let high, let low):
      put(.globalKey)
      put(high)
      put(low)
    case .objectId(let bytes):
      put(.objectId)
      body += bytes
    case .uuid(let bytes):
      put(.uuid)
      body += bytes
    }
  }

  private mutating func put(_ payload: Instruction.Payload) {
    put(payload.type)
    switch payload {
    case .null, .newObject, .newDictionary, .newList, .newSet, .erased: break
    case .int(let number): put(signed: number)
    case .bool(let flag): put(flag)
    case .string(let bytes), .binary(let bytes): put(literal: bytes)
    case .timestamp(let seconds, let nanoseconds):
      put(signed: seconds)
      put(signed: Int64(nanoseconds))
    case .float(let bits): put(littleEndian: UInt64(bits), byteCount: 4)
    case .double(let bits): put(littleEndian: bits, byteCount: 8)
    case .decimal(let coefficient, let exponent, let isNegative):
      put(coefficient)
      put(signed: Int64(exponent))
      put(isNegative)
    case .link(let table, let key):
      put(table)
      put(key)
    case .objectId(let bytes), .uuid(let bytes): body += bytes
    }
  }

  /// Puts the number of `name`, and defines the name first if it is new.
  private mutating func put(_ name: Instruction.InternedName) {
    if let number = numbers[name] { return put(number) }
    let number = UInt64(names.count)
    numbers[name] = number
    names.append(name)
    let instruction = body
    body = [ChangesetEncoder.internCode]
    put(number)
    put(literal: name.bytes)
    bytes += body
    body = instruction
    put(number)
  }

  private mutating func put(_ type: Instruction.ValueType) { put(signed: Int64(type.rawValue)) }

  private mutating func put(_ flag: Bool) { body.append(flag ? 1 : 0) }

  private mutating func put(literal: [UInt8]) {
    put(UInt64(literal.count))
    body += literal
  }

  private mutating func put(littleEndian bits: UInt64, byteCount: Int) {
    for i in 0..<byteCount { body.append(UInt8(truncatingIfNeeded: bits >> UInt64(i * 8))) }
  }

  // MARK: Integers

  private mutating func put(signed number: Int64) {
    put(UInt64(bitPattern: number < 0 ? ~number : number), sign: number < 0 ? 0x40 : 0)
  }

  /// Puts a number in groups of seven bits, the lowest first; the last byte has six bits and the sign.
  private mutating func put(_ number: some FixedWidthInteger & UnsignedInteger, sign: UInt8 = 0) {
    var rest = number
    while rest > 0x3F {
      body.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    body.append(UInt8(rest) | sign)
  }
}

extension Instruction.Payload {
  /// The type that precedes the value in a changeset.
  package var type: Instruction.ValueType {
    switch self {
    case .null: .null
    case .int: .int
    case .bool: .bool
    case .string: .string
    case .binary: .binary
    case .timestamp: .timestamp
    case .float: .float
    case .double: .double
    case .decimal: .decimal
    case .link: .link
    case .objectId: .objectId
    case .uuid: .uuid
    case .newObject: .newObject
    case .newDictionary: .dictionary
    case .newList: .list
    case .newSet: .set
    case .erased: .erased
    }
  }
}
