import RealmStorage

extension ColumnValues {
  /// Whether two single values of a property are the same, bit for bit: neither collections nor embedded objects inside
  /// their owners, which are never the same here.
  package func isSame(_ row: Int, as other: ColumnValues) -> Bool {
    switch (self, other) {
    case (.scalar(let column), .scalar(let other)): return column[row].isSame(as: other[row])
    case (.link(let column), .link(let other)):
      guard !column.nulls[row], !other.nulls[row] else {
        return column.nulls[row] && other.nulls[row]
      }
      return column.keys[row] == other.keys[row]
    case (.mixed(let column), .mixed(let other)):
      guard case .link(let i) = column.values[row], case .link(let j) = other.values[row] else {
        return column.values[row].isSame(as: other.values[row])
      }
      return column.links[i].target == other.links[j].target
        && column.links[i].key == other.links[j].key
    default: return false
    }
  }
}

extension BatchValue {
  /// Whether two scalars are the same, bit for bit, so that 0.0 differs from −0.0, and 1 from 1.0. False for links and
  /// collections.
  fileprivate func isSame(as other: BatchValue) -> Bool {
    switch (self, other) {
    case (.null, .null): true
    case (.int(let a), .int(let b)): a == b
    case (.bool(let a), .bool(let b)): a == b
    case (.float(let a), .float(let b)): a.bitPattern == b.bitPattern
    case (.double(let a), .double(let b)): a.bitPattern == b.bitPattern
    case (.string(let a), .string(let b)), (.binary(let a), .binary(let b)),
      (.objectId(let a), .objectId(let b)), (.uuid(let a), .uuid(let b)):
      a == b
    case (.timestamp(let a, let nanosecondsA), .timestamp(let b, let nanosecondsB)):
      a == b && nanosecondsA == nanosecondsB
    case (.decimal(let a), .decimal(let b)): a.low == b.low && a.high == b.high
    default: false
    }
  }
}
