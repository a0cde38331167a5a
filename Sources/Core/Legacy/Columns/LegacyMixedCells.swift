import RealmModel
import RealmStorage

/// Decodes the values of a mixed column from their types and elements (chapter 5, section 6.12).
struct LegacyMixedCells {
  /// Codes of the types.
  private enum Code {
    static let int: Int64 = 0
    static let bool: Int64 = 1
    static let string: Int64 = 2
    static let binary: Int64 = 4
    static let table: Int64 = 5
    static let date: Int64 = 7
    static let timestamp: Int64 = 8
    static let float: Int64 = 9
    static let double: Int64 = 10
    static let negativeDouble: Int64 = 11
    static let negativeInt: Int64 = 12
  }

  /// The bit for which an element has no room.
  private static let highBit: UInt64 = 1 << 63

  private let root: Ref
  private var binaries: LegacyCells?
  private var seconds: LegacyCells?
  private var nanoseconds: LegacyCells?

  /// - Parameters:
  ///   - root: root of the mixed column.
  ///   - binaries: root of the column of strings and binaries; 0 for none.
  ///   - timestamps: root of the column of timestamps; 0 for none.
  init(
    root: Ref, binaries: Ref, timestamps: Ref, _ nodes: NodeReader
  ) throws(RealmFileError) {
    self.root = root
    if binaries != 0 {
      self.binaries = LegacyCells(root: binaries, .binaries, isNullable: false, nodes)
    }
    if timestamps != 0 {
      let parts = try LegacyParts.timestamps(timestamps, nodes)
      seconds = LegacyCells(root: parts.seconds, .ints, isNullable: true, nodes)
      nanoseconds = LegacyCells(root: parts.nanoseconds, .ints, isNullable: false, nodes)
    }
  }

  /// Called when a scope ends.
  mutating func forgetLeaves() {
    binaries?.forgetLeaf()
    seconds?.forgetLeaf()
    nanoseconds?.forgetLeaf()
  }

  /// The value with this type and element. A table is a list at the ref of its top array.
  ///
  /// - Throws: `damaged` with rule `mixed.type` or `mixed.index`; the errors of reading the value.
  mutating func value(_ type: Int64, _ element: Int64) throws(RealmFileError) -> MixedValue {
    if type == Code.table {
      guard element & 7 == 0, element >= 0 else {
        throw .damaged(.mixedType, at: root, "a table has the element \(element), expected a ref")
      }
      return element == 0 ? .null : .list(Ref(element))
    }
    guard element & 1 == 1 else {
      throw .damaged(
        .mixedType, at: root,
        "a value of type \(type) has the element \(element), expected a tagged number")
    }
    let bits = UInt64(bitPattern: element) >> 1
    switch type {
    case Code.int: return .int(Int64(bits))
    case Code.negativeInt: return .int(Int64(bitPattern: bits | LegacyMixedCells.highBit))
    case Code.bool: return .bool(bits != 0)
    // Negative dates lost bit 63, but bit 62 also has the sign.
    case Code.date: return .timestamp(seconds: Int64(bitPattern: bits << 1) >> 1, nanoseconds: 0)
    case Code.float: return .float(Float(bitPattern: UInt32(truncatingIfNeeded: bits)))
    case Code.double: return .double(Double(bitPattern: bits))
    case Code.negativeDouble: return .double(Double(bitPattern: bits | LegacyMixedCells.highBit))
    case Code.string:
      let bytes = try bytes(bits)
      return .string(bytes.part(0..<max(0, bytes.count - 1)))
    case Code.binary: return .binary(try bytes(bits))
    case Code.timestamp: return try timestamp(bits)
    default: throw .damaged(.mixedType, at: root, "a mixed value has the unknown type \(type)")
    }
  }

  private mutating func bytes(_ row: UInt64) throws(RealmFileError) -> ByteSlice {
    guard case .binary(let bytes)? = try binaries?.value(at: Int(row)) else {
      throw noPayload(row, "bytes")
    }
    return bytes
  }

  private mutating func timestamp(_ row: UInt64) throws(RealmFileError) -> MixedValue {
    guard let whole = try seconds?.value(at: Int(row)),
      case .int(let part)? = try nanoseconds?.value(at: Int(row))
    else { throw noPayload(row, "dates") }
    guard case .int(let whole) = whole else { return .null }
    return .timestamp(seconds: whole, nanoseconds: part)
  }

  private func noPayload(_ row: UInt64, _ what: String) -> RealmFileError {
    .damaged(
      .mixedIndex, at: root,
      "a mixed value is in row \(row) of a column of \(what), which does not exist")
  }
}
