import RealmStorage

/// Finds flipped bits in refs and in headers of nodes.
///
/// A flipped bit leaves all other bytes intact. So a node whose ref flipped is still there, one bit
/// away, and nothing else refers to it. A node whose header flipped still ends where the next one
/// begins. A correction is made if no other one explains the same contradiction. All corrections
/// are kept only if afterwards no nodes overlap, and all bytes that nothing refers to are whole
/// nodes. Other damage leaves bytes that are not nodes; ``DamageWalk`` deals with it.
struct BitRepair {
  typealias Flip = SalvageReport.Bit

  /// An element of a node that is a ref.
  struct Site: Hashable {
    /// The node; 0 for the refs of the root itself.
    let parent: Ref
    let index: Int
    let raw: Int64
  }

  /// The most searches: a bit can hide others in the nodes below it.
  private static let passLimit = 12
  /// If more nodes have refs to nothing, the cause is damage of another kind.
  private static let brokenLimit = 24
  /// The most refs to nothing that are looked at.
  private static let wrongLimit = 1 << 12

  /// The most elements of nodes and units of the file to look at, besides one for each byte of the
  /// file.
  private static let workLimit = 1 << 26
  /// The most units before a place that are searched for the node that covers it.
  private static let searchedUnits = 1 << 20

  /// How much may still be looked at, shared by all passes and trials.
  final class Work {
    private(set) var left: Int

    init(fileByteCount: Int) { left = BitRepair.workLimit + fileByteCount }

    /// - Returns: false if nothing more may be looked at.
    func take(_ count: Int) -> Bool {
      left -= min(count, left)
      return left > 0
    }
  }

  let nodes: NodeReader
  let root: SalvageRoot
  let work: Work
  /// Which bytes the reached nodes take, and which are free.
  var walk: DamageWalk
  /// Refs to no node, to free bytes, or to bytes of another node.
  var wrong: [Site] = []
  /// Nodes with two refs.
  private(set) var doubled = Set<Ref>()
  /// Nodes that overlap others.
  var covering = Set<Ref>()
  /// Refs to no node, without those that only contradict another ref.
  private(set) var lost: [Site] = []
  var end: Int { walk.end }

  /// Corrects the flipped bits of a version of a plain file.
  ///
  /// - Returns: a copy of the file with the corrected bits; nil if there are none, or if more is
  ///   wrong.
  /// - Throws: the errors of writing the copy; read errors that are not damage.
  static func run(
    _ file: DamagedFile, _ root: SalvageRoot
  ) throws(RealmFileError) -> (file: DamagedFile, flips: [Flip])? {
    guard !file.isEncrypted, root.tableElements == nil, root.logicalSize <= file.byteCount else {
      return nil
    }
    let work = Work(fileByteCount: file.byteCount)
    var (corrected, flips) = (file, Set<Flip>())
    for _ in 0..<passLimit {
      var repair = BitRepair(try corrected.makeReader(), root, work)
      guard try repair.survey(), repair.walk.knowsFreeSpace,
        Set(repair.lost.map(\.parent)).count + repair.covering.count <= brokenLimit
      else { return nil }
      let found = try repair.flips().filter { !flips.contains($0) }
      guard !found.isEmpty else {
        let hasOnlyNodesLeft = try repair.hasOnlyNodesLeft()
        guard !flips.isEmpty, repair.covering.isEmpty, hasOnlyNodesLeft,
          try !repair.hidesNodes(flips), work.left > 0
        else { return nil }
        return (corrected, flips.sorted { ($0.offset, $0.bit) < ($1.offset, $1.bit) })
      }
      flips.formUnion(found)
      corrected = try DamagedFile(copying: file, flips)
    }
    return nil
  }

  private init(_ nodes: NodeReader, _ root: SalvageRoot, _ work: Work) {
    (self.nodes, self.root, self.work) = (nodes, root, work)
    walk = DamageWalk(root, nodes)
    walk.free = walk.statedFreeSpace()?.map
  }

  /// Whether the bytes of the version that nothing refers to are whole nodes.
  private func hasOnlyNodesLeft() throws(RealmFileError) -> Bool {
    let mark = nodes.mark()
    for gap in walk.untakenSpace {
      var position = gap.lowerBound
      while position < gap.upperBound {
        guard work.take(1) else { return false }
        defer { nodes.release(to: mark) }
        if walk.free?.isTaken(anyOf: position..<position + DamageWalk.unitByteCount) ?? false {
          position += DamageWalk.unitByteCount
          continue
        }
        guard let node = try node(Int64(position)),
          node.header.nodeByteCount <= gap.upperBound - position
        else { return false }
        position += node.header.nodeByteCount
      }
    }
    return true
  }

  /// Whether a node with a corrected header covers bytes that a ref points to.
  private func hidesNodes(_ flips: Set<Flip>) throws(RealmFileError) -> Bool {
    let unit = DamageWalk.unitByteCount
    let corrected = Set(flips.map { $0.offset / unit })
    for site in lost {
      guard site.raw & 7 == 0, site.raw >= FileHeader.byteCount, site.raw < end,
        walk.isTaken(Ref(site.raw)..<Ref(site.raw) + unit),
        let node = try reached(before: Ref(site.raw))
      else { continue }
      if corrected.contains(node.ref / unit) { return true }
    }
    return false
  }

  // MARK: The nodes

  /// Visits all nodes of the version.
  ///
  /// - Parameter cut: a node that is left out, with everything below it.
  /// - Returns: false if too much is wrong.
  mutating func survey(without cut: Ref? = nil) throws(RealmFileError) -> Bool {
    walk.beginPass()
    (wrong, lost, doubled, covering) = ([], [], [], [])
    var stack = root.starts.map { Site(parent: 0, index: 0, raw: Int64($0)) }
    let mark = nodes.mark()
    while let site = stack.popLast() {
      guard wrong.count < BitRepair.wrongLimit else { return false }
      defer { nodes.release(to: mark) }
      guard let node = try node(site.raw) else {
        wrong.append(site)
        lost.append(site)
        continue
      }
      guard node.ref != cut else { continue }
      guard !walk.isTaken(node.extent) else {
        wrong.append(site)
        let before = try reached(before: node.ref + 1)
        if let before, before.ref == node.ref {
          doubled.insert(node.ref)
        } else if let before, before.extent.upperBound > node.ref {
          covering.insert(before.ref)
        } else {
          covering.insert(node.ref)
        }
        continue
      }
      walk.take(node.extent)
      guard let refs = refs(of: node, node.header) else { return false }
      stack += refs
      // Each ref that is right has a node of its own.
      guard stack.count <= end / DamageWalk.unitByteCount else { return false }
    }
    return true
  }

  /// The node that a ref points to; nil if there is none or it is in free space.
  func node(_ raw: Int64) throws(RealmFileError) -> Node? {
    guard raw & 7 == 0, raw >= FileHeader.byteCount, raw < end else { return nil }
    guard let node = try undamaged(nodes.lookUp(Ref(raw))), node.hasFiller,
      node.extent.upperBound <= end, !(walk.free?.isTaken(anyOf: node.extent) ?? false)
    else { return nil }
    return node
  }

  /// The refs of a node with this header; nil if too much was looked at.
  func refs(of node: Node, _ header: NodeHeader) -> [Site]? {
    // Refs have at least 8 bits.
    guard header.hasRefs, header.width >= 8 else { return [] }
    guard work.take(header.count) else { return nil }
    var sites: [Site] = []
    for i in 0..<header.count {
      let raw = node.integer(at: i)
      if raw != 0, raw & 1 == 0 { sites.append(Site(parent: node.ref, index: i, raw: raw)) }
    }
    return sites
  }

  /// The last reached node that begins before `place`.
  func reached(before place: Int) throws(RealmFileError) -> Node? {
    let last = (place + DamageWalk.unitByteCount - 1) / DamageWalk.unitByteCount
    var unit = last
    while unit > max(0, last - BitRepair.searchedUnits), work.take(1) {
      unit -= 1
      if walk.starts.contains(unit) { return try nodes.lookUp(unit * DamageWalk.unitByteCount) }
    }
    return nil
  }
}
