import RealmModel
import RealmStorage

/// The values that no new realm can hold: impossible dates, invalid strings, ids of the wrong length,
/// nulls of required properties.
struct ValueRules: Sendable {
  /// Whether strings that are not UTF-8 count as damage.
  let doubtsText: Bool

  /// The rules that values of a column break, by row.
  func broken(in column: ScalarColumn, isRequired: Bool) -> [Int: Rule] {
    var bad: [Int: Rule] = [:]
    func addNulls(_ nulls: NullMask, _ count: Int) {
      guard isRequired, !nulls.isEmpty else { return }
      for row in 0..<count where nulls[row] { bad[row] = .leafNull }
    }
    switch column {
    case .int(let values, let nulls): addNulls(nulls, values.count)
    case .bool(let values, let nulls): addNulls(nulls, values.count)
    case .float(let values, let nulls): addNulls(nulls, values.count)
    case .double(let values, let nulls): addNulls(nulls, values.count)
    case .timestamp(let seconds, let nanoseconds, let nulls):
      addNulls(nulls, seconds.count)
      for row in seconds.indices
      where !nulls[row]
        && !TimestampLeaf.isDate(seconds: seconds[row], nanoseconds: nanoseconds[row])
      {
        bad[row] = .leafTimestamp
      }
    case .decimal(let values):
      guard isRequired else { break }
      for row in values.indices where values[row].isNull { bad[row] = .leafNull }
    case .string(let values), .binary(let values), .objectId(let values), .uuid(let values):
      let type = column.type
      for row in values.indices {
        if let value = values[row] {
          if let rule = broken(by: value, type) { bad[row] = rule }
        } else if isRequired {
          bad[row] = .leafNull
        }
      }
    }
    return bad
  }

  /// The rule that the bytes of a value break; nil if they can be a value of the type.
  private func broken(by value: ByteSlice, _ type: ColumnType) -> Rule? {
    switch type {
    case .string:
      if value.count > BlobLimits.string { return .leafBlob }
      return doubtsText && !value.isValidUTF8 ? .leafUtf8 : nil
    case .binary: return value.count > BlobLimits.binary ? .leafBlob : nil
    case .objectId: return value.count == FixedBytesLeaf.objectIdSize ? nil : .leafFixedBytes
    case .uuid: return value.count == FixedBytesLeaf.uuidSize ? nil : .leafFixedBytes
    default: return nil
    }
  }

  /// The rule that a value of a mixed property breaks; nil if a new realm can hold it.
  func broken(by value: BatchValue) -> Rule? {
    switch value {
    case .string(let bytes): broken(by: bytes, .string)
    case .binary(let bytes): bytes.count > BlobLimits.string ? .leafBlob : nil
    case .objectId(let bytes): broken(by: bytes, .objectId)
    case .uuid(let bytes): broken(by: bytes, .uuid)
    case .timestamp(let seconds, let nanoseconds):
      TimestampLeaf.isDate(seconds: seconds, nanoseconds: nanoseconds) ? nil : .leafTimestamp
    case .null, .int, .bool, .float, .double, .decimal, .link, .list, .dictionary: nil
    }
  }
}

extension Rule {
  /// Whether a value that breaks the rule shows that the leaf around it was overwritten: no app writes
  /// such a value, and the bytes of the other values of the leaf are next to it.
  var showsDamage: Bool {
    switch self {
    case .leafShortString, .leafSmallBlobs, .leafStringOffsets, .leafTerminator, .leafEnumeration,
      .leafTimestamp, .leafFixedBytesFlags:
      true
    default: false
    }
  }
}

extension ScalarColumn {
  /// The values, with null in some rows, or the default of a required property.
  func replacing(_ rows: Set<Int>, isOptional: Bool) -> ScalarColumn {
    var builder = ColumnBuilder(type: type)
    let value = isOptional ? MixedValue.null : type.defaultValue
    for row in 0..<count { builder.append(rows.contains(row) ? value : MixedValue(self[row])) }
    return builder.batch.scalars ?? self
  }
}

extension ColumnType {
  private static let zeros = SliceColumn(copying: [Array(repeating: 0, count: 16)])

  /// The default of a required property.
  fileprivate var defaultValue: MixedValue {
    func zeros(_ count: Int) -> ByteSlice { ColumnType.zeros[0]?.part(0..<count) ?? .empty }
    return switch self {
    case .int: .int(0)
    case .bool: .bool(false)
    case .float: .float(0)
    case .double: .double(0)
    case .string: .string(.empty)
    case .binary: .binary(.empty)
    case .timestamp: .timestamp(seconds: 0, nanoseconds: 0)
    case .decimal: .decimal(.zero)
    case .objectId: .objectId(zeros(FixedBytesLeaf.objectIdSize))
    case .uuid: .uuid(zeros(FixedBytesLeaf.uuidSize))
    case .mixed, .link, .typedLink, .backlink: .null
    }
  }
}
