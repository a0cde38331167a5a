package import RealmStorage

/// A copy of a damaged realm that can be opened like any other: in an unlinked file, encrypted if the realm is.
///
/// The copy has the bytes of the realm at the same offsets, a sound file header, and a top array behind them
/// that leads to the tables of one root. Nodes that cannot be trusted are made unreadable, so that whoever
/// reads the copy meets an error there, and never garbage.
package struct SalvageImage {
  /// Bytes copied at a time: a page of an encrypted file.
  private static let pieceByteCount = 4096
  /// The flags of no node: the width type is one that does not exist.
  private static let noNode: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF]
  private static let flagsOffset = 4

  /// Nodes that replace lost ones.
  package struct Repairs {
    /// The nodes, all behind the bytes of the realm.
    package let nodes: NodeBuffer
    /// Root of the names of tables; nil for that of the realm.
    package var tableNames: Ref?
    /// Root of the tables; nil for that of the realm.
    package var tables: Ref?
    /// Slots of the tables whose own top array is lost, and which have one that is made of an older one.
    package var olderTables = Set<Int>()
    /// Whether the names of tables are lost, all or some of them.
    package var areTableNamesLost = false
    /// Bits of names that had flipped: byte offset, and position in the byte.
    package var correctedBits: [(offset: Int, bit: Int)] = []
    /// Slots of the tables whose columns have no names any more; true for those whose column keys are lost too.
    package var namelessTables: [Int: Bool] = [:]

    /// - Parameter walk: says where nodes can be added.
    package init(_ walk: DamageWalk) { nodes = NodeBuffer(base: walk.additionalSpace) }
  }

  /// Makes the copy and opens it.
  ///
  /// - Parameter walk: says which nodes cannot be trusted.
  /// - Throws: the errors of writing; those of opening a realm, with the path of the damaged one; `damagedHeader`
  ///   if refs lead to where more nodes are added than there is space for.
  package static func open(
    _ file: DamagedFile, _ root: SalvageRoot, _ walk: DamageWalk, _ repairs: Repairs? = nil,
    cacheByteCount: Int = Snapshot.usualCacheByteCount
  ) throws(RealmFileError) -> Snapshot {
    let base = repairs?.nodes.base ?? walk.additionalSpace
    guard !walk.hasStrays(in: base..<base + (repairs?.nodes.byteCount ?? 0) + topByteLimit) else {
      throw RealmFileError(
        .damagedHeader("refs to lost nodes lead everywhere behind the end of the file"))
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
    // No free list, no history: only the tables are read.
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

  /// Bytes written at a time in place of those behind the end of a truncated file.
  private static let fillByteCount = 1 << 20
  /// A top array has fewer bytes.
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
