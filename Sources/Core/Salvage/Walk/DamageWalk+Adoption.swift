import RealmStorage

/// Nodes of the version that nothing refers to any more, because the node that did is lost.
extension DamageWalk {
  /// Whether such nodes can be distinguished from those of older versions, because the free space is
  /// known.
  var knowsFreeSpace: Bool { free != nil || root.hasNoFreeSpace }

  /// Whether trusted bytes belong to the version although nothing refers to them.
  func isLost(_ bytes: Range<Int>) -> Bool {
    isUnclaimed(bytes) && !(free?.isTaken(anyOf: bytes) ?? false)
  }

  /// Whether bytes are trusted and nothing refers to them.
  private func isUnclaimed(_ bytes: Range<Int>) -> Bool {
    bytes.upperBound <= end && !isTaken(bytes) && !isDead(bytes)
  }

  /// The ranges of bytes that no node of the version takes, in ascending order.
  var untakenSpace: [Range<Int>] {
    taken.gaps(in: FileHeader.byteCount / DamageWalk.unitByteCount..<allUnits.upperBound).map {
      $0.lowerBound * DamageWalk.unitByteCount..<$0.upperBound * DamageWalk.unitByteCount
    }
  }

  /// Adds the nodes of a tree that nothing refers to. Those that cannot be read are killed.
  ///
  /// - Parameter fromFreeSpace: whether the tree may be in free space.
  /// - Returns: false, and nothing changes, if a node of the tree belongs to something else. Then
  ///   `ref` is not part of the version.
  /// - Throws: errors that are not damage.
  mutating func adopt(
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
      let bytes = node.extent
      // More bytes than the file has: there is a cycle.
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
    guard added.areDisjoint else { return false }
    for bytes in added { take(bytes) }
    nodeCount += added.count
    missingCount += dead.count + cutOff.count
    for ref in cutOff { strays.insert(ref) }
    for unit in dead {
      killed.insert(unit)
      missing.insert(unit)
    }
    return true
  }

  /// Whether the version may have had nodes past the end of the file.
  private var mayBeCutOff: Bool {
    root.logicalSize > nodes.logicalSize || root.origin == .rebuilt
  }

  /// What is at a ref that nothing else has.
  enum Condition {
    /// A trusted node that belongs to the version.
    case lost
    /// Damaged bytes, or no node.
    case unreadable
    /// Bytes of another node, or free bytes.
    case other
  }

  func condition(of ref: Ref) -> Condition {
    guard ref >= FileHeader.byteCount, ref & 7 == 0 else { return .other }
    guard ref < end else { return mayBeCutOff ? .unreadable : .other }
    let unit = ref..<ref + DamageWalk.unitByteCount
    guard !isDead(unit), !isKilled(ref), let node = (try? readable(ref)) ?? nil else {
      return isTaken(unit) ? .other : .unreadable
    }
    return isLost(node.extent) ? .lost : .other
  }

  /// Judges the blocks again, now that adopted nodes refer to more of them, and kills the nodes that
  /// overlap dead ones.
  ///
  /// - Throws: errors that are not damage.
  mutating func judgeAdopted() throws(RealmFileError) {
    try judgeZeros()
    try judgeNoise()
    judgeBlocks()
    let mark = nodes.mark()
    for unit in starts.runs(in: allUnits).joined() where !killed.contains(unit) {
      if try readable(unit * DamageWalk.unitByteCount) == nil { killed.insert(unit) }
      nodes.release(to: mark)
    }
  }

  /// Makes `ref` unreadable, unless there is a trusted node.
  mutating func makeUnreadable(_ ref: Ref) {
    let unit = ref / DamageWalk.unitByteCount
    if ref >= FileHeader.byteCount, ref < end, !taken.contains(unit) { killed.insert(unit) }
  }

  /// The node at `ref`; nil if it cannot be read or is not trusted.
  private func readable(_ ref: Ref) throws(RealmFileError) -> Node? {
    guard let node = try undamaged(nodes.lookUp(ref)), isPlausible(node), !isDead(node.extent)
    else { return nil }
    return node
  }

  // MARK: Free space

  /// The space that the free list calls free; nil if the list is implausible.
  func statedFreeSpace() -> (map: SpaceMap, chunks: [Range<Int>])? {
    guard let refs = root.freeList,
      let lists = try? FreeList.Lists(refs, logicalSize: end, nodes, needsVersions: false)
    else { return nil }
    var map = SpaceMap(byteCount: end)
    // A truncated file can state any size: only chunks before its end count.
    var chunks: [Range<Int>] = []
    var previous = 0
    for i in 0..<lists.count {
      let (offset, byteCount) = lists.chunk(i)
      guard offset >= Int64(previous), byteCount > 0, byteCount <= Int64(root.logicalSize),
        offset <= Int64(root.logicalSize) - byteCount
      else { return nil }
      previous = Int(offset + byteCount)
      let chunk = min(Int(offset), end)..<min(previous, end)
      chunks.append(chunk)
      _ = map.take(chunk)
    }
    return (map, chunks)
  }

  /// Kills nodes in free space.
  mutating func judgeFreeSpace() throws(RealmFileError) {
    guard let refs = root.freeList, isTrusted(refs.positions), isTrusted(refs.lengths),
      let (map, chunks) = statedFreeSpace()
    else { return }
    let taken = chunks.reduce(0) { $0 + starts.count(in: units($1)) }
    free = map
    guard taken > 0 else { return }
    // With many nodes in free space, the list is wrong.
    guard taken <= nodeCount / 100 + 1 else {
      free = nil
      return
    }
    for chunk in chunks {
      for unit in starts.runs(in: units(chunk)).joined() { kill(unit) }
    }
  }
}
