import RealmStorage

/// Checks the keys and values of a dictionary (chapter 2, rules S2 to S4).
struct DictionaryCheck {
  let format: Int
  let root: Ref

  /// - Parameter column: nil for a dictionary in a mixed value.
  func check(_ entries: RealmReader.Entries, of column: Column?, _ findings: inout Findings) {
    checkKeys(entries.keys, &findings)
    guard let column, column.type != .mixed else { return }
    let odd = entries.values.filter { !isLegal($0, in: column) }
    guard let first = odd.first else { return }
    findings.add(
      .dictionaryValueType, at: root,
      "\(odd.count) of \(entries.values.count) values have another type than \(column.type); the "
        + "first is \(first.columnType.map { "\($0)" } ?? "null or a collection")")
  }

  private func isLegal(_ value: MixedValue, in column: Column) -> Bool {
    switch value {
    case .null: column.isNullable || column.type == .link
    case .typedLink(let table, _): column.type == .link && table == column.target
    default: value.columnType == column.type
    }
  }

  private func checkKeys(_ keys: [MixedValue], _ findings: inout Findings) {
    let isAscending = zip(keys, keys.dropFirst()).allSatisfy { SetOrder.compare($0, $1) < 0 }
    guard !isAscending else { return }
    let sorted = SetOrder.sorted(keys, keepingDuplicates: false)
    if sorted.duplicates > 0 {
      findings.add(
        .dictionaryUniqueKeys, at: root,
        "\(sorted.duplicates) of \(keys.count) keys occur more than once")
    }
    guard format >= DictionaryLayout.firstTreeFormat else { return }
    // Format 23 sorts keys as signed or as unsigned characters; an upgrade to format 24 can keep that
    // order.
    let isOld = zip(keys, keys.dropFirst()).allSatisfy { CharacterOrder.precedes($0, $1) }
    guard !(isOld && format < 24) else { return }
    let row = zip(keys, keys.dropFirst()).enumerated()
      .first { SetOrder.compare($1.0, $1.1) >= 0 }?.offset
    findings.add(
      .dictionaryOrder, isOld ? .warning : .error, at: root,
      "key \((row ?? 0) + 1) of \(keys.count) does not come after the one before it")
  }
}
