import RealmModel
import RealmStorage

/// Checks the keys and values of a dictionary while they are read (chapter 2, rules S2 to S4).
struct DictionaryCheck {
  private let format: FileFormat
  private let root: Ref
  /// Nil for a dictionary in a mixed value.
  private let column: Column?
  private var keyCount = 0
  private var lastKey: MixedValue?
  /// The first row whose key is not greater than the key before it.
  private var firstDisordered: Int?
  /// Whether the keys ascend in ``CharacterOrder``.
  private var isOldOrder = true
  private var valueCount = 0
  /// Number of values of another type than the column, and the first such value.
  private var (oddCount, firstOdd): (Int, MixedValue?) = (0, nil)

  /// - Parameter column: nil for a dictionary in a mixed value.
  init(format: FileFormat, root: Ref, of column: Column?) {
    (self.format, self.root, self.column) = (format, root, column)
  }

  mutating func add(key: MixedValue) {
    if let lastKey {
      if firstDisordered == nil, StoredOrder.current.compare(lastKey, key) >= 0 {
        firstDisordered = keyCount
      }
      if isOldOrder, !CharacterOrder.precedes(lastKey, key) { isOldOrder = false }
    }
    lastKey = key
    keyCount += 1
  }

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
  var needsKeys: Bool { firstDisordered != nil }

  /// Adds the findings about the dictionary.
  ///
  /// - Parameter keys: all keys, if ``needsKeys``.
  func report(keys: [MixedValue], _ findings: inout Findings) {
    if let firstDisordered { report(keys, firstDisordered, &findings) }
    guard let column, let firstOdd else { return }
    findings.add(
      .dictionaryValueType, at: root,
      "\(oddCount) of \(valueCount) values do not have type \(column.type); the first is "
        + "\(firstOdd.columnType.map { "\($0)" } ?? "null or a collection")")
  }

  private func report(_ keys: [MixedValue], _ firstDisordered: Int, _ findings: inout Findings) {
    let duplicates = StoredOrder.current.sorted(keys, keepingDuplicates: false).duplicates
    if duplicates > 0 {
      findings.add(
        .dictionaryUniqueKeys, at: root, "\(duplicates) of \(keyCount) keys occur more than once")
    }
    // Formats 21 and 22 sort keys by hash.
    guard format.dictionaries == .trees else { return }
    // In format 23, the platform determined whether characters were signed. An upgrade to format 24 can
    // keep that order.
    guard !(isOldOrder && format.byteOrder == .characters) else { return }
    findings.add(
      .dictionaryOrder, isOldOrder ? .warning : .error, at: root,
      "key \(firstDisordered + 1) of \(keyCount) is not greater than the key before it")
  }
}
