import RealmModel
import RealmStorage

/// What the comparison of a part yields.
struct DiffOutcome {
  var counts: ClassDifference
  var changes: [ObjectChange] = []
  /// Objects whose counterpart may have another object key, as records of ``IdentityJoin``.
  var oldRecords: [UInt64] = []
  var newRecords: [UInt64] = []

  /// The approximate number of bytes in memory.
  var weight: Int { 512 * changes.count + 8 * (oldRecords.count + newRecords.count) }
}

/// Compares objects of two realms. Used by one thread at a time.
final class PartComparison: @unchecked Sendable {
  private let schemas: SchemaPair
  private let equality: BatchEquality
  private let request: RealmDiff.Request
  private let old: Reading
  private let new: Reading

  /// How one thread reads one side.
  private final class Reading {
    let realm: Realm
    let cursor: RealmCursor
    private let fetcher: ObjectFetcher
    var digests: ObjectDigests

    init(_ realm: Realm) throws(RealmFileError) {
      self.realm = realm
      cursor = try RealmSource(realm).makeCursor()
      fetcher = try ObjectFetcher(realm)
      digests = try ObjectDigests(realm.schema.objects, includesKeys: false)
    }

    /// The next batch of the part that the cursor is at; nil after the last one.
    func next() throws(RealmFileError) -> ObjectBatch? {
      do throws(RealmFileError) {
        return try cursor.next()
      } catch {
        throw error.adding(path: realm.snapshot.path)
      }
    }

    /// The first of the objects with `keys`, as many as fit into a batch.
    func fetch(_ keys: [ObjectKey], _ position: Int) throws(RealmFileError) -> ObjectBatch {
      do throws(RealmFileError) {
        return try fetcher.fetch(keys, of: realm.schema.tables[position])
      } catch {
        throw error.adding(path: realm.snapshot.path)
      }
    }
  }

  init(
    _ old: Realm, _ new: Realm, _ schemas: SchemaPair, _ request: RealmDiff.Request
  ) throws(RealmFileError) {
    (self.schemas, self.request) = (schemas, request)
    equality = BatchEquality(schemas: schemas)
    (self.old, self.new) = (try Reading(old), try Reading(new))
  }

  // MARK: Parts

  /// The objects of a part, in the order of their keys.
  private struct Window {
    private let reading: Reading
    private let keys: Range<UInt64>
    private(set) var batch: ObjectBatch?
    /// The rows of ``batch`` that were not compared yet and belong to the part.
    var rows = 0..<0

    init?(
      _ reading: Reading, _ position: Int?, _ clusters: [ClusterPosition], _ keys: Range<UInt64>
    ) {
      guard let position, !clusters.isEmpty else { return nil }
      (self.reading, self.keys) = (reading, keys)
      reading.cursor.open(
        ObjectPart(classPosition: position, number: 0, clusters: clusters))
    }

    /// Reads until there are rows to compare.
    ///
    /// - Returns: false if there are none left.
    mutating func fill() throws(RealmFileError) -> Bool {
      while rows.isEmpty {
        guard let next = try reading.next() else { return false }
        batch = next
        rows = 0..<next.count
        while let first = rows.first, UInt64(bitPattern: next.keys[first].raw) < keys.lowerBound {
          rows = rows.dropFirst()
        }
        while let last = rows.last, UInt64(bitPattern: next.keys[last].raw) >= keys.upperBound {
          rows = rows.dropLast()
        }
      }
      return true
    }

    var key: Int64? { rows.first.flatMap { row in batch.map { $0.keys[row].raw } } }
  }

  /// Compares the objects of a part.
  ///
  /// - Parameter opened: receives the bytes of nodes that each side opened.
  func compare(
    _ part: DiffPart, of pair: ClassPair
  ) throws(RealmFileError) -> (outcome: DiffOutcome, opened: (old: PartReport, new: PartReport)) {
    var collector = ChangeCollector(schemas, pair, request)
    var outcome = DiffOutcome(counts: collector.counts)
    var before = Window(old, pair.old, part.old, part.keys)
    var after = Window(new, pair.new, part.new, part.keys)
    while true {
      let hasOld = try before?.fill() ?? false
      let hasNew = try after?.fill() ?? false
      guard hasOld || hasNew else { break }
      var match = Match()
      let known = collector.changes.count
      switch (hasOld ? before?.batch : nil, hasNew ? after?.batch : nil) {
      case (let a?, let b?):
        guard var x = before?.rows, var y = after?.rows else { break }
        if pair.matching == .content {
          (match.onlyOld, match.onlyNew) = (Array(x), Array(y))
          (x, y) = (x.upperBound..<x.upperBound, y.upperBound..<y.upperBound)
        }
        while let i = x.first, let j = y.first {
          let (m, n) = (a.keys[i].raw, b.keys[j].raw)
          if m == n {
            match.pairs.append((i, j))
            (x, y) = (x.dropFirst(), y.dropFirst())
          } else if m < n {
            match.onlyOld.append(i)
            x = x.dropFirst()
          } else {
            match.onlyNew.append(j)
            y = y.dropFirst()
          }
        }
        before?.rows = x
        after?.rows = y
        try compare(a, b, &match, pair, &collector)
        try leftOver(a, match.onlyOld, pair, old, &outcome.oldRecords, &collector)
        try leftOver(b, match.onlyNew, pair, new, &outcome.newRecords, &collector)
      case (let a?, nil):
        try leftOver(a, Array(before?.rows ?? 0..<0), pair, old, &outcome.oldRecords, &collector)
        before?.rows = 0..<0
      case (nil, let b?):
        try leftOver(b, Array(after?.rows ?? 0..<0), pair, new, &outcome.newRecords, &collector)
        after?.rows = 0..<0
      case (nil, nil): break
      }
      collector.sortByObjectKey(from: known)
    }
    (outcome.counts, outcome.changes) = (collector.counts, collector.changes)
    return (outcome, (old.cursor.close(), new.cursor.close()))
  }

  /// Rows of two batches.
  private struct Match {
    /// Rows with the same object.
    var pairs: [(old: Int, new: Int)] = []
    var onlyOld: [Int] = []
    var onlyNew: [Int] = []
  }

  /// Handles objects without a counterpart of the same key.
  private func leftOver(
    _ batch: ObjectBatch, _ rows: [Int], _ pair: ClassPair, _ side: Reading,
    _ records: inout [UInt64], _ collector: inout ChangeCollector
  ) throws(RealmFileError) {
    guard !rows.isEmpty else { return }
    guard pair.old != nil, pair.new != nil, pair.matching != .objectKey else {
      for row in rows {
        if side === old {
          try collector.removed(batch, row)
        } else {
          try collector.added(batch, row)
        }
      }
      return
    }
    func add(_ row: Int, _ digest: ObjectDigest) {
      records.append(digest.words.0)
      records.append(digest.words.1)
      records.append(UInt64(bitPattern: batch.keys[row].raw))
    }
    if pair.matching == .content {
      let wanted = Set(rows)
      let known = Set(pair.properties.compactMap { side === old ? $0.old : $0.new })
      let skipped = Set(batch.columns.indices).subtracting(known)
      try side.digests.forEach(in: batch, without: skipped) { row, digest in
        if wanted.contains(row) { add(row, digest) }
      }
    } else if let position = side.realm.schema.objects.classes[batch.classPosition].primaryKey,
      case .scalar(let keys)? = batch.columns[position]
    {
      for row in rows { add(row, try side.digests.digest(ofKey: keys[row])) }
    }
  }

  /// Compares pairs of rows. Pairs with different primary keys move to the rows without counterpart.
  private func compare(
    _ old: ObjectBatch, _ new: ObjectBatch, _ match: inout Match, _ pair: ClassPair,
    _ collector: inout ChangeCollector
  ) throws(RealmFileError) {
    guard !match.pairs.isEmpty else { return }
    let (oldClass, newClass) = (
      schemas.old.classes[old.classPosition], schemas.new.classes[new.classPosition]
    )
    var pairs = match.pairs
    if pair.matching == .primaryKey, let a = oldClass.primaryKey, let b = newClass.primaryKey,
      let oldKeys = old.columns[a], let newKeys = new.columns[b]
    {
      var isMatch = Array(repeating: true, count: pairs.count)
      var hasOthers = false
      try equality.forEachDifference(
        oldKeys, newKeys, pairs, areSets: false, areAligned: areAligned(pairs, old, new)
      ) {
        isMatch[$0] = false
        hasOthers = true
      }
      if hasOthers {
        match.onlyOld += pairs.indices.filter { !isMatch[$0] }.map { pairs[$0].old }
        match.onlyNew += pairs.indices.filter { !isMatch[$0] }.map { pairs[$0].new }
        pairs = pairs.indices.filter { isMatch[$0] }.map { pairs[$0] }
      }
    }
    try compare(old, oldClass, new, newClass, pairs, pair.properties, &collector)
  }

  private func areAligned(
    _ pairs: [(old: Int, new: Int)], _ old: ObjectBatch, _ new: ObjectBatch
  ) -> Bool {
    // Both rows ascend.
    pairs.count == old.count && pairs.count == new.count
  }

  private func compare(
    _ old: ObjectBatch, _ oldClass: ObjectClass, _ new: ObjectBatch, _ newClass: ObjectClass,
    _ pairs: [(old: Int, new: Int)], _ properties: [PropertyPair],
    _ collector: inout ChangeCollector
  ) throws(RealmFileError) {
    let isAligned = areAligned(pairs, old, new)
    // The properties that differ, by position of the pair.
    var differences: [Int: [PropertyPair]] = [:]
    for property in properties {
      try equality.withColumns(property, old, oldClass, new, newClass) {
        (a, aIsDefault, b, bIsDefault) throws(RealmFileError) in
        let isWhole = !aIsDefault && !bIsDefault
        let rows =
          isWhole ? pairs : pairs.map { (aIsDefault ? 0 : $0.old, bIsDefault ? 0 : $0.new) }
        try equality.forEachDifference(
          a, b, rows, areSets: property.areSets(oldClass, newClass),
          areAligned: isWhole && isAligned
        ) {
          differences[$0, default: []].append(property)
        }
      }
    }
    for position in differences.keys.sorted() {
      try collector.changed(
        old, pairs[position].old, new, pairs[position].new, differences[position] ?? [])
    }
  }

  // MARK: Objects by key

  /// Compares objects by their keys on both sides.
  ///
  /// - Parameter keys: at most ``ObjectBatch/capacity`` keys of each side.
  func compare(
    _ keys: [(old: ObjectKey, new: ObjectKey)], of pair: ClassPair
  ) throws(RealmFileError) -> DiffOutcome {
    var collector = ChangeCollector(schemas, pair, request)
    guard let oldPosition = pair.old, let newPosition = pair.new else {
      return DiffOutcome(counts: collector.counts)
    }
    let (oldClass, newClass) = (
      schemas.old.classes[oldPosition], schemas.new.classes[newPosition]
    )
    var left = keys[...]
    while !left.isEmpty {
      let a = try old.fetch(left.map(\.old), oldPosition)
      let b = try new.fetch(left.prefix(a.count).map(\.new), newPosition)
      let pairs = (0..<b.count).map { (old: $0, new: $0) }
      try compare(a, oldClass, b, newClass, pairs, pair.properties, &collector)
      left = left.dropFirst(b.count)
    }
    return DiffOutcome(counts: collector.counts, changes: collector.changes)
  }

  /// The objects with `keys`, which only one side has.
  func only(
    _ keys: [ObjectKey], areNew: Bool, of pair: ClassPair
  ) throws(RealmFileError) -> DiffOutcome {
    var collector = ChangeCollector(schemas, pair, request)
    let side = areNew ? new : old
    guard let position = areNew ? pair.new : pair.old else {
      return DiffOutcome(counts: collector.counts)
    }
    var left = keys[...]
    while !left.isEmpty {
      let batch = try side.fetch(Array(left), position)
      for row in 0..<batch.count {
        if areNew { try collector.added(batch, row) } else { try collector.removed(batch, row) }
      }
      left = left.dropFirst(batch.count)
    }
    return DiffOutcome(counts: collector.counts, changes: collector.changes)
  }
}
