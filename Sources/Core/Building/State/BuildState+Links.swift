import RealmModel
import RealmStorage

/// Resolves links by primary key, and the nodes that wait for them.
extension BuildState {
  /// Finds the object keys of the targets of all links, by number of the link.
  ///
  /// - Parameter primaryKeys: hash and object key of the objects of each class that links name by primary
  ///   key.
  /// - Throws: `tooMany` if two primary keys cannot be distinguished; the errors of a file of links.
  func resolve(_ primaryKeys: [Int: SortedRuns]) throws(BuildError) {
    let resolved = resolvedLinks
    for (target, links) in identityLinks.sorted(by: { $0.key < $1.key }) {
      var objects = HashedKeys(primaryKeys[target])
      try inBuild { () throws(RealmFileError) in
        try primaryKeys[target]?.finish()
        try links.finish()
      }
      while case let words = try inBuild({ () throws(RealmFileError) in try links.next() }),
        !words.isEmpty
      {
        var records: [UInt64] = []
        records.reserveCapacity(words.count)
        for i in stride(from: 0, to: words.count, by: 2) {
          let key = try inBuild { () throws(RealmFileError) in try objects.key(of: words[i]) }
          // Equal primary keys have equal hashes, and are reported already.
          guard !objects.isAmbiguous || !faults.isEmpty else {
            throw BuildError(
              .tooMany("two primary keys have the same hash, so links cannot distinguish them"),
              className: layout.schema.classes[target].name.text)
          }
          records.append(words[i + 1])
          records.append(key ?? BuildState.missing)
        }
        try inBuild { () throws(RealmFileError) in try resolved.append(records) }
      }
      identityLinks[target] = nil
    }
    try inBuild { () throws(RealmFileError) in try resolved.finish() }
  }

  /// Marks the key of an object that does not exist.
  static let missing = UInt64(bitPattern: .min)

  /// Appends the leaves that waited for keys.
  ///
  /// - Throws: `missingTarget`, with class, property and object.
  func appendPending(into nodes: FileNodes) throws(BuildError) {
    var links = ResolvedLinks(resolvedLinks, self)
    var offset = 0
    while let leaf = try inBuild({ () throws(RealmFileError) in try pending.next(&offset) }) {
      guard let table = layout.tables[leaf.classPosition] else { continue }
      links.begin(table.columns[leaf.leafIndex], cluster: leaf.cluster)
      let ref = try leaf.program.run(&links, into: nodes.buffer)
      objects[leaf.classPosition]?.setLeaf(ref, leaf.leafIndex, of: leaf.cluster)
      try inBuild { () throws(RealmFileError) in
        try nodes.relieve()
        try links.end()
      }
    }
  }
}

/// The objects of a class, sorted by the hash of their primary key.
private struct HashedKeys {
  private let objects: SortedRuns?
  private var words: [UInt64] = []
  private var next = 0
  private var current: (hash: UInt64, key: UInt64)?
  /// Whether two objects have the hash that was looked up last.
  private(set) var isAmbiguous = false

  init(_ objects: SortedRuns?) { self.objects = objects }

  /// The key of the object with `hash`; nil if there is none. Hashes must be looked up in ascending
  /// order.
  mutating func key(of hash: UInt64) throws(RealmFileError) -> UInt64? {
    if let current, current.hash == hash { return current.key }
    isAmbiguous = false
    while let candidate = try peek(), candidate.hash <= hash {
      next += 2
      isAmbiguous = current?.hash == hash && candidate.hash == hash
      current = candidate
    }
    return current?.hash == hash ? current?.key : nil
  }

  private mutating func peek() throws(RealmFileError) -> (hash: UInt64, key: UInt64)? {
    if next == words.count { (words, next) = (try objects?.next() ?? [], 0) }
    return next < words.count ? (words[next], words[next + 1]) : nil
  }
}

/// Returns the keys of link targets one after another, and records backlinks.
private struct ResolvedLinks: PendingKeys {
  private let resolved: SortedRuns
  private let state: BuildState
  private var column: BuildColumn?
  private var cluster = 0
  /// Keys and targets of the next links, read ahead.
  private var ahead: [(key: ObjectKey, target: Int, identity: Int)] = []
  private var taken = 0
  private var words: [UInt64] = []
  private var next = 0
  private var identityOffset = 0
  /// Links of the current leaf: those to the class of the last link, and those to other classes.
  private var path: BuildPiece.LinkPath?
  private var records: [UInt64] = []
  private var found: [BuildPiece.LinkPath: [UInt64]] = [:]
  private var entries: IndexEntryList?

  init(_ resolved: SortedRuns, _ state: BuildState) {
    (self.resolved, self.state) = (resolved, state)
  }

  mutating func begin(_ column: BuildColumn, cluster: Int) {
    (self.column, self.cluster) = (column, cluster)
    let isIndexed =
      column.isIndexed && column.property.type == .mixed && column.property.collection == nil
    entries = isIndexed ? IndexEntryList(.mixed) : nil
  }

  /// Adds the links of the leaf to the backlinks and to the index.
  mutating func end() throws(RealmFileError) {
    endPath()
    for (path, records) in found.sorted(by: { $0.key < $1.key }) {
      try state.backlinkRuns(path).append(records)
    }
    found.removeAll(keepingCapacity: true)
    if let entries, let column {
      try state.indexes[column.number]?.append(entries, keys: nil)
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

  /// The tombstone for the missing target of a link of the object in `row`.
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
        let resolved = resolved
        words = try inBuild { () throws(RealmFileError) in try resolved.next() }
        next = 0
      }
      guard next < words.count else { return }
      let offset = identityOffset
      var end = offset
      let state = state
      let target = try inBuild { () throws(RealmFileError) in
        try state.identities.skip(&end).target
      }
      identityOffset = end
      ahead.append(
        (ObjectKey(Int64(bitPattern: words[next + 1])), target, offset))
      next += 2
    }
  }

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
    // A collection in a mixed value is indexed as such, whatever it holds.
    if isValueOfObject, entries != nil, let table = state.layout.tables[link.target] {
      entries?.append(
        key.isUnresolved ? .null : .typedLink(table.key, key), object: Int(owner.raw))
    }
    return key
  }

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

  mutating func embedded(target: Int, number: Int, row: Int) throws(BuildError) -> ObjectKey {
    guard let key = state.objects[target]?.givenKey(number) else { return .null }
    note(key, target, from: owner(row))
    return key
  }
}

extension BuildState {
  /// The tombstone for a missing link target.
  ///
  /// - Parameters:
  ///   - offset: where its primary key is in the identity list.
  ///   - placed: adds the place of the link to an error.
  /// - Throws: `missingTarget` if the link may not be unresolved and the limit of errors is reached, or if
  ///   no object can have the primary key.
  fileprivate func tombstone(
    at offset: Int, _ placed: (BuildError) -> BuildError
  ) throws(BuildError) -> ObjectKey {
    let (identity, isUnresolved) = try inBuild { () throws(RealmFileError) in
      var end = offset
      return (try identities.identity(at: offset), try identities.skip(&end).isUnresolved)
    }
    func error() -> BuildError {
      placed(
        BuildError(
          .missingTarget(
            className: layout.schema.classes[identity.target].name.text,
            primaryKey: identity.value)))
    }
    // A tombstone has a primary key like any object.
    if let primaryKey = layout.tables[identity.target]?.primaryKey {
      let canExist =
        identity.type.map { $0 == primaryKey.property.type.columnType } ?? primaryKey.isNullable
      guard canExist else { throw faults.joined(with: error()) }
    }
    if !isUnresolved, request.separatesMissingTargets {
      return tombstones[identity.target, default: Tombstones()].expectedKey(of: identity)
    }
    if !isUnresolved, !request.allowsMissingTargets {
      try faults.add(error(), missing: identity)
    }
    return tombstones[identity.target, default: Tombstones()].key(of: identity) {
      objects[identity.target]?.takeNumber() ?? 0
    }
  }
}
