package import RealmStorage

/// Reads single properties of many objects: of all objects of a cluster, or of objects with known keys. Links come as
/// object keys, embedded objects as links to them. Used by one thread.
///
/// Queries use it, because they read a property only when they need it. A cursor reads whole objects.
@safe
package final class PropertyReader {
  /// Some objects of one class: those of a cluster, at most ``ObjectBatch/capacity``, or objects with given keys.
  package struct Rows {
    package let table: Table
    fileprivate let source: Source

    fileprivate enum Source {
      case cluster(Cluster)
      /// Objects and their keys.
      case places([ObjectPlace], [ObjectKey])
    }

    package var count: Int {
      switch source {
      case .cluster(let cluster): cluster.count
      case .places(let places, _): places.count
      }
    }

    /// The keys of all objects, decoded on each call.
    package var keys: [ObjectKey] {
      switch source {
      case .cluster(let cluster): cluster.allKeys
      case .places(_, let keys): keys
      }
    }

    /// The key of the object in `row`, which must be below ``count``.
    package func key(at row: Int) -> ObjectKey {
      switch source {
      case .cluster(let cluster): cluster.key(at: row)
      case .places(_, let keys): keys[row]
      }
    }
  }

  package let realm: Realm
  private let assembler: BatchAssembler
  /// Bytes of the nodes opened for rows of clusters. For each property, all clusters of a class together open at
  /// most as many bytes as the realm has.
  package private(set) var scannedByteCount = 0
  /// Bytes of all nodes opened for values and backlinks, each time that they were opened.
  package private(set) var openedByteCount = 0
  /// Room for an integer of each object of a cluster.
  private let integers = UnsafeMutableBufferPointer<Int64>.allocate(capacity: Cluster.capacity)

  /// - Throws: the errors of an encrypted realm.
  package init(_ realm: Realm) throws(RealmFileError) {
    self.realm = realm
    var request = ObjectRequest()
    request.links = .keys
    request.embedded = .asClass
    // Links to embedded objects claim nothing, and damage is an error, so the ledger collects only counts.
    assembler = try BatchAssembler(realm, request, PartLedger(lossLimit: 0))
  }

  deinit { unsafe integers.deallocate() }

  package var nodes: NodeReader { assembler.reader.nodes }

  /// Opens a scope. What is read in it becomes invalid with ``release(to:)``.
  package func mark() -> NodeReader.Mark { nodes.mark() }

  /// Closes the scope that began at `mark`.
  package func release(to mark: NodeReader.Mark) {
    endScope()
    nodes.release(to: mark)
  }

  /// Closes the scope. What was read in it stays readable as long as the result lives.
  package func hold(since mark: NodeReader.Mark) -> any Sendable {
    endScope()
    return nodes.hold(since: mark)
  }

  private func endScope() {
    assembler.beginBatch()
    assembler.forgetValues()
  }

  /// The positions of the clusters of a class, in key order.
  package func clusters(of table: Table) throws(RealmFileError) -> [ClusterPosition] {
    do {
      return try nodes.traversing { () throws(RealmFileError) in
        try assembler.reader.clusters(of: table)
      }
    } catch {
      throw error.adding(className: table.className.text)
    }
  }

  /// The keys of the objects of a class with the numbers in `range`, in key order; fewer if there are fewer objects.
  package func keys(
    ofObjects range: Range<Int>, of table: Table
  ) throws(RealmFileError) -> [ObjectKey] {
    guard table.clusters != 0 else { return [] }
    do {
      return try ClusterTree(root: table.clusters, nodes: nodes).keys(ofObjects: range)
    } catch {
      throw error.adding(className: table.className.text)
    }
  }

  // MARK: Objects

  /// Calls `body` with the keys of `rows`. It is faster than ``Rows/keys`` if keys are used once.
  package func withKeys(of rows: Rows, _ body: (UnsafeBufferPointer<ObjectKey>) -> Void) {
    switch rows.source {
    case .places(_, let keys): unsafe keys.withUnsafeBufferPointer(body)
    case .cluster(let cluster):
      // An object key is a 64-bit integer.
      unsafe integers.withMemoryRebound(to: ObjectKey.self) { keys in
        unsafe cluster.decodeKeys(to: keys)
        unsafe body(UnsafeBufferPointer(rebasing: keys[..<cluster.count]))
      }
    }
  }

  /// The objects of a cluster.
  package func rows(
    at position: ClusterPosition, of table: Table
  ) throws(RealmFileError) -> Rows {
    do {
      let cluster = try assembler.reader.cluster(position)
      return Rows(table: table, source: .cluster(cluster))
    } catch {
      throw error.adding(className: table.className.text)
    }
  }

  /// The objects with `keys`.
  ///
  /// - Throws: `damaged` with rule `link.dangling` if one does not exist.
  package func rows(_ keys: [ObjectKey], of table: Table) throws(RealmFileError) -> Rows {
    let places = try places(of: keys, in: table)
    for (row, place) in places.enumerated() where !place.exists {
      throw PropertyReader.dangling(keys[row], of: table)
    }
    return Rows(table: table, source: .places(places, keys))
  }

  /// The objects with those of `keys` that exist.
  package func existingRows(_ keys: [ObjectKey], of table: Table) throws(RealmFileError) -> Rows {
    let places = try places(of: keys, in: table)
    let existing = places.indices.filter { places[$0].exists }
    return Rows(
      table: table, source: .places(existing.map { places[$0] }, existing.map { keys[$0] }))
  }

  /// The error for an object that a link or an index refers to, but that does not exist.
  package static func dangling(_ key: ObjectKey, of table: Table) -> RealmFileError {
    RealmFileError(
      .damaged(.linkDangling), className: table.className.text, objectKey: key.raw,
      detail: "a link or an index refers to the object, but it does not exist")
  }

  /// Checks that a cluster has objects with all `keys`.
  ///
  /// - Parameter keys: in ascending order.
  /// - Throws: same as ``rows(_:of:)``.
  package func checkExistence(
    of keys: ArraySlice<ObjectKey>, at position: ClusterPosition, of table: Table
  ) throws(RealmFileError) {
    // The keys of a cluster ascend, so one pass suffices. It has no branches that depend on the keys, because no
    // processor could predict them.
    var found = 0
    unsafe withKeys(of: try rows(at: position, of: table)) { existing in
      unsafe keys.withUnsafeBufferPointer { keys in
        for row in 0..<existing.count where found < keys.count {
          found &+= unsafe keys[found] == existing[row] ? 1 : 0
        }
      }
    }
    guard found == keys.count else {
      throw PropertyReader.dangling(keys[keys.startIndex + found], of: table)
    }
  }

  private func places(
    of keys: [ObjectKey], in table: Table
  ) throws(RealmFileError) -> [ObjectPlace] {
    do {
      var losses = ObjectGatherer.Losses()
      return try assembler.gatherer(of: table).places(of: keys, &losses)
    } catch {
      throw error.adding(className: table.className.text)
    }
  }

  // MARK: Properties

  /// The values of a property.
  ///
  /// - Parameters:
  ///   - property: position of the property in the class.
  ///   - elementLimit: maximum number of elements of all collections together.
  /// - Returns: nil if there are more elements.
  package func values(
    of property: Int, _ rows: Rows, elementLimit: Int
  ) throws(RealmFileError) -> ColumnValues? {
    let column = rows.table.columns[property]
    return try reading(rows, column.name) { () throws(RealmFileError) in
      let leaf = try leaf(column, rows)
      if case .scalar(let values) = leaf { return .scalar(values) }
      assembler.place = (rows.table.className.text, column.name.text)
      var room = BatchAssembler.Room()
      room.elements = elementLimit
      return try assembler.elements(column, leaf, owners: rows.keys, &room)
    }
  }

  /// The values of an integer property without collection, and the value that means null if there is one.
  /// It is faster than ``values(of:_:elementLimit:)`` if values are used once, because it allocates no memory.
  ///
  /// - Returns: the values, readable until the next call; nil if `rows` are not the objects of a cluster.
  @unsafe
  package func integers(
    of property: Int, _ rows: Rows
  ) throws(RealmFileError) -> (values: UnsafeBufferPointer<Int64>, null: Int64?)? {
    guard case .cluster(let cluster) = rows.source else { return nil }
    let column = rows.table.columns[property]
    let null = try reading(rows, column.name) { () throws(RealmFileError) in
      try unsafe assembler.reader.decodeIntegers(column, of: cluster, to: integers)
    }
    return unsafe (UnsafeBufferPointer(rebasing: integers[..<cluster.count]), null)
  }

  /// The number of elements of the list or set in each row, read from the roots alone.
  ///
  /// - Parameter property: position of a property with lists or sets.
  package func elementCounts(
    of property: Int, _ rows: Rows
  ) throws(RealmFileError) -> [Int] {
    let column = rows.table.columns[property]
    return try reading(rows, column.name) { () throws(RealmFileError) in
      guard case .collection(let roots) = try leaf(column, rows) else { return [] }
      var counts: [Int] = []
      for root in roots {
        counts.append(try BPlusTreeLeaves.count(root: root, nodes: nodes) { leaf in leaf.count })
      }
      return counts
    }
  }

  private func leaf(_ column: Column, _ rows: Rows) throws(RealmFileError) -> LeafValues {
    switch rows.source {
    case .cluster(let cluster): return try assembler.reader.batch(column, of: cluster)
    case .places(let places, _):
      var losses = ObjectGatherer.Losses()
      return try assembler.gatherer(of: rows.table).values(column, of: places, &losses)
    }
  }

  /// Runs `body` as a traversal and counts what it opens of a cluster. Errors get the class and the property.
  private func reading<R>(
    _ rows: Rows, _ property: Name? = nil, _ body: () throws(RealmFileError) -> R
  ) throws(RealmFileError) -> R {
    do {
      return try nodes.traversing { () throws(RealmFileError) in
        let result = try body()
        openedByteCount += nodes.openedByteCount
        if case .cluster = rows.source { scannedByteCount += nodes.openedByteCount }
        return result
      }
    } catch {
      throw error.adding(className: rows.table.className.text, property: property?.text)
    }
  }

  // MARK: Backlinks

  /// The keys of the objects that link to each of `rows`, one row after the other.
  package struct Backlinks {
    /// Where the keys of each row end.
    package fileprivate(set) var ends: [Int] = []
    package fileprivate(set) var keys: [ObjectKey] = []
  }

  /// The objects that link to `rows` through the links in `column`.
  ///
  /// - Returns: nil if there are more than `limit`.
  package func backlinks(
    _ column: BacklinkColumn, _ rows: Rows, limit: Int
  ) throws(RealmFileError) -> Backlinks? {
    try reading(rows) { () throws(RealmFileError) in
      var backlinks = Backlinks()
      var leaves = BacklinkLeaves(column, self)
      for row in 0..<rows.count {
        let (leaf, position) = try leaves.leaf(ofRow: row, rows)
        switch leaf.element(at: position) {
        case .null: break
        case .tagged(let key): backlinks.keys.append(ObjectKey(Int64(key)))
        case .ref(let root):
          var tree = BPlusTreeLeaves(root: root, nodes: nodes)
          while let keys = try tree.next() {
            for key in try BacklinkLeaf.keys(keys) { backlinks.keys.append(ObjectKey(key)) }
            guard backlinks.keys.count <= limit else { return nil }
          }
        }
        guard backlinks.keys.count <= limit else { return nil }
        backlinks.ends.append(backlinks.keys.count)
      }
      return backlinks
    }
  }

  /// The number of links to each of `rows` through the links in `column`.
  package func backlinkCounts(
    _ column: BacklinkColumn, _ rows: Rows
  ) throws(RealmFileError) -> [Int] {
    try reading(rows) { () throws(RealmFileError) in
      var leaves = BacklinkLeaves(column, self)
      var counts: [Int] = []
      for row in 0..<rows.count {
        let (leaf, position) = try leaves.leaf(ofRow: row, rows)
        switch leaf.element(at: position) {
        case .null: counts.append(0)
        case .tagged: counts.append(1)
        case .ref(let root):
          counts.append(try BPlusTreeLeaves.count(root: root, nodes: nodes) { leaf in leaf.count })
        }
      }
      return counts
    }
  }

  /// The leaves of a backlink column.
  private struct BacklinkLeaves {
    let column: BacklinkColumn
    let reader: PropertyReader
    /// The leaf used last, because rows of one cluster usually follow each other.
    private var last: (cluster: Ref, leaf: Node)?

    init(_ column: BacklinkColumn, _ reader: PropertyReader) {
      (self.column, self.reader) = (column, reader)
    }

    mutating func leaf(
      ofRow row: Int, _ rows: Rows
    ) throws(RealmFileError) -> (leaf: Node, row: Int) {
      switch rows.source {
      case .cluster(let cluster): return (try leaf(of: cluster), row)
      case .places(let places, _):
        let gatherer = reader.assembler.gatherer(of: rows.table)
        return (try leaf(of: try gatherer.cluster(at: places[row])), places[row].row)
      }
    }

    private mutating func leaf(of cluster: Cluster) throws(RealmFileError) -> Node {
      if let last, last.cluster == cluster.ref { return last.leaf }
      // Not counted, because rows in any order can return to a cluster.
      let node = try reader.nodes.lookUp(try cluster.leaf(at: column.key.leafIndex))
      let leaf = try BacklinkLeaf(node, rows: cluster.count).node
      last = (cluster.ref, leaf)
      return leaf
    }
  }
}
