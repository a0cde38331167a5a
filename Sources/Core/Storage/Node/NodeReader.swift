/// Reads the nodes of one snapshot: every ref is checked here, once, before anything behind it is.
///
/// A reader belongs to one thread. It counts the bytes of the nodes it opens for a traversal: the
/// nodes of a snapshot form a tree (chapter 2, section 1.5), so a traversal that opens more bytes
/// than the file has is going in circles, or comes to one node by many ways, and is stopped.
@safe
public final class NodeReader {
  /// Where the bytes come from.
  public let source: ByteSource
  /// Logical size of the snapshot: no node ends behind it (top slot 2).
  public let logicalSize: Int
  /// Bytes that may still be opened by ``node(at:)``.
  private var budget: Int
  /// Values that lie in pieces in the file, put together; freed by ``release(to:)``.
  private var joined: [UnsafeMutableRawPointer] = unsafe []

  /// - Parameter logicalSize: no node is read behind it, nor behind the end of the source.
  public init(source: ByteSource, logicalSize: Int) {
    self.source = source
    self.logicalSize = min(logicalSize, source.count)
    budget = self.logicalSize
  }

  /// True where nodes stay readable whatever is released: in a plain realm, and in an encrypted one that
  /// fits the cache of decrypted pages as a whole.
  public var keepsAllBytes: Bool { source.keepsAllBytes }

  deinit {
    while unsafe !joined.isEmpty { unsafe joined.removeLast().deallocate() }
  }

  /// Starts a traversal of its own: what was opened before does not count any more.
  package func beginTraversal() { budget = logicalSize }

  /// Runs `body`, a look-up that may come to the same nodes again, without counting what it opens.
  public func lookingUp<R>(
    _ body: () throws(RealmFileError) -> R
  ) throws(RealmFileError) -> R {
    let before = budget
    defer { budget = before }
    return try body()
  }

  /// Runs `body`, a traversal of its own: it may open as many bytes as the file has, whatever was
  /// opened before, and is not counted afterwards.
  public func traversing<R>(
    _ body: () throws(RealmFileError) -> R
  ) throws(RealmFileError) -> R {
    let before = budget
    budget = logicalSize
    defer { budget = before }
    return try body()
  }

  /// Runs `body`, a part of a traversal that may give up. Where it returns false, what it opened is
  /// not counted: the same nodes are opened again in another way.
  ///
  /// - Returns: what `body` returns.
  @discardableResult
  public func attempting(
    _ body: () throws(RealmFileError) -> Bool
  ) throws(RealmFileError) -> Bool {
    let before = budget
    let isDone = try body()
    if !isDone { budget = before }
    return isDone
  }

  /// Opens the node at `ref` as a step of a traversal that comes to each node once.
  ///
  /// - Throws: `damaged` with rule `node.ref`, `node.bounds`, `node.flags` or, where the traversal
  ///   has opened more than the file holds, `storage.node-overlap`; the errors of an encrypted source.
  @inline(__always)
  public func node(at ref: Ref) throws(RealmFileError) -> Node {
    let node = try open(ref)
    budget &-= node.header.nodeByteCount
    guard budget >= 0 else { throw .damaged(.storageNodeOverlap, at: ref) }
    return node
  }

  /// Opens the node at `ref` for a look-up that may come to it again; not counted.
  ///
  /// - Throws: as ``node(at:)`` but never `storage.node-overlap`.
  public func lookUp(_ ref: Ref) throws(RealmFileError) -> Node { try open(ref) }

  @inline(__always)
  private func open(_ ref: Ref) throws(RealmFileError) -> Node {
    // The first node can start behind the file header, at byte 24.
    guard ref >= FileHeader.byteCount, ref & 7 == 0 else { throw .damaged(.nodeRef, at: ref) }
    guard ref <= logicalSize - NodeHeader.byteCount else { throw .damaged(.nodeBounds, at: ref) }
    // Inside the source: the logical size is not larger, and refs are multiples of 8.
    let start = unsafe try source.nodeBytes(at: ref, count: NodeHeader.byteCount)
    guard let header = unsafe NodeHeader(word: UInt64(littleEndian: start.load(as: UInt64.self)))
    else {
      throw .damaged(.nodeFlags, at: ref)
    }
    let byteCount = header.nodeByteCount
    guard byteCount <= logicalSize - ref else { throw .damaged(.nodeBounds, at: ref) }
    // Most nodes lie in the page of their header, which is there.
    if ref % EncryptedLayout.pageByteCount + byteCount > EncryptedLayout.pageByteCount {
      _ = unsafe try source.nodeBytes(at: ref, count: byteCount)
    }
    return unsafe Node(ref: ref, header: header, payload: start + NodeHeader.byteCount)
  }

  /// Opens the node in element `index` of `parent`, or nil where the element is 0.
  public func child(of parent: Node, at index: Int) throws(RealmFileError) -> Node? {
    guard index < parent.count else { return nil }
    let ref = try parent.ref(at: index)
    return ref == 0 ? nil : try node(at: ref)
  }

  /// One slice of all the bytes in `pieces`: a value that is longer than a node holds (chapter 2,
  /// section 3.9). The copy lives as long as what was read with it.
  public func join(_ pieces: [ByteSlice]) -> ByteSlice {
    let count = pieces.reduce(0) { $0 + $1.count }
    let memory = UnsafeMutableRawPointer.allocate(byteCount: max(count, 1), alignment: 8)
    var filled = 0
    for piece in pieces {
      unsafe memory.advanced(by: filled).copyMemory(from: piece.start, byteCount: piece.count)
      filled += piece.count
    }
    unsafe joined.append(memory)
    return unsafe ByteSlice(start: memory, count: count)
  }

  /// A point in the work of a reader to come back to; see ``mark()``.
  public struct Mark {
    let pages: Int
    let joined: Int
  }

  /// Opens a scope. Everything read before it stays valid after ``release(to:)``; what is read in
  /// it does not. So memory is bounded by what is open at one time.
  public func mark() -> Mark { unsafe Mark(pages: source.loggedPages, joined: joined.count) }

  /// Closes the scope opened by ``mark()``: pages decrypted and values joined since are dropped.
  public func release(to mark: Mark) {
    source.release(to: mark.pages)
    while unsafe joined.count > mark.joined { unsafe joined.removeLast().deallocate() }
  }
}
