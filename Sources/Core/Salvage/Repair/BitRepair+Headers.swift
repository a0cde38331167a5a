import RealmStorage

/// Flipped bits in headers of nodes.
extension BitRepair {
  /// The most nodes whose headers are doubted in a pass, and the most bytes that are searched for them.
  private static let suspectLimit = 256
  private static let searchedByteLimit = 1 << 29
  /// The bits of a header that mean something: behind the filler, flags, width and count (chapter 2, section 1.1).
  private static let meaningful = 32..<64

  /// A header that is one bit away from the only one that contradicts nothing.
  func headerFlip() throws(RealmFileError) -> Flip? {
    for ref in try suspects() {
      var trial = self
      guard try trial.survey(without: ref) else { continue }
      if let flip = try trial.headerFlip(of: ref) { return flip }
    }
    return nil
  }

  /// Nodes whose headers may be wrong, the likeliest first: those that cannot be read, that extend over others,
  /// that lead nowhere, and those next to bytes that nothing takes.
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

  /// The header at `ref`, whose node is not reached now.
  private func headerFlip(of ref: Ref) throws(RealmFileError) -> Flip? {
    guard let word = try word(at: ref) else { return nil }
    let flags = UInt8(truncatingIfNeeded: word >> 32)
    var now: (sound: Int, isBounded: Bool, byteCount: Int)?
    if let header = NodeHeader(word: word), let children = try children(ref, header) {
      now = (children.sound, children.isBounded, header.nodeByteCount)
    }
    var found: (bit: Int, count: Int)?
    var isUnique = true
    for bit in BitRepair.meaningful {
      guard let header = NodeHeader(word: word ^ 1 << UInt64(bit)),
        let children = try children(ref, header), children.isSound
      else { continue }
      // A header that ends where it should is right, if no other one leads to more; and more bytes are those of the
      // node only if there are refs in them. If it ends elsewhere, the refs behind the end are those of others;
      // but what is not a ref any more must not be lost.
      let least =
        now.map { now in
          if now.isBounded || header.nodeByteCount > now.byteCount { return now.sound + 1 }
          return header.flags == flags ? 0 : now.sound
        } ?? 0
      guard children.sound >= least else { continue }
      if children.sound == found?.count { isUnique = false }
      if children.sound > found?.count ?? -1 { (found, isUnique) = ((bit, children.sound), true) }
    }
    guard let found, isUnique else { return nil }
    return Flip(offset: ref + found.bit / 8, bit: found.bit % 8)
  }

  /// The eight bytes at an offset; nil if they are not in the file.
  private func word(at offset: Int) throws(RealmFileError) -> UInt64? {
    guard offset + NodeHeader.byteCount <= end else { return nil }
    return unsafe ByteSlice(
      start: try nodes.source.nodeBytes(at: offset, count: NodeHeader.byteCount),
      count: NodeHeader.byteCount
    ).littleEndian(at: 0)
  }

  /// What a node leads to if `header` is its header: the number of nodes that can be read and that nothing else
  /// takes; whether all else fits too; and whether no bytes of the node belong to others, and something begins where
  /// it ends. All else does not fit if this does not, or if a ref leads elsewhere.
  ///
  /// - Returns: nil if the node does not fit the file.
  private func children(
    _ ref: Ref, _ header: NodeHeader
  ) throws(RealmFileError) -> (sound: Int, isSound: Bool, isBounded: Bool)? {
    let bytes = ref..<ref + header.nodeByteCount
    guard bytes.upperBound <= end else { return nil }
    let node = unsafe Node(
      ref: ref, header: header,
      payload: try nodes.source.nodeBytes(at: ref, count: bytes.count) + NodeHeader.byteCount)
    let isBounded = try walk.isLost(bytes) ? isBoundary(bytes.upperBound) : false
    var isSound = isBounded
    var places: [Range<Int>] = []
    // A header that takes too much takes refs of others, also one to the node itself.
    var seen: Set<Int64> = [Int64(ref)]
    guard let refs = refs(of: node, header) else { return nil }
    for site in refs {
      guard seen.insert(site.raw).inserted, let child = try self.node(site.raw),
        case let place = child.ref..<child.ref + child.header.nodeByteCount, walk.isLost(place)
      else {
        isSound = false
        continue
      }
      places.append(place)
    }
    let all = (places + [bytes]).sorted { $0.lowerBound < $1.lowerBound }
    if zip(all, all.dropFirst()).contains(where: { $0.upperBound > $1.lowerBound }) {
      isSound = false
    }
    return (places.count, isSound, isBounded)
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
