public import RealmStorage

/// Up to 256 objects of a table: their keys, and a ref to a leaf for each column (chapter 2, section 5.1).
@usableFromInline
package struct Cluster: Sendable {
  /// Maximum number of objects of a cluster in every released build of the reference.
  package static let capacity = 256
  /// Size of the smallest cluster in bytes: a header and one element.
  static let leastByteCount = 16

  package let node: Node
  @usableFromInline let base: UInt64
  /// Relative keys in ascending order; nil in compact form, where they are 0…count−1.
  @usableFromInline package let keys: Node?
  /// Number of objects.
  package let count: Int

  package init(_ node: Node, base: UInt64, nodes: NodeReader) throws(RealmFileError) {
    guard node.hasRefs, !node.isInner, node.count >= 1 else {
      throw .damaged(
        .clusterNode, at: node.ref, "the cluster has \(node.form), expected refs to its leaves")
    }
    self.node = node
    self.base = base
    switch node.element(at: 0) {
    case .tagged(let count):
      keys = nil
      self.count = count
    case .ref(let ref):
      let keys = try nodes.lookUp(ref)
      guard keys.isIntegers else {
        throw .damaged(.clusterKeys, at: ref, "the keys are \(keys.form), expected integers")
      }
      self.keys = keys
      count = keys.count
    case .null:
      throw .damaged(
        .clusterKeys, at: node.ref, "slot 0 is 0, expected an object count or a ref to the keys")
    }
    guard count <= Cluster.capacity else {
      throw .damaged(
        .clusterCapacity, at: node.ref,
        "the cluster has \(count) objects, expected at most \(Cluster.capacity)")
    }
  }

  /// Ref of the cluster, which identifies it.
  package var ref: Ref { node.ref }

  /// Key of the object in `row`, which must be below ``count``.
  @inlinable
  package func key(at row: Int) -> ObjectKey {
    ObjectKey(Int64(bitPattern: base &+ relativeKey(at: row)))
  }

  /// The keys of all objects.
  package var allKeys: [ObjectKey] {
    unsafe [ObjectKey](unsafeUninitializedCapacity: count) { out, initialized in
      unsafe decodeKeys(to: out)
      initialized = count
    }
  }

  /// Sets `out`, which has room for them, to the keys of all objects.
  @unsafe
  func decodeKeys(to out: UnsafeMutableBufferPointer<ObjectKey>) {
    // An object key is a 64-bit integer.
    unsafe out.withMemoryRebound(to: Int64.self) { out in
      let (base, count) = (base, count)
      guard let keys else {
        for row in 0..<count { unsafe out[row] = Int64(bitPattern: base &+ UInt64(row)) }
        return
      }
      // Unsigned, like the elements.
      let mask = keys.width < 64 && keys.width >= 8 ? (1 << UInt64(keys.width)) - 1 : UInt64.max
      unsafe keys.decode(from: 0, to: out)
      for row in 0..<count {
        unsafe out[row] = Int64(bitPattern: base &+ (UInt64(bitPattern: out[row]) & mask))
      }
    }
  }

  /// The key of the object in `row`, which must be below ``count``, relative to the base.
  @inlinable
  package func relativeKey(at row: Int) -> UInt64 { keys?.unsigned(at: row) ?? UInt64(row) }

  /// The row of the object with a relative key; nil if there is none.
  package func row(ofRelativeKey key: UInt64) -> Int? {
    guard let keys else { return key < UInt64(count) ? Int(key) : nil }
    let row = keys.lowerBound(of: key)
    return row < keys.count && keys.unsigned(at: row) == key ? row : nil
  }

  /// Ref of the leaf of the column with `leafIndex`.
  ///
  /// - Throws: `damaged` with rule `cluster.missing-leaf`.
  package func leaf(at leafIndex: Int) throws(RealmFileError) -> Ref {
    guard leafIndex + 1 < node.count, case .ref(let ref) = node.element(at: leafIndex + 1) else {
      throw .damaged(
        .clusterMissingLeaf, at: node.ref, "the cluster has no leaf in slot \(leafIndex + 1)")
    }
    return ref
  }
}
