package import RealmStorage

/// Counts the bytes of the nodes that were opened for one purpose. The nodes of a snapshot form a tree (chapter 2,
/// section 1.5), so there are at most as many as the file has.
package struct OpenedBytes: Sendable {
  private let purpose: String
  package private(set) var count = 0

  /// - Parameter purpose: what the nodes hold, in the plural, for messages: "the objects".
  package init(of purpose: String) { self.purpose = purpose }

  /// Counts the bytes of more nodes.
  ///
  /// - Parameter ref: the node for the error.
  /// - Throws: `damaged` with rule `storage.node-overlap` for more bytes than the file has.
  package mutating func add(
    _ byteCount: Int, at ref: Ref, fileSize: Int
  ) throws(RealmFileError) {
    count += byteCount
    guard count <= fileSize else {
      throw .damaged(
        .storageNodeOverlap, at: ref,
        "\(purpose) up to here take \(count) bytes of nodes, but the file has \(fileSize) bytes")
    }
  }

  /// The bytes counted since the last call.
  package mutating func take() -> Int {
    defer { count = 0 }
    return count
  }
}
