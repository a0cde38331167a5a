import RealmModel
import RealmStorage

/// Checks the keys and values of a dictionary (chapter 2, rules S2 to S4), as they are read.
struct DictionaryCheck {
  private let format: Int
  private let root: Ref
  /// Nil for a dictionary in a mixed value.
  private let column: Column?
  private var keyCount = 0
  private var lastKey: MixedValue?
  /// The first row whose key does not come after the one before it.
  private var firstDisordered: Int?
  /// Whether the keys ascend if characters are signed.
  private var isOldOrder = true
  private var valueCount = 0
  /// Number of values of another type than the column's, and the first one.
  private var (oddCount, firstOdd): (Int, MixedValue?) = (0, nil)

  /// - Parameter column: nil for a dictionary in a mixed value.
  init(format: Int, root: Ref, of column: Column?) {
    (self.format, self.root, self.column) = (format, root, column)
  }

  mutating func add(key: MixedValue) {
    if let lastKey {
      if firstDisordered == nil, SetOrder.compare(lastKey, key) >= 0 { firstDisordered = keyCount }
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

  /// Whether ``tell(keys:_:)`` needs all keys.
  var needsKeys: Bool { firstDisordered != nil }

  /// - Parameter keys: all keys, if ``needsKeys``.
  func tell(keys: [MixedValue], _ findings: inout Findings) {
    if let firstDisordered { tell(keys, firstDisordered, &findings) }
    guard let column, let firstOdd else { return }
    findings.add(
      .dictionaryValueType, at: root,
      "\(oddCount) of \(valueCount) values have another type than \(column.type); the "
        + "first is \(firstOdd.columnType.map { "\($0)" } ?? "null or a collection")")
  }

  private func tell(_ keys: [MixedValue], _ firstDisordered: Int, _ findings: inout Findings) {
    let duplicates = SetOrder.sorted(keys, keepingDuplicates: false).duplicates
    if duplicates > 0 {
      findings.add(
        .dictionaryUniqueKeys, at: root, "\(duplicates) of \(keyCount) keys occur more than once")
    }
    // Formats 21 and 22 sort keys by hash.
    guard format >= DictionaryLayout.firstTreeFormat else { return }
    // Format 23 sorts keys as signed or as unsigned characters; an upgrade to format 24 can keep that
    // order.
    guard !(isOldOrder && format < 24) else { return }
    findings.add(
      .dictionaryOrder, isOldOrder ? .warning : .error, at: root,
      "key \(firstDisordered + 1) of \(keyCount) does not come after the one before it")
  }
}
