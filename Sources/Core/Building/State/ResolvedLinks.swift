import RealmModel
import RealmStorage

/// Gives leaves the keys of their links, one after another, and records the backlinks and index entries of these
/// links.
struct ResolvedLinks {
  private let resolved: SortedRuns
  private let state: BuildState
  private var column: BuildColumn?
  private var cluster = 0
  /// The next links, read ahead: key and class of the target, and the place of its primary key.
  private var ahead: [(key: ObjectKey, target: Int, identity: Int)] = []
  private var taken = 0
  private var words: [UInt64] = []
  private var next = 0
  private var identityOffset = 0
  /// The links of the current leaf to the class of the last link (`records`), and to other classes (`found`).
  private var path: BuildPiece.LinkPath?
  private var records: [UInt64] = []
  private var found: [BuildPiece.LinkPath: [UInt64]] = [:]
  private var entries: IndexEntryList?

  init(_ resolved: SortedRuns, _ state: BuildState) {
    (self.resolved, self.state) = (resolved, state)
  }

  /// Begins a leaf.
  mutating func begin(_ column: BuildColumn, cluster: Int) {
    (self.column, self.cluster) = (column, cluster)
    let isIndexed =
      column.isIndexed && column.property.type == .mixed && column.property.collection == nil
    entries = isIndexed ? IndexEntryList(.mixed, state.layout.indexOrder) : nil
  }

  /// Ends a leaf: adds its links to the backlinks and to the index.
  mutating func end() throws(RealmFileError) {
    endPath()
    for (path, records) in found.sorted(by: { $0.key < $1.key }) {
      try state.backlinkRuns(path).append(records)
    }
    found.removeAll(keepingCapacity: true)
    if let entries, let column {
      try state.indexes[column.number]?.append(loose: entries)
    }
  }

  /// Adds a link to the backlinks.
  private mutating func note(_ key: ObjectKey, _ target: Int, from owner: ObjectKey) {
    if path?.target != target {
      endPath()
      path = column.map { BuildPiece.LinkPath(column: $0.number, target: target) }
    }
    records.append(UInt64(bitPattern: key.raw))
    records.append(UInt64(bitPattern: owner.raw))
  }

  private mutating func endPath() {
    guard let path else { return }
    if found[path] == nil { found[path] = records } else { found[path]? += records }
    self.path = nil
    records.removeAll(keepingCapacity: true)
  }

  private func owner(_ row: Int) -> ObjectKey {
    guard let column, let objects = state.objects[column.classPosition] else { return .null }
    return objects.key(cluster, row: row)
  }

  /// The key of the tombstone for the missing target of a link of the object in `row`.
  private func tombstone(at identity: Int, row: Int) throws(BuildError) -> ObjectKey {
    try state.tombstone(at: identity) {
      $0.adding(
        className: column.map { state.layout.schema.classes[$0.classPosition].name.text },
        property: column?.property.name.text, objectKey: owner(row).raw)
    }
  }

  /// Reads ahead until the next `count` links are known.
  private mutating func read(_ count: Int) throws(BuildError) {
    if taken > 0, taken == ahead.count {
      ahead.removeAll(keepingCapacity: true)
      taken = 0
    }
    while ahead.count - taken < count {
      if next == words.count {
        words = try inBuild(resolved.next())
        next = 0
      }
      guard next < words.count else { return }
      let identity = identityOffset
      let target = try inBuild(state.identities.skip(&identityOffset))
      ahead.append((ObjectKey(Int64(bitPattern: words[next + 1])), target, identity))
      next += 2
    }
  }

  /// The key of the next link, for the object in `row`.
  ///
  /// - Parameter isValueOfObject: false for a link in a collection.
  mutating func nextLink(
    row: Int, isValueOfObject: Bool
  ) throws(BuildError) -> ObjectKey {
    try read(1)
    guard taken < ahead.count else { return .null }
    let link = ahead[taken]
    taken += 1
    var key = link.key
    if UInt64(bitPattern: key.raw) == BuildState.missing {
      key = try tombstone(at: link.identity, row: row)
    }
    let owner = owner(row)
    note(key, link.target, from: owner)
    // The index has one entry for a collection in a mixed value, and none for its elements.
    if isValueOfObject, entries != nil, let table = state.layout.tables[link.target] {
      entries?.append(
        key.isUnresolved ? .null : .typedLink(table.key, key), object: Int(owner.raw))
    }
    return key
  }

  /// Sorts some of the next links, all of the object in `row`, by key.
  mutating func sortLinks(_ range: Range<Int>, row: Int) throws(BuildError) {
    try read(range.upperBound)
    let start = taken + range.lowerBound
    guard taken + range.upperBound <= ahead.count else { return }
    // Links to missing objects need the key of a tombstone before they can be sorted.
    for i in start..<(taken + range.upperBound)
    where UInt64(bitPattern: ahead[i].key.raw) == BuildState.missing {
      ahead[i].key = try tombstone(at: ahead[i].identity, row: row)
    }
    ahead[start..<(taken + range.upperBound)].sort { $0.key.raw < $1.key.raw }
  }

  /// The key of an embedded object that the object in `row` owns.
  mutating func embedded(target: Int, number: Int, row: Int) throws(BuildError) -> ObjectKey {
    guard let key = state.objects[target]?.givenKey(number) else { return .null }
    note(key, target, from: owner(row))
    return key
  }
}
