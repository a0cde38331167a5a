/// A copy of a realm without the carriage returns that a program put before its line feeds, in a file without a name.
///
/// Carriage returns that were there before stay: ``LineEndDecision`` and ``StringLineEnds`` tell them apart.
package struct TextUndo {
  /// Number of carriage returns that were taken out.
  package let removed: Int
  /// Number of carriage returns that stay, because they were there before.
  package let kept: Int
  /// Number of carriage returns in nodes of the version where some were taken out and some stay, and nothing says which ones.
  package let undecided: Int
  /// The copy.
  package let copy: FileDescriptor

  /// So many nodes, each where the one before it ends, show that the carriage returns do not belong there.
  private static let leastConfirmed = 4

  /// - Returns: nil if the file was not changed in this way.
  /// - Throws: `cannotCreate` and `inputOutput` for the copy.
  package init?(of file: FileDescriptor) throws(RealmFileError) {
    guard case let size = try file.size(), size > FileHeader.byteCount else { return nil }
    try self.init(of: try MappedFile(descriptor: file.number, count: size))
  }

  /// - Returns: nil if the file was not changed in this way.
  /// - Throws: same as ``init(of:)``.
  init?(of mapping: MappedFile) throws(RealmFileError) {
    let bytes = unsafe ByteSlice(start: mapping.base, count: mapping.count)
    guard let mnemonic = TextChange.mnemonicOffset(in: mapping), let ends = LineEnds(in: bytes)
    else { return nil }
    // Usually none was there before, and the result is a whole version.
    let all = LineEndDecision(removingAllOf: ends)
    if (bytes.count - all.removed) & 7 == 0, case let copy = try TextUndo.write(all),
      try TextUndo.space(ofVersionIn: copy) != nil
    {
      (removed, kept, undecided, self.copy) = (all.removed, 0, 0, copy.descriptor)
      return
    }
    guard var decision = LineEndDecision(ends, mnemonicOffset: mnemonic), decision.removed > 0,
      (bytes.count - decision.removed) & 7 == 0
    else { return nil }
    var copy = try TextUndo.write(decision)
    guard try TextUndo.opens(copy) || decision.confirmed >= TextUndo.leastConfirmed else {
      return nil
    }
    var undecided = 0
    if !decision.stretches.isEmpty {
      undecided = try TextUndo.decideByStrings(&decision, copy)
      copy = try TextUndo.write(decision)
    }
    (removed, kept) = (decision.removed, decision.kept.count)
    (self.undecided, self.copy) = (undecided, copy.descriptor)
  }

  /// The space of the nodes of the version that the header refers to; nil unless they and the free chunks fill the version without
  /// gaps and overlaps (chapter 1, section 3.1).
  private static func space(
    ofVersionIn copy: OutputFile
  ) throws(RealmFileError) -> SpaceMap? {
    guard let snapshot = try snapshot(of: copy) else { return nil }
    let top = snapshot.top
    let nodes = try snapshot.makeReader()
    var map = SpaceMap(byteCount: top.logicalSize)
    var waiting = [top.ref]
    while let ref = waiting.popLast() {
      guard let node = try undamaged(try nodes.lookUp(ref)),
        map.take(ref..<(ref + node.header.nodeByteCount))
      else { return nil }
      // In a node of width 0 every element is 0, for any count.
      guard node.hasRefs, node.width > 0 else { continue }
      for i in 0..<node.count {
        if case .ref(let child) = node.element(at: i) { waiting.append(child) }
      }
    }
    guard let free = try undamaged(try FreeList(top, nodes: nodes)) else { return nil }
    var all = map
    for chunk in free.chunks {
      guard all.take(chunk.offset..<(chunk.offset + chunk.byteCount)) else { return nil }
    }
    return all.gaps(from: FileHeader.byteCount).isEmpty ? map : nil
  }

  /// The version that the header of the realm in `copy` refers to; nil if there is none.
  private static func snapshot(of copy: OutputFile) throws(RealmFileError) -> Snapshot? {
    do throws(RealmFileError) {
      let snapshot = try Snapshot(unlinked: copy, key: nil)
      return snapshot.top.ref == 0 ? nil : snapshot
    } catch {
      switch error.kind {
      case .inputOutput, .cannotCreate: throw error
      // With other bytes, the header says something else.
      default: return nil
      }
    }
  }

  /// Whether the header of the realm in `copy` refers to a version with a list of tables.
  private static func opens(_ copy: OutputFile) throws(RealmFileError) -> Bool {
    guard let snapshot = try snapshot(of: copy) else { return false }
    return try undamaged(try snapshot.makeReader().lookUp(snapshot.top.tables)) != nil
  }

  /// - Returns: the number of carriage returns in nodes of the version whose strings do not decide.
  private static func decideByStrings(
    _ decision: inout LineEndDecision, _ copy: OutputFile
  ) throws(RealmFileError) -> Int {
    let size = try copy.descriptor.size()
    let mapping = try MappedFile(descriptor: copy.descriptor.number, count: size)
    let nodes = NodeReader(source: ByteSource(mapping: mapping), logicalSize: size)
    let wanted = Dictionary(
      decision.stretches.map { ($0.start.original, [Int]()) },
      uniquingKeysWith: { first, _ in first })
    let offsets = try stringOffsets(wanted, nodes)
    let strings = StringLineEnds(ends: decision.ends)
    let space = try space(ofVersionIn: copy)
    var undecided = 0
    for stretch in decision.stretches {
      if let chosen = strings.chosen(
        in: stretch, nodes, offsets: offsets[stretch.start.original])
      {
        decision.choose(chosen, in: stretch)
      } else if space?.isTaken(anyOf: stretch.start.original..<(stretch.start.original + 1)) ?? true
      {
        undecided += stretch.end - stretch.start.index
      }
    }
    return undecided
  }

  /// Where the strings in the nodes `wanted` end: a leaf of strings refers to their offsets, then to their bytes (chapter 2, section 3.6).
  private static func stringOffsets(
    _ wanted: [Ref: [Int]], _ nodes: NodeReader
  ) throws(RealmFileError) -> [Ref: [Int]] {
    var found: [Ref: [Int]] = [:]
    try NodeScan.run(nodes, in: 0..<nodes.logicalSize) { ref, header in
      guard header.hasRefs, !header.isInner, 2...3 ~= header.count,
        let leaf = try? nodes.lookUp(ref), case .ref(let bytes) = leaf.element(at: 1),
        wanted[bytes] != nil, case .ref(let first) = leaf.element(at: 0),
        let offsets = try? nodes.lookUp(first), offsets.isIntegers
      else { return true }
      found[bytes] = offsets.integers().map { Int($0) }
      return true
    }
    return found
  }

  /// Bytes copied at a time.
  private static let pieceByteCount = 1 << 20

  private static func write(_ decision: LineEndDecision) throws(RealmFileError) -> OutputFile {
    let copy = try OutputFile(unlinkedBy: .system)
    let ends = decision.ends
    var (start, piece) = (0, [UInt8]())
    func add(upTo end: Int) throws(RealmFileError) {
      while start < end {
        let count = min(end - start, pieceByteCount)
        for offset in start..<(start + count) { piece.append(ends.bytes[offset]) }
        start += count
        guard piece.count >= pieceByteCount else { continue }
        try copy.write(piece)
        piece.removeAll(keepingCapacity: true)
      }
    }
    for (index, place) in ends.places.enumerated() where !decision.kept.contains(index) {
      try add(upTo: place)
      start = place + 1
    }
    try add(upTo: ends.bytes.count)
    try copy.write(piece)
    return copy
  }
}
