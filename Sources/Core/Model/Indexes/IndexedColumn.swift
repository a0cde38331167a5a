package import RealmStorage

/// The values of an indexed column, looked up object by object in their leaves.
///
/// Takes a few bytes per cluster. In an encrypted realm, ``endBatch()`` closes what look-ups opened; the
/// caller must call it before it releases the scope of the look-ups.
package struct IndexedColumn {
  /// The result of looking up an object.
  package enum Value {
    /// No live object has the key.
    case missing
    /// The object cannot be found, or its value cannot be read.
    case unread
    /// The value, and the object's position in key order, which is valid after ``countRows()``.
    case value(Int, MixedValue)
  }

  package let column: Column
  private let nodes: NodeReader
  private let clusterCount: Int
  private let places: ObjectPlaces
  private let enumeration: SliceColumn?
  /// Number of objects before each cluster; empty before ``countRows()``.
  private var starts: [Int] = []
  /// False if a cluster cannot be found or read: missing objects may be in that cluster.
  package private(set) var isComplete: Bool
  /// The first reason why a cluster or value cannot be read.
  package private(set) var failure: RealmFileError?

  /// - Parameters:
  ///   - clusters: the clusters of the table that can be found.
  ///   - failure: why other clusters cannot be found.
  package init(
    _ column: Column, _ clusters: [ClusterPosition], failure: RealmFileError?, reader: RealmReader
  ) {
    (self.column, nodes, self.failure) = (column, reader.nodes, failure)
    clusterCount = clusters.count
    places = ObjectPlaces(
      column, ClusterSearch(clusters, nodes: reader.nodes), nodes: reader.nodes)
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

  /// The cluster in which the object with `key` must be; nil if the table has no clusters.
  @inline(__always)
  package func cluster(of key: ObjectKey) -> Int? {
    places.knownCluster(of: UInt64(bitPattern: key.raw))
  }

  package mutating func find(_ key: ObjectKey) -> Value { find(key, in: cluster(of: key)) }

  /// The value of the object with `key`, which must be in `cluster`.
  package mutating func find(_ key: ObjectKey, in cluster: Int?) -> Value {
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

  /// Numbers all objects in key order.
  ///
  /// - Throws: `damaged` with rule `storage.node-overlap` for more objects than the file has bytes.
  package mutating func countRows() throws(RealmFileError) {
    var count = 0
    for cluster in 0..<clusterCount {
      starts.append(count)
      count += scoped(cluster) { $0.cluster.count } ?? 0
      // An index has several bytes per object. Without this limit, clusters that share one node could
      // claim any number of objects.
      guard count <= max(Leaf.capacity, nodes.logicalSize) else {
        throw .damaged(
          .storageNodeOverlap, at: column.index,
          "the table has more objects than the file has bytes")
      }
    }
  }

  /// Calls `body` with the number and key of each object in a readable cluster, and whether its value can
  /// be read.
  package mutating func forEachValue(_ body: (Int, ObjectKey, Bool) -> Void) {
    for cluster in 0..<clusterCount {
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

  /// Calls `body` with an opened cluster, then releases the cluster.
  ///
  /// - Returns: nil if the cluster cannot be opened.
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

  /// Closes what look-ups opened since the mark that the caller took.
  package func endBatch() { if !nodes.keepsAllBytes { places.close() } }
}
