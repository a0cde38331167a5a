import RealmModel
import RealmStorage

/// A value as the key of a group. Equal values of one type are one group; NaN equals NaN, and a decimal
/// does not depend on its number of digits.
struct GroupKey: Hashable {
  private let type: UInt16
  private let numbers: SIMD2<UInt64>
  private let bytes: [UInt8]

  init(_ value: QueryValue) {
    type = value.types.rawValue
    switch value {
    case .null: (numbers, bytes) = (SIMD2(), [])
    case .int(let number): (numbers, bytes) = (SIMD2(UInt64(bitPattern: number), 0), [])
    case .bool(let flag): (numbers, bytes) = (SIMD2(flag ? 1 : 0, 0), [])
    case .float(let number): (numbers, bytes) = (SIMD2(GroupKey.bits(Double(number)), 0), [])
    case .double(let number): (numbers, bytes) = (SIMD2(GroupKey.bits(number), 0), [])
    case .string(let text), .binary(let text), .objectId(let text), .uuid(let text):
      (numbers, bytes) = (SIMD2(), text.bytes)
    case .date(let seconds, let nanoseconds):
      numbers = SIMD2(UInt64(bitPattern: seconds), UInt64(bitPattern: nanoseconds))
      bytes = []
    case .decimal(let number):
      let reduced = number.reduced
      (numbers, bytes) = (SIMD2(reduced.low, reduced.high), [])
    case .link(let position, let key):
      (numbers, bytes) = (SIMD2(UInt64(position), UInt64(bitPattern: key.raw)), [])
    case .list(let count), .dictionary(let count): (numbers, bytes) = (SIMD2(UInt64(count), 0), [])
    case .type(let types): (numbers, bytes) = (SIMD2(UInt64(types.rawValue), 0), [])
    }
  }

  private static func bits(_ number: Double) -> UInt64 {
    number.isNaN ? Double.nan.bitPattern : number == 0 ? 0 : number.bitPattern
  }
}
