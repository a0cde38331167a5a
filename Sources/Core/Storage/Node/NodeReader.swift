/// Reads the nodes of one snapshot. This is where each ref is checked, once, before the node is read.
///
/// The returned nodes and slices are readable until the reader is released or the scope in which
/// they were read is closed (``mark()``, ``hold(since:)``). The compiler does not check this, so
/// readers are only made inside this package.
///
/// A reader belongs to one thread. It counts the bytes that a traversal opens. The nodes of a
/// snapshot form a tree (chapter 2, section 1.5), so a traversal that opens more bytes than the
/// file has follows a cycle or reaches a node twice, and is stopped. There is no such limit outside of
/// ``traversing(_:)``.
@safe
package final class NodeReader {
  /// The source of the bytes.
  package let source: ByteSource
  /// Logical size of the snapshot: no node extends past it (top slot 2).
  package let logicalSize: Int
  /// Bytes of the nodes that ``node(at:)`` has opened in the current traversal, without those of traversals
  /// inside it. Work that is cut into parts adds up these numbers, so that it is bounded as a whole.
  package var openedByteCount: Int { unsafe state.pointee.opened }

  private struct State {
    /// Bytes that the traversal opened.
    var opened = 0
    /// Bytes that the traversal may open; `max` outside of traversals.
    var limit = Int.max
    /// Joined copies of values that the file stores in pieces; ``release(to:)`` removes them.
    var joined: [JoinedBytes] = []
    /// The same values by their refs, and the sum of their bytes.
    var joinedSlices: [Ref: ByteSlice] = [:]
    var joinedByteCount = 0
  }

  /// Allocated separately, because each access to a stored property is checked for exclusivity, and this state
  /// is accessed for every node and every scope.
  private let state: UnsafeMutablePointer<State>

  /// - Parameter logicalSize: no node is read past this offset, nor past the end of the source.
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

  /// Whether nodes stay readable after a release: true for a plain realm, and for an encrypted one that fits
  /// the cache of decrypted pages.
  package var keepsAllBytes: Bool { source.keepsAllBytes }

  /// Runs `body` as a traversal: it reads each node at most once, and may open as many bytes as the file has.
  /// Earlier reads do not count for it, and its reads do not count for the enclosing traversal.
  ///
  /// Every loop or recursion that follows refs with ``node(at:)`` must be in a traversal.
  package func traversing<R, Failure: Error>(
    _ body: () throws(Failure) -> R
  ) throws(Failure) -> R {
    let (opened, limit) = unsafe (state.pointee.opened, state.pointee.limit)
    unsafe (state.pointee.opened, state.pointee.limit) = (0, logicalSize)
    defer { unsafe (state.pointee.opened, state.pointee.limit) = (opened, limit) }
    return try body()
  }

  /// Resets ``openedByteCount`` to `count`, an earlier value in this traversal: after a failure, the same nodes
  /// are read again in another way, and each counts once.
  package func uncount(to count: Int) { unsafe state.pointee.opened = count }

  /// Opens the node at `ref`, and counts it for the current traversal.
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

  /// Opens the node at `ref` without counting it: a look-up may read a node repeatedly.
  ///
  /// - Throws: same as ``node(at:)``, but never `storage.node-overlap`.
  package func lookUp(_ ref: Ref) throws(RealmFileError) -> Node { try open(ref) }

  /// The header of the node at `ref`, and up to `limit` bytes of its payload. Unlike ``lookUp(_:)``, this does
  /// not decrypt the rest of a long node.
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
    // Most nodes lie in the page of their header, which is already decrypted.
    let byteCount = header.nodeByteCount
    if ref % EncryptedLayout.pageByteCount + byteCount > EncryptedLayout.pageByteCount {
      _ = unsafe try source.nodeBytes(at: ref, count: byteCount)
    }
    return unsafe Node(ref: ref, header: header, payload: start + NodeHeader.byteCount)
  }

  /// The checked header of the node at `ref`, and its first byte.
  @inline(__always)
  private func header(
    at ref: Ref
  ) throws(RealmFileError) -> (NodeHeader, UnsafeRawPointer) {
    // The first node can start after the file header, at byte 24.
    guard ref >= FileHeader.byteCount, ref & 7 == 0 else { throw refError(ref) }
    guard ref <= logicalSize - NodeHeader.byteCount else { throw boundsError(ref) }
    // In bounds, because the source ends at the logical size or later; aligned, because refs are multiples of 8.
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

  /// One slice for the value at `ref`, which is too long for one node (chapter 2, section 3.9). The slice is a
  /// copy that belongs to the current scope, or to the enclosing one in which the value was joined first. A
  /// value of a single piece is not copied.
  ///
  /// - Parameter pieces: returns the pieces of the value.
  /// - Throws: `damaged` with rule `storage.node-overlap` if the joined values of all open scopes have more
  ///   bytes than the file, which means that they share pieces; the errors of `pieces`.
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

  /// The start of a scope; see ``mark()``.
  package struct Mark {
    let pages: Int
    let joined: Int
  }

  /// Opens a scope. ``release(to:)`` ends it: everything read before the scope stays readable, and everything
  /// read in it does not. So memory is bounded by what is open at one time.
  package func mark() -> Mark {
    unsafe Mark(pages: source.loggedPages, joined: state.pointee.joined.count)
  }

  /// Closes the scope that began at `mark`. Nodes and slices read in it become unreadable.
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

  /// Closes the scope that began at `mark`, but keeps everything read in it or before readable while the result
  /// lives: on any thread, even without the reader and the snapshot.
  package func hold(since mark: Mark) -> Hold {
    defer { removeJoined(since: mark) }
    return unsafe Hold(source.hold(since: mark.pages) + state.pointee.joined)
  }
}

// MARK: - Errors

// Not inlined, so that the code that opens nodes stays short.
extension NodeReader {
  @inline(never)
  func refError(_ ref: Ref) -> RealmFileError {
    .damaged(
      .nodeRef, at: ref,
      "found the ref \(ref), expected a multiple of 8 that is at least \(FileHeader.byteCount)")
  }

  @inline(never)
  func boundsError(_ ref: Ref) -> RealmFileError {
    .damaged(
      .nodeBounds, at: ref,
      "found a ref to byte \(ref), expected a node in the \(logicalSize) bytes of the version")
  }

  /// - Parameter word: the eight bytes of the header.
  @inline(never)
  func flagsError(_ word: UInt64, at ref: Ref) -> RealmFileError {
    let flags = UInt8(truncatingIfNeeded: word >> 32)
    return .damaged(
      .nodeFlags, at: ref,
      "found the flags \(String(flags, radix: 2)), expected a width type from 0 to 2, refs in an inner node, and "
        + "width type 0 for refs")
  }

  @inline(never)
  func sizeError(_ header: NodeHeader, at ref: Ref) -> RealmFileError {
    .damaged(
      .nodeBounds, at: ref,
      "found \(header.form), which end at byte \(ref + header.nodeByteCount), expected an end at byte \(logicalSize) "
        + "or before")
  }

  /// - Parameters:
  ///   - opened: bytes of the nodes that the traversal opened.
  ///   - limit: bytes that the traversal may open.
  @inline(never)
  func overlapError(_ opened: Int, limit: Int, at ref: Ref) -> RealmFileError {
    .damaged(
      .storageNodeOverlap, at: ref,
      "found nodes of at least \(opened) bytes in one tree, expected at most the \(limit) bytes of the version: "
        + "refs reach a node twice, or form a cycle")
  }

  @inline(never)
  func joinedError(_ byteCount: Int, at ref: Ref) -> RealmFileError {
    .damaged(
      .storageNodeOverlap, at: ref,
      "found long values of \(byteCount) bytes, expected at most the \(logicalSize) bytes of the version: they share "
        + "their pieces")
  }
}

/// Keeps bytes of a realm readable as long as it lives; see ``NodeReader/hold(since:)``.
package final class Hold: Sendable {
  private let owners: [any AnyObject & Sendable]

  /// - Parameter owners: the bytes are readable as long as these live.
  package init(_ owners: [any AnyObject & Sendable]) { self.owners = owners }
}

/// A copy of a value that the file stores in several pieces.
@safe
private final class JoinedBytes: @unchecked Sendable {
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
