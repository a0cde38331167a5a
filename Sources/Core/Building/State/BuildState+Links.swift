import RealmModel
import RealmStorage

/// Resolves links by primary key, and appends the leaves that wait for them.
extension BuildState {
  /// Finds the object keys of the targets of all links by primary key.
  ///
  /// - Parameter primaryKeys: hash of the primary key and object key of each object, by position of the class.
  /// - Throws: `tooMany` if two primary keys have the same hash; the errors of an unlinked file.
  func resolve(_ primaryKeys: [Int: SortedRuns]) throws(BuildError) {
    let resolved = resolvedLinks
    for (target, links) in identityLinks.sorted(by: { $0.key < $1.key }) {
      var objects = HashedKeys(primaryKeys[target])
      try inBuild(primaryKeys[target]?.finish())
      try inBuild(links.finish())
      while case let words = try inBuild(links.next()),
        !words.isEmpty
      {
        var records: [UInt64] = []
        records.reserveCapacity(words.count)
        for i in stride(from: 0, to: words.count, by: 2) {
          let key = try inBuild(objects.key(of: words[i]))
          // Equal primary keys also have equal hashes, but are reported already.
          guard !objects.isAmbiguous || !faults.isEmpty else {
            throw BuildError(
              .tooMany("two primary keys have the same hash, so links cannot distinguish them"),
              className: layout.schema.classes[target].name.text)
          }
          records.append(words[i + 1])
          records.append(key ?? BuildState.missing)
        }
        try inBuild(resolved.append(records))
      }
      identityLinks[target] = nil
    }
    try inBuild(resolved.finish())
  }

  /// Stands for the key of a missing object.
  static let missing = UInt64(bitPattern: .min)

  /// Appends the leaves that waited for keys.
  ///
  /// - Throws: `missingTarget`, with class, property and object.
  func appendPending(into nodes: FileNodes) throws(BuildError) {
    var links = ResolvedLinks(resolvedLinks, self)
    var offset = 0
    while let leaf = try inBuild(pending.next(&offset)) {
      guard let table = layout.tables[leaf.classPosition] else { continue }
      links.begin(table.columns[leaf.leafIndex], cluster: leaf.cluster)
      let ref = try leaf.program.run(&links, into: nodes.buffer)
      objects[leaf.classPosition]?.setLeaf(ref, leaf.leafIndex, of: leaf.cluster)
      try inBuild(nodes.relieve())
      try inBuild(links.end())
    }
  }
}

/// The objects of a class, sorted by the hash of their primary key.
private struct HashedKeys {
  private let objects: SortedRuns?
  private var words: [UInt64] = []
  private var next = 0
  private var current: (hash: UInt64, key: UInt64)?
  /// Whether two objects have the last hash that was looked up.
  private(set) var isAmbiguous = false

  init(_ objects: SortedRuns?) { self.objects = objects }

  /// The key of the object with `hash`; nil if there is none. Hashes must be looked up in ascending order.
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

extension BuildState {
  /// The tombstone for a missing link target.
  ///
  /// - Parameters:
  ///   - offset: the place of its primary key in ``identities``.
  ///   - placed: adds the place of the link to an error.
  /// - Throws: `missingTarget` if the link may not be unresolved and the limit of errors is reached, or if no
  ///   object can have the primary key.
  func tombstone(
    at offset: Int, _ placed: (BuildError) -> BuildError
  ) throws(BuildError) -> ObjectKey {
    let (identity, isUnresolved) = try inBuild(identities.identity(at: offset))
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
