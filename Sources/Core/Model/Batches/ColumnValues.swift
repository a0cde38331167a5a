package import RealmStorage
import Synchronization

/// The values of a property, or the elements of a collection, one per row.
package indirect enum ColumnValues: Sendable {
  case scalar(ScalarColumn)
  case link(LinkColumn)
  case embedded(EmbeddedColumn)
  case mixed(MixedColumn)
  case collection(CollectionColumn)

  /// Number of rows.
  package var count: Int {
    switch self {
    case .scalar(let column): column.count
    case .link(let column): column.count
    case .embedded(let column): column.rows.count
    case .mixed(let column): column.values.count
    case .collection(let column): column.count
    }
  }

  /// Whether the values contain, at any depth, a large collection that comes in runs.
  package var hasRuns: Bool {
    switch self {
    case .scalar, .link: false
    case .embedded(let column): column.objects.columns.contains { $0?.hasRuns ?? false }
    case .mixed(let column):
      column.lists?.hasRuns ?? false || column.dictionaries?.hasRuns ?? false
    case .collection(let column): column.hasRuns
    }
  }
}

/// Links to objects of one class.
package struct LinkColumn: Sendable {
  /// Position of the class in the schema.
  package var target: Int
  /// The rows without a link.
  package var nulls: NullMask
  /// The rows with a link to a tombstone, whose object another device deleted or has yet to upload.
  package var unresolved: NullMask
  /// Keys of the targets; empty if the source has none.
  package var keys: [ObjectKey]
  /// Primary keys of the targets; nil if their class has none, or the request does not ask for them.
  package var identities: ScalarColumn?
  package let count: Int

  package init(
    target: Int, count: Int, nulls: NullMask, unresolved: NullMask = NullMask(),
    keys: [ObjectKey] = [], identities: ScalarColumn? = nil
  ) {
    (self.target, self.count, self.nulls) = (target, count, nulls)
    (self.unresolved, self.keys, self.identities) = (unresolved, keys, identities)
  }

  /// The keys of the targets as identities, for classes without a primary key; nil if the source has none.
  package var keysAsIdentities: ScalarColumn? {
    keys.isEmpty ? nil : .int(keys.map(\.raw), NullMask())
  }

  /// The primary key of the target in `row`, or its object key if the class has no primary key; null if neither is
  /// known.
  package func identity(_ row: Int) -> BatchValue {
    if let identities { return identities[row] }
    return row < keys.count ? .int(keys[row].raw) : .null
  }
}

/// Embedded objects. Each row owns one object of a batch, or none.
package struct EmbeddedColumn: Sendable {
  /// The row of each object in ``objects``, -1 for none.
  package var rows: [Int]
  package var objects: ObjectBatch

  package init(rows: [Int], objects: ObjectBatch) { (self.rows, self.objects) = (rows, objects) }
}

/// Values of any type.
package struct MixedColumn: Sendable {
  /// A link to an object of any class.
  package struct Link: Sendable {
    /// Position of the class in the schema.
    package let target: Int
    package let key: ObjectKey?
    /// Primary key of the target; nil if its class has none.
    package let identity: BatchValue?
    package let isUnresolved: Bool

    package init(target: Int, key: ObjectKey?, identity: BatchValue?, isUnresolved: Bool) {
      (self.target, self.key, self.identity) = (target, key, identity)
      self.isUnresolved = isUnresolved
    }
  }

  package var values: [BatchValue]
  package var links: [Link] = []
  /// Nested lists; their elements are mixed columns. Nil if there are none.
  package var lists: CollectionColumn?
  /// Nested dictionaries; their elements are mixed columns. Nil if there are none.
  package var dictionaries: CollectionColumn?
  /// Owns bytes of ``values`` and ``links`` that do not come from a file.
  private let arena: ByteArena?

  package init(values: [BatchValue], arena: ByteArena? = nil) {
    (self.values, self.arena) = (values, arena)
  }
}

/// Lists, sets or dictionaries. The elements of all rows follow one another.
package struct CollectionColumn: Sendable {
  /// Where the elements of each row end.
  package var ends: [Int]
  package var elements: ColumnValues
  /// The keys of dictionaries, one per element; nil for lists and sets. They are strings, or integers, which no SDK
  /// writes.
  package var keys: ScalarColumn?
  /// The elements of the only row, if they are too many for memory. `ends` and `elements` are then unused.
  package var runs: (any CollectionRuns)?

  package init(ends: [Int], elements: ColumnValues, keys: ScalarColumn? = nil) {
    (self.ends, self.elements, self.keys) = (ends, elements, keys)
  }

  package init(runs: any CollectionRuns) {
    (ends, elements, keys) = ([0], .scalar(.decimal([])), nil)
    self.runs = runs
  }

  /// Number of collections.
  package var count: Int { ends.count }

  fileprivate var hasRuns: Bool { runs != nil || elements.hasRuns }

  /// The elements of `row`.
  package func range(of row: Int) -> Range<Int> { (row == 0 ? 0 : ends[row - 1])..<ends[row] }
}

/// The elements of a large collection in runs, so that memory stays bounded. Used by one thread at a time.
package protocol CollectionRuns: AnyObject, Sendable {
  /// The next keys of a dictionary, without the values; nil after the last keys, where the next call starts again,
  /// and for lists and sets. May be called only before the first run.
  func nextKeys() throws(RealmFileError) -> ScalarColumn?

  /// The next run, as a column of one row; nil after the last run, where the next call starts again.
  ///
  /// - Throws: the errors of reading the elements.
  func next() throws(RealmFileError) -> CollectionColumn?

  /// The same collection from its start, with a position of its own. Any thread may call this at any time. The
  /// result proves that each run belongs to the version, because it may be read long after the batch.
  func restarted() -> any CollectionRuns
}

/// Whether a large collection was read before. All readers of the collection share it.
package final class FirstPass: Sendable {
  /// A large collection of an object in the collection.
  struct Inner: Hashable, Sendable {
    let root: Ref
    let owner: ObjectKey
  }

  private let hasBegun = Atomic(false)
  private let inner = Mutex<[Inner: FirstPass]>([:])

  package init() {}

  /// Whether `collection` was read before. Each pass over the outer collection makes new readers of it.
  func first(of collection: Inner) -> FirstPass {
    inner.withLock { all in
      let known = all[collection] ?? FirstPass()
      all[collection] = known
      return known
    }
  }

  /// Begins a pass.
  ///
  /// - Returns: true for the first call only.
  package func begin() -> Bool { !hasBegun.exchange(true, ordering: .relaxed) }
}
