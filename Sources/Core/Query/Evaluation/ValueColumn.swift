/// The values of an expression for some objects: one for each, or any number.
struct ValueColumn {
  var values: [QueryValue] = []
  /// Where the values of each object end; nil if each object has one.
  var ends: [Int]?

  /// The positions of the values of the object at `index`.
  @inline(__always)
  func range(of index: Int) -> Range<Int> {
    guard let ends else { return index..<(index + 1) }
    return (index == 0 ? 0 : ends[index - 1])..<ends[index]
  }
}

/// The values of one side of a comparison.
enum OperandValues {
  /// The same value for all objects.
  case constant([QueryValue])
  /// The same values for all objects.
  case column(ValueColumn)

  @inline(__always)
  func range(of index: Int) -> Range<Int> {
    switch self {
    case .constant(let value): value.indices
    case .column(let column): column.range(of: index)
    }
  }

  var values: [QueryValue] {
    switch self {
    case .constant(let values): values
    case .column(let column): column.values
    }
  }
}
