import RealmModel
import RealmStorage

/// Columns of batches as values of expressions, and the other way round.
enum FormulaColumn {
  /// The value of a column in `row`. Links to deleted objects count as null.
  static func value(of column: ColumnValues, row: Int) -> QueryValue {
    switch column {
    case .scalar(let values): return QueryValue(values[row])
    case .link(let links):
      guard !links.nulls[row], !links.unresolved[row], row < links.keys.count else { return .null }
      return .link(links.target, links.keys[row])
    case .mixed(let mixed): return value(of: mixed, row: row)
    // Expressions take neither collections nor embedded objects inside their owners.
    case .embedded, .collection: return .null
    }
  }

  private static func value(of mixed: MixedColumn, row: Int) -> QueryValue {
    switch mixed.values[row] {
    case .link(let i):
      let link = mixed.links[i]
      guard !link.isUnresolved, let key = link.key else { return .null }
      return .link(link.target, key)
    case .list(let i): return .list(mixed.lists?.range(of: i).count ?? 0)
    case .dictionary(let i): return .dictionary(mixed.dictionaries?.range(of: i).count ?? 0)
    case let value: return QueryValue(value)
    }
  }

  /// A column of values that have the type of `property`.
  static func make(_ values: [QueryValue], _ property: Property) -> ColumnValues {
    let nulls = NullMask(count: values.count) { values[$0].isNull }
    func slices() -> SliceColumn { SliceColumn(values.map(\.slice)) }
    switch property.type {
    case .int:
      return .scalar(.int(values.map { if case .int(let n) = $0 { n } else { 0 } }, nulls))
    case .bool:
      return .scalar(.bool(values.map { if case .bool(let f) = $0 { f } else { false } }, nulls))
    case .float:
      return .scalar(.float(values.map { if case .float(let n) = $0 { n } else { 0 } }, nulls))
    case .double:
      return .scalar(.double(values.map { if case .double(let n) = $0 { n } else { 0 } }, nulls))
    case .decimal:
      return .scalar(.decimal(values.map { if case .decimal(let n) = $0 { n } else { .null } }))
    case .timestamp:
      return .scalar(
        .timestamp(
          values.map { if case .date(let s, _) = $0 { s } else { 0 } },
          values.map { if case .date(_, let n) = $0 { n } else { 0 } }, nulls))
    case .string: return .scalar(.string(slices()))
    case .binary: return .scalar(.binary(slices()))
    case .objectId: return .scalar(.objectId(slices()))
    case .uuid: return .scalar(.uuid(slices()))
    case .link:
      return .link(
        LinkColumn(
          target: property.target ?? 0, count: values.count, nulls: nulls,
          keys: values.map { if case .link(_, let key) = $0 { key } else { .null } }))
    case .mixed, .typedLink: return .mixed(mixed(values))
    }
  }

  private static func mixed(_ values: [QueryValue]) -> MixedColumn {
    var column = MixedColumn(values: [])
    for value in values {
      if case .link(let target, let key) = value {
        column.values.append(.link(column.links.count))
        column.links.append(
          MixedColumn.Link(target: target, key: key, identity: nil, isUnresolved: false))
      } else {
        column.values.append(value.plain)
      }
    }
    return column
  }
}

extension QueryValue {
  /// The bytes of a value that has bytes.
  fileprivate var slice: ByteSlice? {
    switch self {
    case .string(let bytes), .binary(let bytes), .objectId(let bytes), .uuid(let bytes): bytes
    default: nil
    }
  }

  /// The value as a batch holds it; null for links, collections and types.
  fileprivate var plain: BatchValue {
    switch self {
    case .int(let number): .int(number)
    case .bool(let flag): .bool(flag)
    case .float(let number): .float(number)
    case .double(let number): .double(number)
    case .string(let bytes): .string(bytes)
    case .binary(let bytes): .binary(bytes)
    case .date(let seconds, let nanoseconds): .timestamp(seconds: seconds, nanoseconds: nanoseconds)
    case .decimal(let number): .decimal(number)
    case .objectId(let bytes): .objectId(bytes)
    case .uuid(let bytes): .uuid(bytes)
    case .null, .link, .list, .dictionary, .type: .null
    }
  }
}
