/// The values of an expression for some objects.
///
/// An object has one value, or any number of values, or any number of groups of values. If a path over
/// several links ends in collections, each collection is a group: a comparison holds for an object if it
/// holds for one of the groups.
struct ValueColumn {
  var values: [QueryValue] = []
  /// End position of each group's values; nil if each group has one value.
  var ends: [Int]?
  /// End position of each object's groups; nil if each object has one group.
  var groupEnds: [Int]?

  /// The positions of the values of a group.
  @inline(__always)
  func range(of group: Int) -> Range<Int> {
    guard let ends else { return group..<(group + 1) }
    return (group == 0 ? 0 : ends[group - 1])..<ends[group]
  }

  /// The positions of the values of all groups of the object at `index`.
  func range(ofObject index: Int) -> Range<Int> {
    let groups = groups(of: index)
    guard let first = groups.first, let last = groups.last else { return 0..<0 }
    return range(of: first).lowerBound..<range(of: last).upperBound
  }

  /// The groups of the object at `index`.
  @inline(__always)
  func groups(of index: Int) -> Range<Int> {
    guard let groupEnds else { return index..<(index + 1) }
    return (index == 0 ? 0 : groupEnds[index - 1])..<groupEnds[index]
  }
}

/// The values of one side of a comparison.
enum OperandValues {
  /// The same values for all objects.
  case constant([QueryValue])
  case column(ValueColumn)

  @inline(__always)
  func range(of group: Int) -> Range<Int> {
    switch self {
    case .constant(let value): value.indices
    case .column(let column): column.range(of: group)
    }
  }

  @inline(__always)
  func groups(of index: Int) -> Range<Int> {
    switch self {
    case .constant: 0..<1
    case .column(let column): column.groups(of: index)
    }
  }

  var values: [QueryValue] {
    switch self {
    case .constant(let values): values
    case .column(let column): column.values
    }
  }
}
