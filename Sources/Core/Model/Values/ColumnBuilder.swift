import RealmStorage

/// Collects values of one column from several leaves, such as the elements of many lists or a property of objects
/// in many clusters.
package struct ColumnBuilder {
  /// What is collected: values of a type, or roots of collections.
  private enum Content {
    case values(ColumnType)
    case roots
  }

  private let content: Content
  package private(set) var count = 0
  private var nulls = NullMask()
  private var ints: [Int64] = []
  private var nanoseconds: [Int64] = []
  private var bools: [Bool] = []
  private var floats: [Float] = []
  private var doubles: [Double] = []
  private var decimals: [Decimal128] = []
  private var slices: [ByteSlice?] = []
  private var keys: [ObjectKey] = []
  private var mixed: [MixedValue] = []
  private var roots: [Ref] = []
  /// Whether a value had another type than the column.
  private(set) var hasForeignValue = false

  package init(type: ColumnType) { content = .values(type) }

  /// A builder for the values of `column`, or for the roots of its collections.
  init(_ column: Column) {
    content = column.collection == nil ? .values(column.type) : .roots
  }

  /// A builder for values of the type that `batch` has.
  package init(of batch: LeafValues) {
    content =
      switch batch {
      case .scalar(let values): .values(values.type)
      case .link: .values(.link)
      case .mixed: .values(.mixed)
      case .collection: .roots
      }
  }

  mutating func reserve(_ count: Int) {
    guard case .values(let type) = content else { return roots.reserveCapacity(count) }
    switch type {
    case .int: ints.reserveCapacity(count)
    case .bool: bools.reserveCapacity(count)
    case .float: floats.reserveCapacity(count)
    case .double: doubles.reserveCapacity(count)
    case .decimal: decimals.reserveCapacity(count)
    case .timestamp:
      ints.reserveCapacity(count)
      nanoseconds.reserveCapacity(count)
    case .string, .binary, .objectId, .uuid: slices.reserveCapacity(count)
    case .link: keys.reserveCapacity(count)
    case .mixed, .typedLink, .backlink: mixed.reserveCapacity(count)
    }
  }

  /// Appends all rows of `batch`, which is of this column's type.
  package mutating func append(_ batch: LeafValues) {
    switch batch {
    case .scalar(let values): append(values, 0..<values.count)
    case .link(let values): keys += values
    case .mixed(let values): mixed += values
    case .collection(let values): roots += values
    }
    count += batch.count
  }

  /// Appends all values of a leaf of a collection of this column's type.
  ///
  /// - Throws: `damaged` with a rule of group `leaf`; the errors of opening a node.
  mutating func append(
    leaf: Node, isNullable: Bool, _ nodes: NodeReader
  ) throws(RealmFileError) {
    guard case .values(let type) = content else { return }
    // Nearly all lists of strings are one leaf of short strings, which need no column of their own.
    if type == .string, !leaf.isInner, !leaf.hasRefs {
      let start = slices.count
      try ShortStringLeaf(leaf).append(rows: nil, to: &slices)
      count += slices.count - start
    } else {
      append(
        try Leaf.decode(
          leaf, type: type, isNullable: isNullable, isBiased: false, rows: nil, nodes: nodes))
    }
  }

  /// Appends `row` of `batch`, which is of this column's type.
  mutating func append(_ batch: LeafValues, row: Int) {
    switch batch {
    case .scalar(.decimal(let values)):
      decimals.append(values[row])
      count += 1
    case .link(let values):
      keys.append(values[row])
      count += 1
    case .mixed(let values):
      mixed.append(values[row])
      count += 1
    case .collection(let values):
      roots.append(values[row])
      count += 1
    default: append(batch.value(at: row))
    }
  }

  /// Appends some rows of `batch`, which has values of this column's type or mixed values.
  package mutating func append(_ batch: LeafValues, rows: Range<Int>) {
    switch batch {
    case .mixed(let values): for row in rows { append(values[row]) }
    case _ where rows.count == batch.count: append(batch)
    case .scalar(let values):
      append(values, rows)
      count += rows.count
    case .link(let values):
      keys += values[rows]
      count += rows.count
    case .collection(let values):
      roots += values[rows]
      count += rows.count
    }
  }

  /// Appends some rows of `column` without counting them.
  private mutating func append(_ column: ScalarColumn, _ rows: Range<Int>) {
    func insert(_ mask: NullMask) {
      guard !mask.isEmpty else { return }
      for row in rows where mask[row] { nulls.insert(count + row - rows.lowerBound) }
    }
    switch column {
    case .int(let values, let mask):
      insert(mask)
      ints += values[rows]
    case .bool(let values, let mask):
      insert(mask)
      bools += values[rows]
    case .float(let values, let mask):
      insert(mask)
      floats += values[rows]
    case .double(let values, let mask):
      insert(mask)
      doubles += values[rows]
    case .timestamp(let seconds, let parts, let mask):
      insert(mask)
      ints += seconds[rows]
      nanoseconds += parts[rows]
    case .decimal(let values): decimals += values[rows]
    case .string(let values), .binary(let values), .objectId(let values), .uuid(let values):
      slices += values.slices[rows]
    }
  }

  /// Appends a link of a column of links.
  mutating func append(link: ObjectKey) {
    keys.append(link)
    count += 1
  }

  package mutating func appendNull() { append(MixedValue.null) }

  /// Appends a value. A value of another type than the column's becomes null and sets
  /// ``hasForeignValue``.
  package mutating func append(_ value: MixedValue) {
    defer { count += 1 }
    guard case .values(let type) = content else { return roots.append(0) }
    switch (type, value) {
    case (.int, .int(let number)): ints.append(number)
    case (.bool, .bool(let flag)): bools.append(flag)
    case (.float, .float(let number)): floats.append(number)
    case (.double, .double(let number)): doubles.append(number)
    case (.decimal, .decimal(let number)): decimals.append(number)
    case (.timestamp, .timestamp(let seconds, let part)):
      ints.append(seconds)
      nanoseconds.append(part)
    case (.string, .string(let bytes)), (.binary, .binary(let bytes)),
      (.objectId, .objectId(let bytes)), (.uuid, .uuid(let bytes)):
      slices.append(bytes)
    case (.link, .link(let key)), (.link, .typedLink(_, let key)): keys.append(key)
    case (.mixed, _), (.typedLink, _), (.backlink, _): mixed.append(value)
    default: appendAbsent(type, isNull: value.isNull)
    }
  }

  private mutating func appendAbsent(_ type: ColumnType, isNull: Bool) {
    if !isNull { hasForeignValue = true }
    nulls.insert(count)
    switch type {
    case .int: ints.append(0)
    case .bool: bools.append(false)
    case .float: floats.append(0)
    case .double: doubles.append(0)
    case .decimal: decimals.append(.null)
    case .timestamp:
      ints.append(0)
      nanoseconds.append(0)
    case .string, .binary, .objectId, .uuid: slices.append(nil)
    case .link: keys.append(.null)
    case .mixed, .typedLink, .backlink: mixed.append(.null)
    }
  }

  /// Whether the values from `start` on ascend in the order of set members in format 24.
  func isAscending(from start: Int) -> Bool {
    guard count - start > 1 else { return true }
    var order = AscendingOrder()
    return order.continues(with: batch, from: start)
  }

  /// Removes the values from `start` on.
  package mutating func removeAll(from start: Int) {
    let extra = count - start
    count = start
    nulls.removeAll(from: start)
    func cut<T>(_ array: inout [T]) { array.removeLast(min(extra, array.count)) }
    cut(&ints)
    cut(&nanoseconds)
    cut(&bools)
    cut(&floats)
    cut(&doubles)
    cut(&decimals)
    cut(&slices)
    cut(&keys)
    cut(&mixed)
    cut(&roots)
  }

  /// The values collected so far.
  package var batch: LeafValues {
    guard case .values(let type) = content else { return .collection(roots) }
    return switch type {
    case .int: .scalar(.int(ints, nulls))
    case .bool: .scalar(.bool(bools, nulls))
    case .float: .scalar(.float(floats, nulls))
    case .double: .scalar(.double(doubles, nulls))
    case .string: .scalar(.string(SliceColumn(slices)))
    case .binary: .scalar(.binary(SliceColumn(slices)))
    case .timestamp: .scalar(.timestamp(ints, nanoseconds, nulls))
    case .decimal: .scalar(.decimal(decimals))
    case .objectId: .scalar(.objectId(SliceColumn(slices)))
    case .uuid: .scalar(.uuid(SliceColumn(slices)))
    case .link: .link(keys)
    case .mixed, .typedLink, .backlink: .mixed(mixed)
    }
  }
}

extension LeafValues {
  /// Some of the rows.
  package func rows(_ rows: Range<Int>) -> LeafValues {
    var builder = ColumnBuilder(of: self)
    builder.append(self, rows: rows)
    return builder.batch
  }
}
