import RealmModel
import RealmStorage

/// Converts columns of batches to values of expressions, and back.
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
    switch property.type {
    case .link:
      .link(
        LinkColumn(
          target: property.target ?? 0, count: values.count,
          nulls: NullMask(count: values.count) { values[$0].isNull },
          keys: values.map { if case .link(_, let key) = $0 { key } else { .null } }))
    case .mixed, .typedLink: .mixed(mixed(values))
    default: .scalar(ScalarColumn(values, ValueType(property)))
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
        column.values.append(BatchValue(value))
      }
    }
    return column
  }
}
