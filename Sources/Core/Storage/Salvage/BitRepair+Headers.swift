/// Flipped bits in headers of nodes.
extension BitRepair {
  /// The most nodes whose headers are doubted in a pass, and the most bytes that are searched for them.
  private static let suspectLimit = 64
  private static let searchedByteLimit = 1 << 29
  /// The bits of a header that mean something.
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
    // What the header as it is leads to must not be lost.
    var (least, isSound) = (0, false)
    if let header = NodeHeader(word: word), let children = try children(ref, header) {
      (least, isSound) = (children.sound, children.isSound)
    }
    var found: (bit: Int, count: Int)?
    var isUnique = true
    for bit in BitRepair.meaningful {
      guard let header = NodeHeader(word: word ^ 1 << UInt64(bit)),
        let children = try children(ref, header), children.isSound,
        children.sound >= (isSound ? least + 1 : least)
      else { continue }
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
  /// takes, and whether all else fits too. It does not if a ref leads elsewhere, if bytes of the node belong to
  /// others, or if nothing begins where it ends.
  ///
  /// - Returns: nil if the node does not fit the file.
  private func children(
    _ ref: Ref, _ header: NodeHeader
  ) throws(RealmFileError) -> (sound: Int, isSound: Bool)? {
    let bytes = ref..<ref + header.nodeByteCount
    guard bytes.upperBound <= end else { return nil }
    let node = unsafe Node(
      ref: ref, header: header,
      payload: try nodes.source.nodeBytes(at: ref, count: bytes.count) + NodeHeader.byteCount)
    var isSound = try isBoundary(bytes.upperBound)
    if !walk.isLost(bytes) { isSound = false }
    var places: [Range<Int>] = []
    for site in BitRepair.refs(of: node, header) {
      guard let child = try self.node(site.raw),
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
    return (places.count, isSound)
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
