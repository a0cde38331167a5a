/// A node that has the form of a top array, wherever it is: of the newest version, of an older one, or of a damaged one.
///
/// ``TopArray`` is the root of the version that a header refers to. This type finds those that no header refers to.
package struct RootNode: Sendable {
  package let ref: Ref
  /// Number of the version; 1 if the root has none.
  package let version: Int
  /// Bytes that belong to the version.
  package let logicalSize: Int
  package let tableNames: Ref
  package let tables: Ref
  /// Code of the history kind; 0 if it is none of the known ones.
  package let historyType: Int
  /// The free list; nil for a root without one.
  package let freeList: FreeList.Refs?
  /// Whether all bytes are certain to belong to the version, because it has no free list.
  package let hasNoFreeSpace: Bool

  /// Decodes a root. Unlike ``TopArray``, accepts one in a truncated file.
  ///
  /// - Returns: nil if the node at `ref` cannot be a top array.
  package init?(at ref: Ref, _ nodes: NodeReader) {
    guard let node = try? nodes.lookUp(ref), node.hasRefs, !node.isInner, !node.hasContext,
      TopArray.legalCounts.contains(node.count)
    else { return nil }
    typealias Slot = TopArray.Slot
    func slot(_ slot: Int) -> Int64 { slot < node.count ? node.integer(at: slot) : 0 }
    func child(_ slot: Int) -> Ref? {
      let raw = node.integer(at: slot)
      return raw >= FileHeader.byteCount && raw & 7 == 0 && raw < TopArray.sizeLimit
        ? Int(raw) : nil
    }
    let size = slot(Slot.logicalSize)
    guard let names = child(Slot.tableNames), let tables = child(Slot.tables), names != tables,
      size & 1 != 0, size > 0, size >> 1 < TopArray.sizeLimit,
      case let logicalSize = Int(size >> 1), logicalSize & 7 == 0,
      logicalSize >= ref + node.header.nodeByteCount, names < logicalSize, tables < logicalSize,
      node.count <= Slot.version || slot(Slot.version) & 1 != 0 && slot(Slot.version) > 0
    else { return nil }
    (self.ref, self.logicalSize, tableNames, self.tables) = (ref, logicalSize, names, tables)
    version = node.count > Slot.version ? max(1, Int(slot(Slot.version) >> 1)) : 1
    let history = slot(Slot.historyType)
    historyType = history & 1 != 0 && history >> 1 <= 4 && history > 0 ? Int(history >> 1) : 0
    let freeList: FreeList.Refs? =
      if node.count > Slot.freeVersions, let positions = child(Slot.freePositions),
        let lengths = child(Slot.freeLengths), let versions = child(Slot.freeVersions)
      { FreeList.Refs(positions: positions, lengths: lengths, versions: versions) } else { nil }
    self.freeList = freeList
    // A free list that cannot be found is not an empty one.
    hasNoFreeSpace = [Slot.freePositions, Slot.freeLengths, Slot.freeVersions].allSatisfy {
      node.count <= $0 || slot($0) == 0
    }
  }

  /// Calls `body` for each root in the file whose table names or list of tables have the form that they should have, in the order
  /// of the file.
  ///
  /// - Parameters:
  ///   - nodes: a reader of the whole file.
  ///   - body: returns false to stop.
  /// - Throws: the errors of an encrypted source, except for damaged pages, which are skipped.
  package static func scan(
    _ nodes: NodeReader, _ body: (RootNode) -> Bool
  ) throws(RealmFileError) {
    try NodeScan.run(nodes, in: 0..<nodes.logicalSize) { ref, header in
      guard header.hasRefs, !header.isInner, TopArray.legalCounts.contains(header.count),
        let root = RootNode(at: ref, nodes), root.leadsSomewhere(nodes)
      else { return true }
      return body(root)
    }
  }

  /// Whether the table names or the list of tables have the form that they should have.
  private func leadsSomewhere(_ nodes: NodeReader) -> Bool {
    let names = try? nodes.lookUp(tableNames)
    if names?.header.widthType == .multiply { return true }
    guard let tables = try? nodes.lookUp(tables) else { return false }
    return tables.hasRefs && !tables.isInner
  }
}

extension Snapshot {
  /// The roots in a file whose header says that nothing was ever committed.
  package struct ForgottenRoots {
    /// Number of roots.
    package var count: Int
    /// The one of the newest version.
    package var newest: RootNode
  }

  /// The roots in a file whose header says that nothing was ever committed: an SDK that begins a file anew leaves the data of older
  /// commits behind the header (chapter 1, section 1.2). Nil if there are none, and for other files.
  ///
  /// Reads the whole file, which usually is one page.
  ///
  /// - Throws: errors that are not damage.
  package func forgottenRoots() throws(RealmFileError) -> ForgottenRoots? {
    guard top.ref == 0 else { return nil }
    var found: ForgottenRoots?
    try RootNode.scan(try makeReaderOfFile()) { root in
      let (count, newest) = (found?.count ?? 0, found?.newest ?? root)
      found = ForgottenRoots(
        count: count + 1, newest: newest.version > root.version ? newest : root)
      return true
    }
    return found
  }
}
