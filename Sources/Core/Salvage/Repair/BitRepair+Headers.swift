import RealmStorage

/// Flipped bits in headers of nodes.
extension BitRepair {
  /// The most nodes whose headers are tried in a pass, and the most bytes that are searched for them.
  private static let suspectLimit = 256
  private static let searchedByteLimit = 1 << 29
  /// The bits of a header with a meaning: flags, width and count, after the filler (chapter 2,
  /// section 1.1).
  private static let meaningful = 32..<64

  /// A bit that makes a header the only possible one without contradictions.
  func headerFlip() throws(RealmFileError) -> Flip? {
    for ref in try suspects() {
      var trial = self
      guard try trial.survey(without: ref) else { continue }
      if let flip = try trial.headerFlip(of: ref) { return flip }
    }
    return nil
  }

  /// Nodes whose headers may be wrong, the likeliest first: those that cannot be read, overlap others
  /// or have refs to nothing, and those next to bytes that no node takes.
  private func suspects() throws(RealmFileError) -> [Ref] {
    var refs: [Ref] = []
    for site in lost {
      guard site.raw & 7 == 0, site.raw >= FileHeader.byteCount, site.raw < end,
        case let ref = Ref(site.raw), !walk.isTaken(ref..<ref + NodeHeader.byteCount),
        try hasFiller(at: ref)
      else { continue }
      refs.append(ref)
    }
    refs += covering.sorted()
    refs += lost.map(\.parent).filter { $0 != 0 }
    for gap in walk.untakenSpace {
      let unit = DamageWalk.unitByteCount
      if walk.isLost(gap.lowerBound..<gap.lowerBound + unit),
        let node = try reached(before: gap.lowerBound)
      {
        refs.append(node.ref)
      }
      if gap.upperBound < end, walk.isLost(gap.upperBound - unit..<gap.upperBound),
        walk.starts.contains(gap.upperBound / unit)
      {
        refs.append(gap.upperBound)
      }
    }
    var seen = Set<Ref>()
    let limit = min(BitRepair.suspectLimit, BitRepair.searchedByteLimit / max(1, end))
    return Array(refs.filter { seen.insert($0).inserted }.prefix(limit))
  }

  /// The flipped bit in the header at `ref`, whose node the survey left out.
  private func headerFlip(of ref: Ref) throws(RealmFileError) -> Flip? {
    guard let word = try word(at: ref) else { return nil }
    let flags = UInt8(truncatingIfNeeded: word >> 32)
    var now: (count: Int, isBounded: Bool, byteCount: Int)?
    if let header = NodeHeader(word: word), let children = try children(ref, header) {
      now = (children.count, children.isBounded, header.nodeByteCount)
    }
    var found: (bit: Int, count: Int)?
    var isUnique = true
    for bit in BitRepair.meaningful {
      guard let header = NodeHeader(word: word ^ 1 << UInt64(bit)),
        let children = try children(ref, header), children.isFitting
      else { continue }
      // A header with the right end is correct unless another one has more children; it may get
      // longer only if that adds refs. If it has the wrong end, the refs after the right one belong
      // to other nodes. But a header that is no longer one of refs must not lose any.
      let least =
        now.map { now in
          if now.isBounded || header.nodeByteCount > now.byteCount { return now.count + 1 }
          return header.flags == flags ? 0 : now.count
        } ?? 0
      guard children.count >= least else { continue }
      if children.count == found?.count { isUnique = false }
      if children.count > found?.count ?? -1 { (found, isUnique) = ((bit, children.count), true) }
    }
    guard let found, isUnique else { return nil }
    return Flip(offset: ref + found.bit / 8, bit: found.bit % 8)
  }

  /// The eight bytes at an offset; nil if they are not in the file.
  private func word(at offset: Int) throws(RealmFileError) -> UInt64? {
    guard offset + NodeHeader.byteCount <= end else { return nil }
    return try nodes.readableBytes(in: offset..<offset + NodeHeader.byteCount)?.littleEndian(at: 0)
  }

  /// The children of the node at `ref` if `header` is its header.
  ///
  /// - Returns: the number of readable children that no other node has; whether all children and the
  ///   bounds fit; and whether the bounds fit: the node takes no bytes of others, and something begins
  ///   at its end. Nil if the node does not fit the file.
  private func children(
    _ ref: Ref, _ header: NodeHeader
  ) throws(RealmFileError) -> (count: Int, isFitting: Bool, isBounded: Bool)? {
    let bytes = ref..<ref + header.nodeByteCount
    guard bytes.upperBound <= end else { return nil }
    let node = unsafe Node(
      ref: ref, header: header,
      payload: try nodes.source.nodeBytes(at: ref, count: bytes.count) + NodeHeader.byteCount)
    let isBounded = try walk.isLost(bytes) ? isBoundary(bytes.upperBound) : false
    var isFitting = isBounded
    var places: [Range<Int>] = []
    // A header that is too long has refs of other nodes, perhaps one to this node.
    var seen: Set<Int64> = [Int64(ref)]
    guard let refs = refs(of: node, header) else { return nil }
    for site in refs {
      guard seen.insert(site.raw).inserted, let child = try self.node(site.raw),
        walk.isLost(child.extent)
      else {
        isFitting = false
        continue
      }
      places.append(child.extent)
    }
    return (places.count, isFitting && (places + [bytes]).areDisjoint, isBounded)
  }

  /// Whether a node, free space or nothing begins at `offset`.
  private func isBoundary(_ offset: Int) throws(RealmFileError) -> Bool {
    guard offset < end else { return true }
    let unit = offset..<offset + DamageWalk.unitByteCount
    if walk.starts.contains(offset / DamageWalk.unitByteCount) { return true }
    if walk.free?.isTaken(anyOf: unit) ?? false { return true }
    return try hasFiller(at: offset)
  }

  private func hasFiller(at offset: Int) throws(RealmFileError) -> Bool {
    guard let word = try word(at: offset) else { return false }
    return UInt32(truncatingIfNeeded: word) == NodeScan.filler
  }
}
