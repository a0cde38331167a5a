import RealmModel

/// Objects on their way into the result, and what they lack.
struct SalvageDraft {
  /// In the schema of the result.
  var batch: ObjectBatch
  /// For each property, the rows with a lost value.
  var lost: [Set<Int>]
  /// For each property, by row, the number of links that are null because their target is not in the
  /// result.
  var links: [[Int: Int]]
  /// For each property, by row, the position of the older version that a value is from.
  var filled: [[Int: Int]]

  init(propertyCount count: Int) {
    batch = ObjectBatch(classPosition: 0, count: 0, keys: [], columns: [], owner: nil)
    lost = Array(repeating: [], count: count)
    (links, filled) = (Array(repeating: [:], count: count), Array(repeating: [:], count: count))
  }

  /// The rows that lack a value.
  var lackingRows: Set<Int> { lost.reduce(into: []) { $0.formUnion($1) } }

  /// The objects in some rows.
  func rows(_ range: Range<Int>) -> SalvageDraft {
    var part = self
    func moved(_ rows: [Int: Int]) -> [Int: Int] {
      var moved: [Int: Int] = [:]
      for (row, value) in rows where range.contains(row) { moved[row - range.lowerBound] = value }
      return moved
    }
    part.batch = ObjectBatch.picking(
      range.map { RowPick(source: 0, row: $0) }, of: [batch], keys: Array(batch.keys[range]))
    part.lost = lost.map { Set($0.filter(range.contains).map { $0 - range.lowerBound }) }
    (part.links, part.filled) = (links.map(moved), filled.map(moved))
    return part
  }

  /// Takes values of other objects.
  ///
  /// - Parameters:
  ///   - other: objects of an older version.
  ///   - rows: for each row of `other`, the row whose lost values it replaces; nil for none.
  ///   - version: position of the older version.
  ///   - key: the primary key, which is not taken.
  mutating func fill(
    from other: SalvageDraft, rows: [Int?], version: Int, except key: Int?
  ) {
    var columns = batch.columns
    for i in lost.indices where i != key && !lost[i].isEmpty {
      guard let own = columns[i], let values = other.batch.columns[i] else { continue }
      var picks = (0..<batch.count).map { RowPick(source: 0, row: $0) }
      var isChanged = false
      for (otherRow, row) in rows.enumerated() {
        guard let row, lost[i].contains(row), !other.lost[i].contains(otherRow) else { continue }
        picks[row] = RowPick(source: 1, row: otherRow)
        isChanged = true
        lost[i].remove(row)
        links[i][row] = other.links[i][otherRow]
        filled[i][row] = version
      }
      if isChanged { columns[i] = ColumnValues.picking(picks, of: [own, values]) }
    }
    batch = ObjectBatch(
      classPosition: batch.classPosition, count: batch.count, keys: batch.keys, columns: columns,
      owner: [batch, other.batch])
  }

  /// Replaces values by null, or by the default of a required property.
  mutating func removeValues(ofProperty i: Int, _ property: Property, _ rows: [Int]) {
    guard let own = batch.columns[i] else { return }
    let defaults = property.defaultValues(count: batch.count)
    var picks = (0..<batch.count).map { RowPick(source: 0, row: $0) }
    for row in rows {
      picks[row] = RowPick(source: 1, row: row)
      (links[i][row], filled[i][row]) = (nil, nil)
      lost[i].insert(row)
    }
    var columns = batch.columns
    columns[i] = ColumnValues.picking(picks, of: [own, defaults])
    // The result points to the bytes of both columns.
    batch = ObjectBatch(
      classPosition: batch.classPosition, count: batch.count, keys: batch.keys, columns: columns,
      owner: (batch, defaults))
  }
}
