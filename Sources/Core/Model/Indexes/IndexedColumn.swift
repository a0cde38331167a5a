import RealmStorage

/// The values of an indexed column, looked up object by object where they are stored.
///
/// Takes some bytes a cluster. Of an encrypted realm, ``endBatch()`` closes what look-ups opened, before the
/// caller releases the scope that they were made in.
struct IndexedColumn {
  /// What is known of the value of an object.
  enum Value {
    /// No live object has the key.
    case missing
    /// The object cannot be found, or its value not be read.
    case unread
    /// Number of the object in key order, where ``countRows()`` was called, and its value.
    case value(Int, MixedValue)
  }

  let column: Column
  private let nodes: NodeReader
  private let places: ObjectPlaces
  private let enumeration: SliceColumn?
  /// Objects in the clusters before each cluster; empty until ``countRows()``.
  private var starts: [Int] = []
  /// False where a cluster cannot be found or read: objects that are missing may be in it.
  private(set) var isComplete: Bool
  /// The first reason why something cannot be read.
  private(set) var failure: RealmFileError?

  /// - Parameters:
  ///   - clusters: those of the table that can be found.
  ///   - failure: why others cannot be found.
  init(
    _ column: Column, _ clusters: [ClusterPosition], failure: RealmFileError?, reader: RealmReader
  ) {
    (self.column, nodes, self.failure) = (column, reader.nodes, failure)
    places = ObjectPlaces(column, clusters, nodes: reader.nodes)
    isComplete = failure == nil
    do throws(RealmFileError) {
      enumeration = try reader.enumeration(of: column)
    } catch {
      enumeration = nil
      lost(error)
    }
  }

  private mutating func lost(_ error: RealmFileError) {
    failure = error.adding(property: column.name.text).first(of: failure)
  }

  /// The cluster that would have the object with `key`, nil where there are none.
  @inline(__always)
  func cluster(of key: ObjectKey) -> Int? {
    places.clusterCount == 0 ? nil : places.cluster(of: UInt64(bitPattern: key.raw))
  }

  mutating func find(_ key: ObjectKey) -> Value { find(key, in: cluster(of: key)) }

  /// The value of the object with `key`, which would be in `cluster`.
  mutating func find(_ key: ObjectKey, in cluster: Int?) -> Value {
    guard let cluster else { return isComplete ? .missing : .unread }
    do throws(RealmFileError) {
      let place = try places.open(cluster)
      let row = place.row(of: UInt64(bitPattern: key.raw))
      guard row >= 0 else { return isComplete ? .missing : .unread }
      return .value(
        starts.isEmpty ? row : starts[cluster] + row, try value(row, in: place))
    } catch {
      lost(error)
      return .unread
    }
  }

  private func value(
    _ row: Int, in place: ObjectPlaces.Opened
  ) throws(RealmFileError) -> MixedValue {
    try Leaf.value(of: column, in: place.leaf, row: row, enumeration: enumeration, nodes)
  }

  /// Gives all objects numbers.
  ///
  /// - Throws: `damaged` with rule `storage.node-overlap` for more objects than the file has bytes.
  mutating func countRows() throws(RealmFileError) {
    var count = 0
    for cluster in 0..<places.clusterCount {
      starts.append(count)
      count += scoped(cluster) { $0.cluster.count } ?? 0
      // An index has some bytes for each object; clusters that are all one node could be any number.
      guard count <= max(Leaf.capacity, nodes.logicalSize) else {
        throw .damaged(
          .storageNodeOverlap, at: column.index,
          "the table has more objects than the file has bytes")
      }
    }
  }

  /// Calls `body` with the number and key of each object in a cluster that can be read, and whether its
  /// value can be.
  mutating func forEachValue(_ body: (Int, ObjectKey, Bool) -> Void) {
    for cluster in 0..<places.clusterCount {
      var failure: RealmFileError?
      let values = self
      scoped(cluster) { place in
        for row in 0..<place.cluster.count {
          var isReadable = true
          do throws(RealmFileError) {
            _ = try values.value(row, in: place)
          } catch {
            isReadable = false
            failure = error.first(of: failure)
          }
          body(values.starts[cluster] + row, place.key(at: row), isReadable)
        }
      }
      if let failure { lost(failure) }
    }
  }

  /// Calls `body` with an opened cluster, and lets go of it.
  ///
  /// - Returns: nil where it cannot be opened.
  @discardableResult
  private mutating func scoped<R>(_ cluster: Int, _ body: (ObjectPlaces.Opened) -> R) -> R? {
    let mark = nodes.mark()
    defer {
      endBatch()
      nodes.release(to: mark)
    }
    do throws(RealmFileError) {
      return body(try places.open(cluster))
    } catch {
      isComplete = false
      lost(error)
      return nil
    }
  }

  /// Lets go of what was opened since the mark that the caller took.
  func endBatch() { if !nodes.keepsAllBytes { places.close() } }
}
