import RealmQuery
import TestSupport

@testable import RealmSync

/// Instructions of every kind with random parts.
struct RandomInstructions {
  private var generator: SplitMix64

  init(seed: UInt64) { generator = SplitMix64(seed: seed) }

  private mutating func number(_ range: Range<Int>) -> Int {
    Int.random(in: range, using: &generator)
  }

  private mutating func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
  }

  /// Numbers of all lengths.
  private mutating func integer() -> Int64 {
    Int64.random(in: .min ... .max, using: &generator) >> Int64(number(0..<64))
  }

  private mutating func name() -> Instruction.InternedName {
    Instruction.InternedName(Array("n\(number(0..<90))".utf8))
  }

  private mutating func identity() -> Instruction.ObjectIdentity {
    switch number(0..<6) {
    case 0: .null
    case 1: .int(integer())
    case 2: .string(name())
    case 3:
      .globalKey(
        high: UInt64(bitPattern: integer()), low: UInt64(bitPattern: integer()))
    case 4: .objectId(bytes(12))
    default: .uuid(bytes(16))
    }
  }

  private mutating func place(index: Int? = nil) -> Instruction.Place {
    var path: [Instruction.Step] = []
    for _ in 0..<number(0..<4) {
      path.append(number(0..<2) == 0 ? .index(number(0..<100_000)) : .name(name()))
    }
    path.append(index.map { .index($0) } ?? .name(name()))
    return Instruction.Place(table: name(), key: identity(), field: name(), path: path)
  }

  private mutating func payload() -> Instruction.Payload {
    let nanoseconds = Int32(number(0..<1_000_000_000))
    return switch number(0..<16) {
    case 0: .int(integer())
    case 1: .bool(number(0..<2) == 1)
    case 2: .string(bytes(number(0..<200)))
    case 3: .binary(bytes(number(0..<200)))
    case 4: .timestamp(seconds: 1 + (integer() & .max) / 2, nanoseconds: nanoseconds)
    case 5: .timestamp(seconds: -1 - (integer() & .max) / 2, nanoseconds: -nanoseconds)
    case 6: .float(UInt32(truncatingIfNeeded: integer()))
    case 7: .double(UInt64(bitPattern: integer()))
    case 8:
      .decimal(
        coefficient: UInt128(number(0..<1 << 48)) << 64 | UInt128(UInt64(bitPattern: integer())),
        exponent: number(-6176..<6112), isNegative: number(0..<2) == 1)
    case 9: .link(table: name(), key: identity())
    case 10: .objectId(bytes(12))
    case 11: .uuid(bytes(16))
    case 12: .newObject
    case 13: .newDictionary
    case 14: .newList
    default: .null
    }
  }

  mutating func instruction() -> Instruction {
    let index = number(0..<1000)
    let size = index + number(1..<1000)
    let kinds: [Instruction.ValueType] = [.int, .string, .objectId, .uuid, .globalKey]
    switch number(0..<14) {
    case 0:
      return .addTable(
        name: name(), kind: number(0..<2) == 0 ? .topLevel : .asymmetric,
        primaryKey: Instruction.PrimaryKeyColumn(
          name: name(), type: kinds[number(0..<5)], isNullable: number(0..<2) == 0))
    case 1: return .addTable(name: name(), kind: .embedded, primaryKey: nil)
    case 2: return .eraseTable(name: name())
    case 3: return .createObject(table: name(), key: identity())
    case 4: return .eraseObject(table: name(), key: identity())
    case 5:
      return number(0..<2) == 0
        ? .update(place(), payload(), .value(isDefault: number(0..<2) == 0))
        : .update(place(index: index), payload(), .element(priorSize: size))
    case 6: return .addInteger(place(), integer())
    case 7: return column()
    case 8: return .eraseColumn(table: name(), field: name())
    case 9: return .arrayInsert(place(index: index), payload(), priorSize: size)
    case 10:
      return .arrayMove(
        place(index: index), destination: number(0..<size), priorSize: size)
    case 11: return .arrayErase(place(index: index), priorSize: size)
    case 12: return .clear(place(), Int64(number(0..<4)))
    default:
      return number(0..<2) == 0 ? .setInsert(place(), payload()) : .setErase(place(), payload())
    }
  }

  private mutating func column() -> Instruction {
    let type = Instruction.ValueType(rawValue: number(0..<12)) ?? .int
    let collection = Instruction.Collection(rawValue: number(0..<4)) ?? .none
    return .addColumn(
      Instruction.NewColumn(
        table: name(), name: name(), type: type, isNullable: number(0..<2) == 0,
        collection: collection, target: type == .link ? name() : nil,
        keyType: collection == .dictionary ? .string : nil))
  }
}
