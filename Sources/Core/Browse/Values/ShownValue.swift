import RealmModel
import RealmStorage

/// A value of an object as pages show it. Its bytes stay in the batch that it comes from.
enum ShownValue {
  /// A value that is neither a link nor has parts.
  case scalar(BatchValue)
  case link(ShownLink)
  /// The embedded object in a row of a batch.
  case object(ObjectBatch, row: Int)
  case collection(ShownCollection)

  init(_ values: ColumnValues, _ row: Int) {
    switch values {
    case .scalar(let column): self = .scalar(column[row])
    case .link(let column):
      self =
        column.nulls[row]
        ? .scalar(.null)
        : .link(
          ShownLink(
            target: column.target, key: row < column.keys.count ? column.keys[row] : nil,
            identity: column.identity(row), isUnresolved: column.unresolved[row]))
    case .embedded(let column):
      self =
        column.rows[row] < 0
        ? .scalar(.null) : .object(column.objects, row: column.rows[row])
    case .mixed(let column): self = ShownValue(column, row)
    case .collection(let column): self = .collection(ShownCollection(column, row))
    }
  }

  private init(_ column: MixedColumn, _ row: Int) {
    switch column.values[row] {
    case .link(let i):
      let link = column.links[i]
      self = .link(
        ShownLink(
          target: link.target, key: link.key,
          identity: link.identity ?? link.key.map { .int($0.raw) } ?? .null,
          isUnresolved: link.isUnresolved))
    case .list(let i): self = ShownValue(column.lists, i)
    case .dictionary(let i): self = ShownValue(column.dictionaries, i)
    case let value: self = .scalar(value)
    }
  }

  private init(_ collections: CollectionColumn?, _ row: Int) {
    self = collections.map { .collection(ShownCollection($0, row)) } ?? .scalar(.null)
  }
}

/// A link to an object.
struct ShownLink {
  /// Position of the class of the object.
  let target: Int
  /// Nil if the realm has no object with this identity.
  let key: ObjectKey?
  /// The primary key, or the object key if the class has none.
  let identity: BatchValue
  let isUnresolved: Bool
}

/// A list, set or dictionary.
struct ShownCollection {
  private let column: CollectionColumn
  private let row: Int

  init(_ column: CollectionColumn, _ row: Int) { (self.column, self.row) = (column, row) }

  /// The number of elements; nil for a large collection, whose elements come in runs.
  var count: Int? { column.runs == nil ? column.range(of: row).count : nil }

  /// Calls `body` with the number, the key (of a dictionary) and the value of each element in `window`. The values are
  /// readable only during the call.
  ///
  /// - Returns: whether there are elements behind the window.
  /// - Throws: the errors of reading a large collection; those of `body`.
  func forEach(
    in window: Range<Int>,
    _ body: (Int, BatchValue?, ShownValue) throws(RealmFileError) -> Void
  ) throws(RealmFileError) -> Bool {
    guard let runs = column.runs?.restarted() else {
      let all = column.range(of: row)
      try forEach(of: column, all, from: 0, window, body)
      return window.upperBound < all.count
    }
    var passed = 0
    while let run = try runs.next() {
      try Cancellation.current?.check()
      let elements = run.range(of: 0)
      try forEach(of: run, elements, from: passed, window, body)
      passed += elements.count
      if passed > window.upperBound { return true }
    }
    return false
  }

  /// - Parameter start: number of the first of `elements` in the whole collection.
  private func forEach(
    of column: CollectionColumn, _ elements: Range<Int>, from start: Int, _ window: Range<Int>,
    _ body: (Int, BatchValue?, ShownValue) throws(RealmFileError) -> Void
  ) throws(RealmFileError) {
    for i in window.clamped(to: start..<(start + elements.count)) {
      let row = elements.lowerBound + i - start
      try body(i, column.keys?[row], ShownValue(column.elements, row))
    }
  }

  /// Whether the elements have keys.
  var isDictionary: Bool { column.keys != nil || column.runs != nil && hasKeys }

  private var hasKeys: Bool {
    guard let first = try? column.runs?.restarted().next() else { return false }
    return first.keys != nil
  }
}

/// The way from an object to a value in it: the position of a property, then positions of elements, or of properties
/// of embedded objects.
struct ValuePath: Equatable, Sendable {
  /// Maximum number of steps: no realm nests deeper.
  private static let stepLimit = 200

  var steps: [Int]

  init(_ steps: [Int]) { self.steps = steps }

  /// Nil unless `text` is numbers with points between them.
  init?(_ text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
    guard parts.count <= ValuePath.stepLimit,
      !parts.contains(where: { $0.map { $0 < 0 } ?? true })
    else { return nil }
    steps = parts.compactMap(\.self)
  }

  var text: String { steps.map(String.init).joined(separator: ".") }

  func appending(_ step: Int) -> ValuePath { ValuePath(steps + [step]) }

  /// Calls `body` with the value at this path in an object.
  ///
  /// - Parameter batch: the object, in row 0.
  /// - Returns: nil if there is no such value.
  func withValue<R>(
    in batch: ObjectBatch, _ body: (ShownValue) throws(RealmFileError) -> R
  ) throws(RealmFileError) -> R? {
    guard let first = steps.first, first < batch.columns.count, let column = batch.columns[first]
    else { return nil }
    return try ValuePath.follow(steps.dropFirst(), ShownValue(column, 0), body)
  }

  private static func follow<R>(
    _ steps: ArraySlice<Int>, _ value: ShownValue,
    _ body: (ShownValue) throws(RealmFileError) -> R
  ) throws(RealmFileError) -> R? {
    guard let step = steps.first else { return try body(value) }
    switch value {
    case .scalar, .link: return nil
    case .object(let batch, let row):
      guard step < batch.columns.count, let column = batch.columns[step] else { return nil }
      return try follow(steps.dropFirst(), ShownValue(column, row), body)
    case .collection(let collection):
      guard step < Int.max else { return nil }
      var result: R?
      _ = try collection.forEach(in: step..<(step + 1)) { (_, _, element) throws(RealmFileError) in
        result = try follow(steps.dropFirst(), element, body)
      }
      return result
    }
  }
}
