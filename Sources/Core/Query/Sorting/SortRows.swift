import RealmModel
import RealmStorage

/// Objects with the values to sort them by. Keeps the bytes of the values readable.
struct SortRows: Sendable {
  /// Positions of the objects in the result so far; equal objects keep this order.
  private(set) var positions: [Int] = []
  /// The values of each object, path after path.
  private var values: [SortValue] = []
  private var owners: [any Sendable] = []
  private let directions: [Bool]

  /// The value of one path for one object.
  fileprivate enum SortValue {
    case value(QueryValue)
    /// A link on the way is null.
    case missing
  }

  /// - Parameter isAscending: the direction of each path.
  init(isAscending: [Bool]) { directions = isAscending }

  var count: Int { positions.count }

  // MARK: Reading

  /// Adds the objects of a frame.
  ///
  /// - Parameters:
  ///   - start: position of the first object of the frame.
  ///   - worst: only objects that come before this one are added; nil for all.
  /// - Returns: whether an object was added.
  mutating func add(
    _ paths: [KeyPath], _ frame: ObjectFrame, at start: Int, before worst: Row?,
    _ evaluator: Evaluator
  ) throws(RealmFileError) -> Bool {
    var columns: [[SortValue]] = []
    for path in paths { columns.append(try SortRows.values(of: path, frame, evaluator)) }
    let before = count
    let isAscending = directions[0]
    let first = columns[0]
    let worstFirst = worst?.values.first
    for row in first.indices {
      // The first value alone excludes most objects.
      if let worstFirst {
        let order = SortRows.order(first[row], worstFirst)
        if order != 0, (order > 0) == isAscending { continue }
      }
      for column in columns { values.append(column[row]) }
      positions.append(start + row)
      guard let worst, !isBefore(count - 1, worst) else { continue }
      values.removeLast(paths.count)
      positions.removeLast()
    }
    return count > before
  }

  private static func values(
    of path: KeyPath, _ frame: ObjectFrame, _ evaluator: Evaluator
  ) throws(RealmFileError) -> [SortValue] {
    let rows = Array(0..<frame.rows.count)
    let column = try evaluator.values(at: path, frame, rows)
    let values = column.values
    func value(_ row: Int) -> SortValue {
      .value(column.range(ofObject: row).first.map { values[$0] } ?? .null)
    }
    // A link at the end of the path is the value itself.
    let way = path.isProperty ? path.links : path.links.dropLast()
    guard !way.isEmpty else { return rows.map { value($0) } }
    let linked = try evaluator.follow(way, frame, rows)
    return rows.map { linked.range(of: $0).isEmpty ? .missing : value($0) }
  }

  /// Keeps the bytes of added values readable.
  mutating func keep(_ owner: any Sendable) { owners.append(owner) }

  /// Adds the objects of `other`, which has the same paths.
  mutating func append(_ other: SortRows) {
    positions += other.positions
    values += other.values
    owners += other.owners
  }

  /// Removes the objects with a null link on the way to a value.
  mutating func removeMissing() {
    let width = directions.count
    let kept = positions.indices.filter { row in
      !directions.indices.contains { path in
        if case .missing = values[row * width + path] { true } else { false }
      }
    }
    keep(kept)
  }

  private mutating func keep(_ rows: [Int]) {
    let width = directions.count
    values = rows.flatMap { values[($0 * width)..<($0 * width + width)] }
    positions = rows.map { positions[$0] }
  }

  // MARK: Order

  /// One object.
  struct Row {
    fileprivate let position: Int
    fileprivate let values: ArraySlice<SortValue>
  }

  private func row(_ index: Int) -> Row {
    let width = directions.count
    return Row(
      position: positions[index], values: values[(index * width)..<(index * width + width)])
  }

  private func isBefore(_ index: Int, _ other: Row) -> Bool {
    let start = index * directions.count
    for path in directions.indices {
      let order = SortRows.order(
        values[start + path], other.values[other.values.startIndex + path])
      if order != 0 { return (order < 0) == directions[path] }
    }
    return positions[index] < other.position
  }

  private func isBefore(_ a: Int, _ b: Int) -> Bool {
    let order = order(a, b)
    return order == 0 ? positions[a] < positions[b] : order < 0
  }

  /// -1, 0 or 1 by the values alone.
  private func order(_ a: Int, _ b: Int) -> Int {
    let width = directions.count
    for path in 0..<width {
      let order = SortRows.order(values[a * width + path], values[b * width + path])
      if order != 0 { return directions[path] ? order : -order }
    }
    return 0
  }

  /// A missing value comes last.
  private static func order(_ a: SortValue, _ b: SortValue) -> Int {
    switch (a, b) {
    case (.value(let x), .value(let y)): QueryValue.sortOrder(x, y)
    case (.missing, .missing): 0
    case (.missing, _): 1
    case (_, .missing): -1
    }
  }

  /// Sorts the objects and keeps the first `limit`.
  ///
  /// - Returns: the last object that is left.
  @discardableResult
  mutating func sort(limit: Int = .max) -> Row? {
    keep(Array(positions.indices.sorted { isBefore($0, $1) }.prefix(limit)))
    return positions.isEmpty ? nil : row(count - 1)
  }

  /// The positions of the first object of each combination of values, in ascending order.
  func firstPositions() -> [Int] {
    let sorted = positions.indices.sorted { isBefore($0, $1) }
    var kept: [Int] = []
    for (i, row) in sorted.enumerated() where i == 0 || order(sorted[i - 1], row) != 0 {
      kept.append(positions[row])
    }
    return kept.sorted()
  }
}

extension KeyPath {
  /// True if the path ends in a value other than a link.
  fileprivate var isProperty: Bool { if case .objects = end { false } else { true } }
}
