package import RealmStorage

/// Nodes of the version to which nothing leads, because what led to them is lost.
extension DamageWalk {
  /// Whether nodes to which nothing leads can be told from those of older versions: what is free is known.
  package var knowsFreeSpace: Bool { free != nil || root.hasNoFreeSpace }

  /// Whether bytes belong to the version although nothing leads to them, and can be trusted.
  package func isLost(_ bytes: Range<Int>) -> Bool {
    isUnclaimed(bytes) && !(free?.isTaken(anyOf: bytes) ?? false)
  }

  /// Whether nothing leads to bytes that can be trusted.
  private func isUnclaimed(_ bytes: Range<Int>) -> Bool {
    bytes.upperBound <= end && !isTaken(bytes) && !isDead(bytes)
  }

  /// The ranges of bytes that no node of the version takes, in ascending order.
  var untakenSpace: [Range<Int>] {
    let units = FileHeader.byteCount / DamageWalk.unitByteCount..<end / DamageWalk.unitByteCount
    return taken.gaps(in: units).map {
      $0.lowerBound * DamageWalk.unitByteCount..<$0.upperBound * DamageWalk.unitByteCount
    }
  }

  /// Adds the nodes of a tree to which nothing led. Those of them that cannot be read are killed.
  ///
  /// - Parameter fromFreeSpace: whether the tree may lie in space that is free.
  /// - Returns: false, and nothing changes, if a node of the tree belongs to something else: then `ref` is
  ///   not part of the version.
  /// - Throws: errors that say nothing about the file.
  package mutating func adopt(
    _ ref: Ref, fromFreeSpace: Bool = false
  ) throws(RealmFileError) -> Bool {
    var (added, dead, cutOff): ([Range<Int>], [Int], [Ref]) = ([], [], [])
    var addedByteCount = 0
    let keptFree = strays.keptFree
    var stack = [ref]
    let mark = nodes.mark()
    defer { nodes.release(to: mark) }
    while let ref = stack.popLast() {
      guard ref >= FileHeader.byteCount, ref & 7 == 0 else { return false }
      let unit = ref / DamageWalk.unitByteCount
      guard !killed.contains(unit) else { continue }
      guard ref < end, let node = try readable(ref) else {
        guard ref < end, !taken.contains(unit) else { return false }
        dead.append(unit)
        continue
      }
      let bytes = ref..<ref + node.header.nodeByteCount
      // More bytes than the file has are those of a cycle.
      addedByteCount += bytes.count
      guard fromFreeSpace ? isUnclaimed(bytes) : isLost(bytes), addedByteCount <= end else {
        return false
      }
      added.append(bytes)
      guard node.hasRefs, node.width > 0 else { continue }
      for i in 0..<node.count {
        let raw = node.integer(at: i)
        guard raw != 0, raw & 1 == 0 else { continue }
        guard raw & 7 == 0, raw >= FileHeader.byteCount else { return false }
        if raw < end {
          stack.append(Int(raw))
        } else {
          guard mayBeCutOff, !keptFree.contains(Int(raw)) else { return false }
          cutOff.append(Int(raw))
        }
      }
    }
    guard added.first?.lowerBound == ref else { return false }
    added.sort { $0.lowerBound < $1.lowerBound }
    guard zip(added, added.dropFirst()).allSatisfy({ $0.upperBound <= $1.lowerBound }) else {
      return false
    }
    for bytes in added {
      taken.insert(units(bytes))
      starts.insert(bytes.lowerBound / DamageWalk.unitByteCount)
    }
    nodeCount += added.count
    missingCount += dead.count + cutOff.count
    for ref in cutOff { strays.insert(ref) }
    for unit in dead {
      killed.insert(unit)
      missing.insert(unit)
    }
    return true
  }

  /// Whether the version may have had nodes behind the end of the file.
  private var mayBeCutOff: Bool {
    root.logicalSize > nodes.logicalSize || root.origin == .rebuilt
  }

  /// What a ref leads to that nothing else led to.
  package enum Condition {
    /// A node that belongs to the version and can be trusted.
    case lost
    /// Bytes that are damaged, or no node.
    case unreadable
    /// Bytes of another node, or free ones.
    case other
  }

  package func condition(of ref: Ref) -> Condition {
    guard ref >= FileHeader.byteCount, ref & 7 == 0 else { return .other }
    guard ref < end else { return mayBeCutOff ? .unreadable : .other }
    let unit = ref..<ref + DamageWalk.unitByteCount
    guard !isDead(unit), !isKilled(ref), let node = (try? readable(ref)) ?? nil else {
      return isTaken(unit) ? .other : .unreadable
    }
    return isLost(ref..<ref + node.header.nodeByteCount) ? .lost : .other
  }

  /// Decides again about blocks, now that adopted nodes lead into more of them, and kills the nodes that extend
  /// into dead ones.
  ///
  /// - Throws: errors that say nothing about the file.
  package mutating func judgeAdopted() throws(RealmFileError) {
    _ = judgeBlocks()
    try judgeZeroedBlocks()
    try judgeCopiedBlocks()
    let mark = nodes.mark()
    for run in starts.runs(in: 0..<end / DamageWalk.unitByteCount) {
      for unit in run where !killed.contains(unit) {
        let ref = unit * DamageWalk.unitByteCount
        let node = try readable(ref)
        if node.map({ isDead(ref..<ref + $0.header.nodeByteCount) }) ?? true { killed.insert(unit) }
        nodes.release(to: mark)
      }
    }
  }

  /// Makes what is at `ref` unreadable, unless a node that can be trusted is there.
  package mutating func makeUnreadable(_ ref: Ref) {
    let unit = ref / DamageWalk.unitByteCount
    if ref >= FileHeader.byteCount, ref < end, !taken.contains(unit) { killed.insert(unit) }
  }

  /// The node at `ref`; nil if it cannot be read or is not trusted.
  private func readable(_ ref: Ref) throws(RealmFileError) -> Node? {
    do throws(RealmFileError) {
      let node = try nodes.lookUp(ref)
      guard node.hasFiller || !requiresFiller && !node.isZeroed,
        !isDead(ref..<ref + node.header.nodeByteCount)
      else { return nil }
      return node
    } catch {
      guard error.isDamage else { throw error }
      return nil
    }
  }
}

/// The nodes of a version to which nothing leads, found by a scan of the bytes that nothing takes.
package struct LostNodes {
  /// The most nodes: of more, the search would take too much memory.
  private static let limit = 1 << 20

  /// Where the nodes are, in ascending order.
  package private(set) var places: [Range<Int>] = []
  /// Whether another lost node leads to the node.
  package private(set) var isChild: [Bool] = []

  /// - Parameters:
  ///   - nodes: a reader of all bytes of the file.
  ///   - walk: says which bytes are taken. If its free space is not known, left-over nodes are among them.
  package init(_ nodes: NodeReader, _ walk: DamageWalk) throws(RealmFileError) {
    var places: [Range<Int>] = []
    var end = 0
    for gap in walk.untakenSpace {
      try NodeScan.run(nodes, in: gap) { ref, header in
        let bytes = ref..<ref + header.nodeByteCount
        guard ref >= end, walk.isLost(bytes) else { return true }
        places.append(bytes)
        end = bytes.upperBound
        return places.count < LostNodes.limit
      }
    }
    self.places = places
    isChild = Array(repeating: false, count: places.count)
    let mark = nodes.mark()
    for place in places {
      defer { nodes.release(to: mark) }
      let node = try nodes.lookUp(place.lowerBound)
      guard node.hasRefs, node.width > 0 else { continue }
      for i in 0..<node.count {
        guard case .ref(let ref) = node.element(at: i), let child = index(of: ref) else { continue }
        isChild[child] = true
      }
    }
  }

  /// The position of the node that begins at `ref`.
  package func index(of ref: Ref) -> Int? {
    let i = firstIndex(from: ref)
    return i < places.count && places[i].lowerBound == ref ? i : nil
  }

  /// The position of the node that ends at `end`.
  package func index(endingAt end: Int) -> Int? {
    let i = firstIndex(from: end) - 1
    return i >= 0 && places[i].upperBound == end ? i : nil
  }

  /// The position of the first node that begins at `start` or behind it.
  package func firstIndex(from start: Int) -> Int {
    var (low, high) = (0, places.count)
    while low < high {
      let middle = (low + high) / 2
      if places[middle].lowerBound < start { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
