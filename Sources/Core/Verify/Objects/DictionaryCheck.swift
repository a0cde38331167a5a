import RealmModel
import RealmStorage

/// Checks the keys and values of a dictionary while they are read (chapter 2, rules S2 to S4).
struct DictionaryCheck {
  private let format: FileFormat
  private let root: Ref
  /// Nil for a dictionary in a mixed value.
  private let column: Column?
  private var keys = AscentCheck(.current, .signedCharacters)
  private var valueCount = 0
  /// Number of values of another type than the column, and the first such value.
  private var (oddCount, firstOdd): (Int, MixedValue?) = (0, nil)

  /// - Parameter column: nil for a dictionary in a mixed value.
  init(format: FileFormat, root: Ref, of column: Column?) {
    (self.format, self.root, self.column) = (format, root, column)
  }

  mutating func add(key: MixedValue) { keys.add(key) }

  mutating func add(value: MixedValue) {
    valueCount += 1
    guard let column, column.type != .mixed, !isLegal(value, in: column) else { return }
    oddCount += 1
    if firstOdd == nil { firstOdd = value }
  }

  private func isLegal(_ value: MixedValue, in column: Column) -> Bool {
    switch value {
    case .null: column.isNullable || column.type == .link
    case .typedLink(let table, _): column.type == .link && table == column.target
    default: value.columnType == column.type
    }
  }

  /// Whether ``report(keys:_:)`` needs all keys.
  var needsKeys: Bool { !keys.better.isAscending }

  /// Adds the findings about the dictionary.
  ///
  /// - Parameter keys: all keys, if ``needsKeys``.
  func report(keys: [MixedValue], _ findings: inout Findings) {
    report(keys, &findings)
    guard let column, let firstOdd else { return }
    findings.add(
      .dictionaryValueType, at: root,
      "\(oddCount) of \(valueCount) values do not have type \(column.type); the first is "
        + "\(firstOdd.columnType.map { "\($0)" } ?? "null or a collection")")
  }

  private func report(_ all: [MixedValue], _ findings: inout Findings) {
    let duplicates = StoredOrder.current.sorted(all, keepingDuplicates: false).duplicates
    if duplicates > 0 {
      findings.add(
        .dictionaryUniqueKeys, at: root, "\(duplicates) of \(keys.count) keys occur more than once")
    }
    // Formats 21 and 22 sort keys by hash.
    guard format.dictionaries == .trees, let firstWrong = keys.first.firstWrong else { return }
    // In format 23, the platform determined whether characters were signed. An upgrade to format 24 can
    // keep that order.
    let isOldOrder = keys.second?.isAscending ?? false
    guard !(isOldOrder && format.byteOrder == .characters) else { return }
    findings.add(
      .dictionaryOrder, isOldOrder ? .warning : .error, at: root,
      "key \(firstWrong + 1) of \(keys.count) is not greater than the key before it")
  }
}
