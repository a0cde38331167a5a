package import RealmStorage

/// Finds bits that flipped in refs and in headers of nodes.
///
/// A flipped bit leaves all other bytes as they were. So a node whose ref flipped is still there, one bit away, and
/// nothing else leads to it; and a node whose header flipped still ends where the next one begins. A
/// correction is taken if it is the only one for what it explains. All of them are taken only if then no node
/// extends over others, and all bytes to which nothing leads are whole nodes: other damage leaves bytes that are
/// none, and is left to ``DamageWalk``.
package struct BitRepair {
  /// A bit that flipped.
  package struct Flip: Hashable, Sendable {
    /// Of the byte, in the file.
    package let offset: Int
    /// 0 to 7.
    package let bit: Int
  }

  /// An element of a node that is a ref.
  struct Site: Hashable {
    /// The node; 0 for the refs that the root itself names.
    let parent: Ref
    let index: Int
    let raw: Int64
  }

  /// The most times that the nodes are searched: a bit can hide others below it.
  private static let passLimit = 12
  /// If more nodes have refs that lead nowhere, damage of another kind is the cause.
  private static let brokenLimit = 24
  /// Of more refs that lead nowhere, no more are looked at.
  private static let wrongLimit = 1 << 12

  /// Elements of nodes, and units of the file, that are looked at together, besides one for each byte of the file.
  private static let workLimit = 1 << 26
  /// The most units before a place in which the node is searched that covers it.
  private static let searchedUnits = 1 << 20

  /// What may still be looked at, shared by all passes and trials.
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
  /// Which bytes the nodes that are reached take, and which are free.
  var walk: DamageWalk
  /// Refs that lead to no node, to free bytes, or to bytes of another node.
  var wrong: [Site] = []
  /// Nodes to which two refs lead.
  private(set) var doubled = Set<Ref>()
  /// Nodes that extend over others.
  var covering = Set<Ref>()
  /// Refs that lead to no node, and do not only contradict another ref.
  private(set) var lost: [Site] = []
  var end: Int { walk.end }

  /// Corrects what can be corrected of a version of a plain file.
  ///
  /// - Returns: a copy of the file with the corrected bits; nil if there are none, or if more is wrong.
  /// - Throws: the errors of writing the copy; those of reading that say nothing about the file.
  package static func run(
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
      corrected = try file.correcting(flips)
    }
    return nil
  }

  private init(_ nodes: NodeReader, _ root: SalvageRoot, _ work: Work) {
    (self.nodes, self.root, self.work) = (nodes, root, work)
    walk = DamageWalk(root, nodes)
    walk.free = walk.statedFreeSpace()?.map
  }

  /// Whether the bytes of the version to which nothing leads are whole nodes.
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

  /// Whether a node with a corrected header takes bytes to which a ref leads.
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

  // MARK: What is reached

  /// Visits all nodes of the version.
  ///
  /// - Parameter cut: a node that is left out, with all below it.
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
      let bytes = node.ref..<node.ref + node.header.nodeByteCount
      guard !walk.isTaken(bytes) else {
        wrong.append(site)
        let before = try reached(before: bytes.lowerBound + 1)
        if let before, before.ref == node.ref {
          doubled.insert(node.ref)
        } else if let before, before.ref + before.header.nodeByteCount > node.ref {
          covering.insert(before.ref)
        } else {
          covering.insert(node.ref)
        }
        continue
      }
      walk.take(bytes)
      guard let refs = refs(of: node, node.header) else { return false }
      stack += refs
      // A node to which nothing else leads has a place of its own.
      guard stack.count <= end / DamageWalk.unitByteCount else { return false }
    }
    return true
  }

  /// The node to which a ref leads; nil if it leads to none, or into free space.
  func node(_ raw: Int64) throws(RealmFileError) -> Node? {
    guard raw & 7 == 0, raw >= FileHeader.byteCount, raw < end else { return nil }
    do throws(RealmFileError) {
      let node = try nodes.lookUp(Ref(raw))
      let bytes = node.ref..<node.ref + node.header.nodeByteCount
      guard node.hasFiller, bytes.upperBound <= end,
        !(walk.free?.isTaken(anyOf: bytes) ?? false)
      else { return nil }
      return node
    } catch {
      guard error.isDamage else { throw error }
      return nil
    }
  }

  /// The refs of a node as `header` describes it; nil if too much was looked at.
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

  /// The last node that is reached and begins before `place`.
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
