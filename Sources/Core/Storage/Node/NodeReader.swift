/// Reads the nodes of one snapshot: every ref is checked here, once, before anything behind it is.
///
/// A reader belongs to one thread. It counts the bytes of the nodes it opens for a traversal: the
/// nodes of a snapshot form a tree (chapter 2, section 1.5), so a traversal that opens more bytes
/// than the file has is going in circles, or comes to one node by many ways, and is stopped.
public final class NodeReader {
  /// Where the bytes come from.
  public let source: ByteSource
  /// Logical size of the snapshot: no node ends behind it (top slot 2).
  public let logicalSize: Int
  /// Bytes that may still be opened by ``node(at:)``.
  private var budget: Int

  public init(source: ByteSource, logicalSize: Int) {
    self.source = source
    self.logicalSize = logicalSize
    budget = logicalSize
  }

  /// Starts a new traversal: every node may be opened once more.
  public func beginTraversal() { budget = logicalSize }

  /// Opens the node at `ref` as a step of a traversal that comes to each node once.
  ///
  /// - Throws: `damaged` with rule `node.ref`, `node.bounds`, `node.flags` or, where the traversal
  ///   has opened more than the file holds, `node.shared`; the errors of an encrypted source.
  @inline(__always)
  public func node(at ref: Ref) throws(RealmFileError) -> Node {
    let node = try lookUp(ref)
    budget &-= node.header.nodeByteCount
    guard budget >= 0 else { throw .damaged("node.shared", at: ref) }
    return node
  }

  /// Opens the node at `ref` for a look-up that may come to it again; not counted.
  ///
  /// - Throws: as ``node(at:)`` but never `node.shared`.
  public func lookUp(_ ref: Ref) throws(RealmFileError) -> Node {
    // The first node can start behind the file header, at byte 24.
    guard ref >= FileHeader.byteCount, ref & 7 == 0 else { throw .damaged("node.ref", at: ref) }
    guard ref <= logicalSize - NodeHeader.byteCount else { throw .damaged("node.bounds", at: ref) }
    let word = unsafe try source.bytes(at: ref, count: NodeHeader.byteCount)
      .loadUnaligned(as: UInt64.self)
    guard let header = NodeHeader(word: UInt64(littleEndian: word)) else {
      throw .damaged("node.flags", at: ref)
    }
    let byteCount = header.nodeByteCount
    guard byteCount <= logicalSize - ref else { throw .damaged("node.bounds", at: ref) }
    let start = unsafe try source.bytes(at: ref, count: byteCount)
    return unsafe Node(ref: ref, header: header, payload: start + NodeHeader.byteCount)
  }

  /// Opens the node in element `index` of `parent`, or nil where the element is 0.
  public func child(of parent: Node, at index: Int) throws(RealmFileError) -> Node? {
    guard index < parent.count else { return nil }
    let ref = try parent.ref(at: index)
    return ref == 0 ? nil : try node(at: ref)
  }

  /// Remembers which decrypted pages are in memory now; see ``ByteSource/mark()``.
  public func mark() -> ByteSource.Mark { source.mark() }

  /// Lets the source drop pages that were decrypted since `mark`.
  public func release(to mark: ByteSource.Mark) { source.release(to: mark) }
}
