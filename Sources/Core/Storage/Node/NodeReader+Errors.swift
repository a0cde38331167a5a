/// Why a node cannot be opened. Apart from the code that opens nodes, so that it stays short.
extension NodeReader {
  @inline(never)
  func refError(_ ref: Ref) -> RealmFileError {
    .damaged(
      .nodeRef, at: ref,
      "found the ref \(ref), expected a multiple of 8 from \(FileHeader.byteCount) on")
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
  ///   - limit: bytes that it may open.
  @inline(never)
  func overlapError(_ opened: Int, limit: Int, at ref: Ref) -> RealmFileError {
    .damaged(
      .storageNodeOverlap, at: ref,
      "found nodes of \(opened) bytes and more below one another, expected at most the \(limit) bytes of the version: "
        + "refs lead to a node twice, or in a circle")
  }

  @inline(never)
  func joinedError(_ byteCount: Int, at ref: Ref) -> RealmFileError {
    .damaged(
      .storageNodeOverlap, at: ref,
      "found long values of \(byteCount) bytes, expected at most the \(logicalSize) bytes of the version: they share "
        + "their pieces")
  }
}
