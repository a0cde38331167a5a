import RealmStorage

/// Flipped bits in refs.
extension BitRepair {
  /// The most nodes without a ref for which a ref is searched.
  private static let orphanLimit = 1 << 12

  /// The flipped bits that one pass can find.
  func flips() throws(RealmFileError) -> [Flip] {
    let lostNodes = try LostNodes(nodes, walk)
    guard !wrong.isEmpty || !lostNodes.places.isEmpty else { return [] }
    if let flip = try headerFlip() { return [flip] }
    // Below a node that overlaps others, nothing can be trusted.
    return covering.isEmpty ? try refFlips(lostNodes) : []
  }

  /// Flipped bits of refs that are one bit away from a node without a ref.
  private func refFlips(_ lost: LostNodes) throws(RealmFileError) -> [Flip] {
    let orphans = lost.places.indices.filter { !lost.isChild[$0] }
    guard orphans.count <= BitRepair.orphanLimit else { return [] }
    var near: [UInt64: [Ref]] = [:]
    for i in orphans {
      let ref = lost.places[i].lowerBound
      for bit in 0..<UInt64.bitWidth {
        near[UInt64(ref) ^ 1 << UInt64(bit), default: []].append(ref)
      }
    }
    let wrongSites = Set(wrong)
    var extents: [Ref: [Range<Int>]] = [:]
    for i in orphans {
      extents[lost.places[i].lowerBound] = try self.extents(of: lost.places[i].lowerBound)
    }
    var found: [(site: Site, flip: Flip, target: Ref?, isWrong: Bool)] = []
    let mark = nodes.mark()
    for run in walk.starts.runs(in: 0..<end / DamageWalk.unitByteCount) {
      for unit in run {
        defer { nodes.release(to: mark) }
        let node = try nodes.lookUp(unit * DamageWalk.unitByteCount)
        guard node.hasRefs, node.width >= 8 else { continue }
        guard work.take(node.count) else { return [] }
        let tagged = BitRepair.lastTagged(node)
        for i in 0..<node.count {
          let site = Site(parent: node.ref, index: i, raw: node.integer(at: i))
          let pattern = node.unsigned(at: i)
          let isWrong = wrongSites.contains(site)
          let isDoubled = !isWrong && site.raw & 7 == 0 && doubled.contains(Int(site.raw))
          guard isWrong || isDoubled || i == tagged else { continue }
          var isNearOrphan = false
          for target in near[pattern] ?? [] where isPossible(site, extents[target]) {
            isNearOrphan = true
            let bit = (pattern ^ UInt64(target)).trailingZeroBitCount
            guard bit < node.width else { continue }
            let flip = BitRepair.flip(bit, ofElement: i, of: node)
            found.append((site, flip, target, isWrong || isDoubled))
          }
          guard isWrong, !isNearOrphan, let bit = bit(ofNoRef: site, node) else { continue }
          found.append((site, BitRepair.flip(bit, ofElement: i, of: node), nil, true))
        }
      }
    }
    // A number that may have been a ref counts only if no wrong ref is near.
    let explained = Set(found.filter { $0.isWrong }.compactMap(\.target))
    found.removeAll { !$0.isWrong && $0.target.map(explained.contains) ?? false }
    let sites = Dictionary(grouping: found, by: \.site)
    let targets = Dictionary(grouping: found.filter { $0.target != nil }, by: \.target)
    return found.filter {
      sites[$0.site]?.count == 1 && ($0.target == nil || targets[$0.target]?.count == 1)
    }.map(\.flip)
  }

  /// The only tagged element of a node that otherwise has refs, in a place where numbers do not
  /// belong; nil if there is none. Other nodes have numbers among their refs, such as counts and
  /// object keys.
  private static func lastTagged(_ node: Node) -> Int? {
    var (tagged, refs): (Int?, Int) = (nil, 0)
    for i in 0..<node.count {
      let raw = node.integer(at: i)
      // A number of objects, or depth and size of a tree (chapter 2, sections 4 and 5).
      if i < (node.isInner ? 3 : 1) { continue }
      if raw & 1 != 0 {
        guard tagged == nil else { return nil }
        tagged = i
      } else if raw != 0 {
        refs += 1
      }
    }
    return refs >= 3 ? tagged : nil
  }

  /// Whether the ref can have been one to a node whose tree takes `tree`: the bytes that it points to
  /// now are not lost ones of another node.
  private func isPossible(_ site: Site, _ tree: [Range<Int>]?) -> Bool {
    guard let tree else { return false }
    guard let unit = lostUnit(of: site) else { return true }
    return tree.contains { $0.overlaps(unit) }
  }

  /// The first bytes that a ref points to, if they belong to the version and no node takes them.
  private func lostUnit(of site: Site) -> Range<Int>? {
    guard site.raw & 7 == 0, site.raw >= FileHeader.byteCount, site.raw < end else { return nil }
    let unit = Ref(site.raw)..<Ref(site.raw) + DamageWalk.unitByteCount
    return walk.isLost(unit) ? unit : nil
  }

  /// The ranges of the nodes of a tree that nothing refers to; nil if some belong to something else.
  private func extents(of target: Ref) throws(RealmFileError) -> [Range<Int>]? {
    var (ranges, stack): ([Range<Int>], [Int64]) = ([], [Int64(target)])
    var byteCount = 0
    while let raw = stack.popLast() {
      // Other flipped bits are wrong below.
      guard let node = try node(raw) else { continue }
      let bytes = node.extent
      byteCount += bytes.count
      guard byteCount <= end else { return nil }
      guard walk.isLost(bytes) else { continue }
      ranges.append(bytes)
      guard let refs = refs(of: node, node.header) else { return nil }
      stack += refs.map(\.raw)
    }
    return ranges.isEmpty ? nil : ranges
  }

  /// The bit that made a ref of an element that was none: a null, or a tagged number.
  private func bit(ofNoRef site: Site, _ node: Node) -> Int? {
    // If two refs point to one node, either may be the wrong one.
    guard site.raw > 0, lostUnit(of: site) == nil, !doubled.contains(Int(site.raw)) else {
      return nil
    }
    // Depth and size of a cluster tree are both numbers.
    if node.isInner, (1...2).contains(site.index), node.count > 2,
      node.integer(at: 3 - site.index) & 1 != 0
    {
      return 0
    }
    return site.raw.nonzeroBitCount == 1 ? site.raw.trailingZeroBitCount : nil
  }

  private static func flip(_ bit: Int, ofElement index: Int, of node: Node) -> Flip {
    let place = index * node.width + bit
    return Flip(offset: node.ref + NodeHeader.byteCount + place / 8, bit: place % 8)
  }
}
