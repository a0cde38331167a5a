package import RealmStorage

/// A copy of a damaged realm that can be opened like any other, in an unlinked file. It is encrypted
/// if the realm is.
///
/// The copy has the bytes of the realm at the same offsets, a valid file header, and a top array
/// after them for the tables of one root. Nodes that cannot be trusted are unreadable, so reading
/// them fails instead of returning garbage.
package struct SalvageImage {
  /// Bytes copied at a time: a page of an encrypted file.
  private static let pieceByteCount = 4096
  /// The flags of no node: this width type does not exist.
  private static let noNode: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF]
  private static let flagsOffset = 4

  /// Nodes that replace lost ones.
  package struct Repairs {
    /// The nodes, all after the bytes of the realm.
    package let nodes: NodeBuffer
    /// Root of the names of tables; nil for the realm's own.
    var tableNames: Ref?
    /// Root of the tables; nil for the realm's own.
    package var tables: Ref?
    /// Slots of the tables whose top array is lost and was replaced by an older one.
    var olderTables = Set<Int>()
    /// Places of the tables of formats 2 to 9 of which a part was found without a ref to it.
    var foundTables = Set<Int>()
    /// Whether names of tables are lost, all or some of them.
    var areTableNamesLost = false
    /// The flipped bits in names that were corrected.
    var correctedBits: [SalvageReport.Bit] = []
    /// Slots of the tables whose columns lost their names; true for those that lost their column keys
    /// too.
    var namelessTables: [Int: Bool] = [:]

    /// - Parameter walk: where nodes can be added.
    package init(_ walk: DamageWalk) { nodes = NodeBuffer(base: walk.additionalSpace) }
  }

  /// Makes the copy and opens it.
  ///
  /// - Parameter walk: which nodes cannot be trusted.
  /// - Throws: the errors of writing and of opening a realm, with the path of the damaged one;
  ///   `damagedHeader` if refs point everywhere past the end of the file, so that there is no room
  ///   for nodes.
  package static func open(
    _ file: DamagedFile, _ root: SalvageRoot, _ walk: DamageWalk, _ repairs: Repairs? = nil,
    cacheByteCount: Int = Snapshot.usualCacheByteCount
  ) throws(RealmFileError) -> Snapshot {
    let base = repairs?.nodes.base ?? walk.additionalSpace
    guard !walk.hasStrays(in: base..<base + (repairs?.nodes.byteCount ?? 0) + topByteLimit) else {
      throw RealmFileError(
        .damagedHeader("refs to lost nodes point everywhere behind the end of the file"))
    }
    let target = try OutputFile(unlinkedBy: .system)
    let output = try RealmOutput(.file(target), key: file.key)
    try copy(file, walk, to: output)
    // Not zeros: eight of them are the header of an empty node.
    while case let missing = base - output.position, missing > 0 {
      try output.append(Array(repeating: noNode[0], count: min(missing, fillByteCount)))
    }
    if let repairs, repairs.nodes.byteCount > 0 {
      try unsafe output.append(repairs.nodes.bytes)
    }
    let ref = output.position
    // No free list and no history: only the tables are read.
    func top(_ logicalSize: Int) -> [UInt8] {
      TopArray.encode(
        RealmFileWriter.Trees(
          tableNames: repairs?.tableNames ?? root.tableNames,
          tables: repairs?.tables ?? root.tables),
        RealmFileWriter.Facts(
          version: root.version, historyType: 0, historySchemaVersion: 0, fileIdent: 0),
        logicalSize: logicalSize, freeList: nil, slotCount: TopArray.Slot.fileIdent + 1)
    }
    try output.append(top(ref + top(0).count))
    let unit = file.isEncrypted ? RealmFileWriter.encryptedPageByteCount : pieceByteCount
    try output.appendZeros((unit - output.position % unit) % unit)
    _ = try output.finish(header: FileHeader.encode(top: UInt64(ref), format: root.format))
    return try Snapshot(unlinked: target, key: file.key, cacheByteCount: cacheByteCount)
  }

  /// Bytes written at a time in the gap between the file and the added nodes.
  private static let fillByteCount = 1 << 20
  /// The most bytes of the top array.
  private static let topByteLimit = 256

  private static func copy(
    _ file: DamagedFile, _ walk: DamageWalk, to output: RealmOutput
  ) throws(RealmFileError) {
    let nodes = try file.makeReader()
    let mark = nodes.mark()
    for start in stride(from: 0, to: file.byteCount, by: pieceByteCount) {
      let count = min(pieceByteCount, file.byteCount - start)
      defer { nodes.release(to: mark) }
      guard try nodes.isReadable(start..<start + count) else {
        try output.appendZeros(count)
        continue
      }
      let piece = unsafe try nodes.source.nodeBytes(at: start, count: count)
      let killed = walk.killed.runs(in: start / 8..<(start + count + 7) / 8)
      guard !killed.isEmpty else {
        try unsafe output.append(UnsafeRawBufferPointer(start: piece, count: count))
        continue
      }
      var bytes = unsafe Array(UnsafeRawBufferPointer(start: piece, count: count))
      for unit in killed.joined() where unit * 8 + 8 <= start + count {
        let place = unit * 8 - start + flagsOffset
        bytes.replaceSubrange(place..<place + noNode.count, with: noNode)
      }
      try output.append(bytes)
    }
  }
}
