import RealmModel
import RealmStorage

/// The objects of a class that are in the new file: their leaves and their keys. Takes 8 bytes per leaf, and
/// 8 bytes per object in clusters with gaps between keys.
struct TableObjects {
  /// The keys of the objects of a cluster.
  private enum Keys {
    /// Consecutive keys.
    case range(start: Int64, count: Int)
    case list([Int64])

    var count: Int {
      switch self {
      case .range(_, let count): count
      case .list(let keys): keys.count
      }
    }

    subscript(row: Int) -> Int64 {
      switch self {
      case .range(let start, _): start + Int64(row)
      case .list(let keys): keys[row]
      }
    }
  }

  let table: BuildTable
  private var keys: [Keys] = []
  /// The leaves of each cluster, one for each built column.
  private var leaves: [Ref] = []
  /// Number of objects so far.
  private(set) var count = 0
  /// The next number for a generated key (chapter 3, section 4.2).
  private(set) var nextNumber = 0
  private var lastKey: Int64 = -1
  /// Whether the objects have keys from the source; nil before the first object.
  private(set) var haveKeys: Bool?

  init(_ table: BuildTable) { self.table = table }

  var clusterCount: Int { keys.count }

  /// Number of objects in a cluster.
  func objectCount(of cluster: Int) -> Int { keys[cluster].count }

  /// The key of the object in `row` of a cluster.
  func key(_ cluster: Int, row: Int) -> ObjectKey { ObjectKey(keys[cluster][row]) }

  /// The generated key of an object, by its number in the class.
  func givenKey(_ number: Int) -> ObjectKey { table.objectKey(number) }

  /// - Parameter column: position among the built columns.
  func leaf(_ column: Int, of cluster: Int) -> Ref {
    leaves[cluster * table.builtPositions.count + column]
  }

  mutating func setLeaf(_ ref: Ref, _ column: Int, of cluster: Int) {
    leaves[cluster * table.builtPositions.count + column] = ref
  }

  /// Adds the objects of a piece.
  ///
  /// - Parameter move: maps the refs of the leaves in the piece to refs in the file.
  /// - Throws: `keyOrder`, `illegalKey`, `tooMany`, `someKeys`.
  mutating func add(_ objects: BuildPiece.Objects, _ move: RefMove) throws(BuildError) {
    guard objects.count > 0 else { return }
    guard haveKeys ?? !objects.keys.isEmpty == !objects.keys.isEmpty else {
      throw BuildError(.someKeys)
    }
    haveKeys = !objects.keys.isEmpty
    for leaf in objects.leaves { leaves.append(move[leaf]) }
    var first = 0
    for count in objects.counts {
      if objects.keys.isEmpty {
        addGiven(count)
      } else {
        try add(objects.keys[first..<(first + count)])
      }
      first += count
    }
    guard table.objectClass.primaryKey != nil || nextNumber <= Int(UInt32.max) else {
      throw BuildError(.tooMany("a class without a primary key has at most 2³² objects"))
    }
  }

  private mutating func addGiven(_ count: Int) {
    let start = table.objectKey(nextNumber).raw
    let end = table.objectKey(nextNumber + count - 1).raw
    if end - start == Int64(count - 1) {
      keys.append(.range(start: start, count: count))
    } else {
      keys.append(.list((nextNumber..<(nextNumber + count)).map { table.objectKey($0).raw }))
    }
    nextNumber += count
    lastKey = end
    self.count += count
  }

  private mutating func add(_ some: ArraySlice<ObjectKey>) throws(BuildError) {
    for key in some {
      guard key.raw >= 0 else { throw BuildError(.illegalKey, objectKey: key.raw) }
      guard key.raw > lastKey else {
        throw BuildError(.keyOrder(after: lastKey), objectKey: key.raw)
      }
      lastKey = key.raw
      if let number = table.nextNumber(after: key) { nextNumber = max(nextNumber, number) }
    }
    guard let first = some.first, let last = some.last else { return }
    if last.raw - first.raw == Int64(some.count - 1) {
      keys.append(.range(start: first.raw, count: some.count))
    } else {
      keys.append(.list(some.map(\.raw)))
    }
    count += some.count
  }

  // MARK: Looking up

  /// The row of the object with `key` in a cluster; nil if the cluster does not contain it.
  func row(of key: ObjectKey, in cluster: Int) -> Int? {
    switch keys[cluster] {
    case .range(let start, let count):
      let row = key.raw - start
      return row >= 0 && row < count ? Int(row) : nil
    case .list(let keys):
      var (low, high) = (0, keys.count)
      while low < high {
        let middle = (low + high) / 2
        if keys[middle] < key.raw { low = middle + 1 } else { high = middle }
      }
      return low < keys.count && keys[low] == key.raw ? low : nil
    }
  }

  /// Whether an object has this key.
  func contains(_ key: ObjectKey) -> Bool {
    var (low, high) = (0, keys.count)
    while low < high {
      let middle = (low + high) / 2
      if lastKey(of: middle) < key.raw { low = middle + 1 } else { high = middle }
    }
    return low < keys.count && row(of: key, in: low) != nil
  }

  /// The largest key of a cluster.
  func lastKey(of cluster: Int) -> Int64 { keys[cluster][keys[cluster].count - 1] }

  /// Reserves a number that no object has.
  mutating func takeNumber() -> Int {
    defer { nextNumber += 1 }
    return nextNumber
  }
}
