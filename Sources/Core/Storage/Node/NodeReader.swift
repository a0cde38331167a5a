/// Reads the nodes of one snapshot. Every ref is checked here, once, before the node is read.
///
/// The returned nodes and slices are readable until the reader is released or the scope in which
/// they were read is closed (``mark()``, ``hold(since:)``). The compiler does not check this, so
/// readers are only made inside this package.
///
/// A reader belongs to one thread. It counts the bytes that a traversal opens. The nodes of a
/// snapshot form a tree (chapter 2, section 1.5), so a traversal that opens more bytes than the
/// file has follows a cycle or reaches a node twice, and is stopped. Outside of ``traversing(_:)``
/// nothing is stopped.
@safe
package final class NodeReader {
  /// The source of the bytes.
  package let source: ByteSource
  /// Logical size of the snapshot: no node extends past it (top slot 2).
  package let logicalSize: Int
  /// Bytes of the nodes that ``node(at:)`` opened so far in the traversal that was begun last, without
  /// those that traversals inside it opened. Work that is cut into parts adds up what each part opened, so that all
  /// of it is bounded.
  package var openedByteCount: Int { unsafe state.pointee.opened }

  private struct State {
    /// Bytes that the traversal opened.
    var opened = 0
    /// Bytes that it may open; `max` outside of traversals.
    var limit = Int.max
    /// Values that lie in pieces in the file, put together; dropped by ``release(to:)``.
    var joined: [JoinedBytes] = []
    /// The same by their places, and the sum of their bytes.
    var joinedSlices: [Ref: ByteSlice] = [:]
    var joinedByteCount = 0
  }

  /// In a place of its own: each access to a property of an object is checked for exclusivity, and this is
  /// accessed for every node and every scope.
  private let state: UnsafeMutablePointer<State>
  /// - Parameter logicalSize: no node is read behind it, nor behind the end of the source.
  package init(source: ByteSource, logicalSize: Int) {
    self.source = source
    self.logicalSize = min(logicalSize, source.count)
    unsafe state = .allocate(capacity: 1)
    unsafe state.initialize(to: State())
  }

  deinit {
    unsafe state.deinitialize(count: 1)
    unsafe state.deallocate()
  }

  /// Whether nodes stay readable after a release: true for a plain realm, and for an encrypted one
  /// that fits the cache of decrypted pages.
  package var keepsAllBytes: Bool { source.keepsAllBytes }

  /// Runs `body`, a part of the work that reads each node at most once. It may open as many bytes
  /// as the file has, independent of earlier reads; they do not count for the enclosing traversal.
  ///
  /// Every loop or recursion that follows refs with ``node(at:)`` is in one.
  package func traversing<R, Failure: Error>(
    _ body: () throws(Failure) -> R
  ) throws(Failure) -> R {
    let (opened, limit) = unsafe (state.pointee.opened, state.pointee.limit)
    unsafe (state.pointee.opened, state.pointee.limit) = (0, logicalSize)
    defer { unsafe (state.pointee.opened, state.pointee.limit) = (opened, limit) }
    return try body()
  }

  /// Takes back what was counted since ``openedByteCount`` was `count`, in the traversal at hand: what failed
  /// is read again, in another way, and each node counts once.
  package func uncount(to count: Int) { unsafe state.pointee.opened = count }

  /// Opens the node at `ref`, and counts it for the traversal that was begun last, if there is one.
  ///
  /// - Throws: `damaged` with rule `node.ref`, `node.bounds`, `node.flags` or, if the traversal has
  ///   opened more bytes than the file has, `storage.node-overlap`; the errors of an encrypted
  ///   source.
  @inline(__always)
  package func node(at ref: Ref) throws(RealmFileError) -> Node {
    let node = try open(ref)
    let opened = unsafe state.pointee.opened &+ node.header.nodeByteCount
    unsafe state.pointee.opened = opened
    guard unsafe opened <= state.pointee.limit else {
      throw unsafe overlapError(opened, limit: state.pointee.limit, at: ref)
    }
    return node
  }

  /// Opens the node at `ref` for a look-up, which may read a node repeatedly; not counted.
  ///
  /// - Throws: same as ``node(at:)``, but never `storage.node-overlap`.
  package func lookUp(_ ref: Ref) throws(RealmFileError) -> Node { try open(ref) }

  /// The header of the node at `ref`, and its payload up to `limit` bytes. Unlike ``lookUp(_:)``, does not
  /// decrypt the rest of a long node.
  ///
  /// - Throws: same as ``lookUp(_:)``.
  package func start(
    of ref: Ref, limit: Int
  ) throws(RealmFileError) -> (header: NodeHeader, bytes: ByteSlice) {
    let (header, _) = unsafe try self.header(at: ref)
    let byteCount = min(limit, header.payloadByteCount)
    let start = unsafe try source.nodeBytes(at: ref, count: NodeHeader.byteCount + byteCount)
    return (
      header, unsafe ByteSlice(start: start + NodeHeader.byteCount, count: byteCount)
    )
  }

  @inline(__always)
  private func open(_ ref: Ref) throws(RealmFileError) -> Node {
    let (header, start) = unsafe try self.header(at: ref)
    // Most nodes lie in the same page as their header, which is decrypted already.
    let byteCount = header.nodeByteCount
    if ref % EncryptedLayout.pageByteCount + byteCount > EncryptedLayout.pageByteCount {
      _ = unsafe try source.nodeBytes(at: ref, count: byteCount)
    }
    return unsafe Node(ref: ref, header: header, payload: start + NodeHeader.byteCount)
  }

  /// The checked header of the node at `ref`, and where it is.
  @inline(__always)
  private func header(
    at ref: Ref
  ) throws(RealmFileError) -> (NodeHeader, UnsafeRawPointer) {
    // The first node can start after the file header, at byte 24.
    guard ref >= FileHeader.byteCount, ref & 7 == 0 else { throw refError(ref) }
    guard ref <= logicalSize - NodeHeader.byteCount else { throw boundsError(ref) }
    // Inside the source: its end is not before the logical size, and refs are multiples of 8.
    let start = unsafe try source.nodeBytes(at: ref, count: NodeHeader.byteCount)
    let word = unsafe UInt64(littleEndian: start.load(as: UInt64.self))
    guard let header = NodeHeader(word: word) else { throw flagsError(word, at: ref) }
    guard header.nodeByteCount <= logicalSize - ref else { throw sizeError(header, at: ref) }
    return unsafe (header, start)
  }

  /// Opens the node in element `index` of `parent`; nil if the element is 0.
  package func child(of parent: Node, at index: Int) throws(RealmFileError) -> Node? {
    guard index < parent.count else { return nil }
    let ref = try parent.ref(at: index)
    return ref == 0 ? nil : try node(at: ref)
  }

  /// The value at `ref`, which is too long for one node (chapter 2, section 3.9), as one slice. A copy
  /// belongs to the current scope, or to an enclosing one in which the value was joined already. A single
  /// piece is not copied.
  ///
  /// - Parameter pieces: returns the pieces of the value.
  /// - Throws: `damaged` with rule `storage.node-overlap` if the joined values of all open scopes have more
  ///   bytes than the file, so share pieces; the errors of `pieces`.
  package func joined(
    at ref: Ref, _ pieces: () throws(RealmFileError) -> [ByteSlice]
  ) throws(RealmFileError) -> ByteSlice {
    if let known = unsafe state.pointee.joinedSlices[ref] { return known }
    let pieces = try pieces()
    if pieces.count == 1 { return pieces[0] }
    let byteCount = unsafe pieces.reduce(state.pointee.joinedByteCount) { $0 + $1.count }
    guard byteCount <= logicalSize else { throw joinedError(byteCount, at: ref) }
    let value = JoinedBytes(ref, pieces)
    unsafe state.pointee.joined.append(value)
    unsafe state.pointee.joinedSlices[ref] = value.slice
    unsafe state.pointee.joinedByteCount = byteCount
    return value.slice
  }

  /// A state of a reader that ``release(to:)`` returns to; see ``mark()``.
  package struct Mark {
    let pages: Int
    let joined: Int
  }

  /// Opens a scope. Everything read before it stays valid after ``release(to:)``; what is read in
  /// it does not. So memory is bounded by what is open at one time.
  package func mark() -> Mark {
    unsafe Mark(pages: source.loggedPages, joined: state.pointee.joined.count)
  }

  /// Closes the scope opened by ``mark()``: nodes and joined values from it become invalid.
  package func release(to mark: Mark) {
    source.release(to: mark.pages)
    removeJoined(since: mark)
  }

  private func removeJoined(since mark: Mark) {
    guard unsafe state.pointee.joined.count > mark.joined else { return }
    for value in unsafe state.pointee.joined[mark.joined...] {
      unsafe state.pointee.joinedSlices[value.ref] = nil
      unsafe state.pointee.joinedByteCount -= value.slice.count
    }
    unsafe state.pointee.joined.removeSubrange(mark.joined...)
  }

  /// Closes the scope opened by ``mark()`` and keeps everything read in it or before: nodes and
  /// slices stay readable while the result lives, on any thread, even without the reader and the
  /// snapshot.
  package func hold(since mark: Mark) -> Hold {
    defer { removeJoined(since: mark) }
    return unsafe Hold(source.hold(since: mark.pages) + state.pointee.joined)
  }
}

/// Keeps bytes of a realm readable as long as it lives; see ``NodeReader/hold(since:)``.
package final class Hold: Sendable {
  private let owners: [any AnyObject & Sendable]

  /// - Parameter owners: the bytes are readable as long as these live.
  package init(_ owners: [any AnyObject & Sendable]) { self.owners = owners }
}

/// A value that is stored in several pieces, joined.
@safe
private final class JoinedBytes: @unchecked Sendable {
  /// Where the value is.
  let ref: Ref
  let slice: ByteSlice
  private let memory: UnsafeMutableRawPointer

  init(_ ref: Ref, _ pieces: [ByteSlice]) {
    self.ref = ref
    let count = pieces.reduce(0) { $0 + $1.count }
    unsafe memory = .allocate(byteCount: max(count, 1), alignment: 8)
    var filled = 0
    for piece in pieces {
      unsafe memory.advanced(by: filled).copyMemory(from: piece.start, byteCount: piece.count)
      filled += piece.count
    }
    slice = unsafe ByteSlice(start: memory, count: count)
  }

  deinit { unsafe memory.deallocate() }
}
