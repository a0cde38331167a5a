import RealmStorage

/// Decides about sectors in the middle of nodes, to which no ref points.
extension DamageWalk {
  /// Fewer units of zeros at the end of a node count as values.
  private static let leastZeroedUnits = 8

  // MARK: Zeros and noise

  /// Marks runs of sectors of zeros as dead if they cut off a node's values: there are no zeros right before them, nor right
  /// after them if the node continues there. In an undamaged file, such a run begins and ends anywhere. Nor is it among many
  /// single zeros.
  mutating func judgeZeros() throws(RealmFileError) {
    let mark = nodes.mark()
    var covering = CoveringNode()
    for run in signs.zeros where run.lowerBound < end {
      defer { nodes.release(to: mark) }
      let bytes = run.lowerBound..<min(run.upperBound, end)
      guard isUsed(bytes), !hasStarts(bytes),
        let node = try covering.find(bytes.lowerBound, in: self)
      else { continue }
      if try isOverwritten(bytes, of: node, &covering) { markDead(bytes) }
    }
  }

  /// Whether a run of zeros overwrote values of a node.
  private func isOverwritten(
    _ bytes: Range<Int>, of node: Node, _ covering: inout CoveringNode
  ) throws(RealmFileError) -> Bool {
    let begins = try isCut(before: bytes.lowerBound, node)
    // So many zeros are values only in an undamaged file.
    let isLong = root.isLegacy || bytes.count >= DamageWalk.blockByteCount
    guard node.extent.upperBound <= bytes.upperBound else {
      let ends = try isCut(after: bytes.upperBound, node)
      // The values of a node rarely begin with a sector.
      if ends, begins || bytes.lowerBound == node.ref + NodeHeader.byteCount { return true }
      if try isLongest(bytes, in: node) { return true }
      guard isDamaged else { return false }
      // A blob can have any bytes.
      let isNumbers = node.header.widthType != .ignore
      if isLong || isNumbers && (begins || ends) { return true }
      if hasZerosAsDamage(node), try covering.hasValues(node, in: self) { return true }
      // The next sector may go on with zeros by chance.
      guard begins, !node.hasRefs else { return false }
      return try !differsFromZero(bytes.upperBound..<node.extent.upperBound)
    }
    let isSeveral = taken.count(in: units(bytes)) >= DamageWalk.leastZeroedUnits
    // The bytes after the node were never written, or are free.
    if isDamaged, isLong || begins || isSeveral || !node.hasRefs { return true }
    // A list of refs often ends with nulls.
    return begins && (isLong || !node.hasRefs) && isSeveral
  }

  /// At least `often` other runs of zeros, of at most `run` words each, show that the zeros of a node are single values.
  private static let single = (often: 16, run: 2)

  /// Whether a run of zeros is much longer than all others of a node, and hardly more than whole sectors.
  ///
  /// Example: every second value is 0, so zeros can be beside sectors of zeros.
  private func isLongest(_ bytes: Range<Int>, in node: Node) throws(RealmFileError) -> Bool {
    let values = node.ref + NodeHeader.byteCount..<node.extent.upperBound
    // A node with several such runs is not read: that would take quadratic time.
    guard !signs.hasOtherZeros(than: bytes, in: values),
      let slice = try nodes.readableBytes(in: values)
    else { return false }
    var (beside, otherCount, longest, run) = (0, 0, 0, 0..<0)
    func close() {
      if run.overlaps(bytes) {
        beside = (run.count - bytes.count) / 8
      } else if !run.isEmpty {
        otherCount += 1
        longest = max(longest, run.count / 8)
      }
    }
    for i in stride(from: 0, to: slice.count & ~7, by: 8) where slice.littleEndian(at: i) == 0 {
      let place = values.lowerBound + i
      if run.upperBound == place {
        run = run.lowerBound..<place + 8
      } else {
        close()
        run = place..<place + 8
      }
    }
    close()
    return otherCount >= DamageWalk.single.often && longest <= DamageWalk.single.run
      && beside <= 2 * longest
  }

  /// Whether a sector of zeros among other values of a node is damage even between zeros: decimals have an exponent, and
  /// ids that are null have a bit that says so.
  private func hasZerosAsDamage(_ node: Node) -> Bool {
    !root.isLegacy && node.header.widthType == .multiply && [1, 16].contains(node.header.width)
  }

  /// Whether the value of a node before `place` differs from zero.
  private func isCut(
    before place: Int, _ node: Node
  ) throws(RealmFileError) -> Bool {
    let size = valueByteCount(of: node)
    return try differsFromZero(
      max(node.ref + NodeHeader.byteCount, place - size)..<place)
  }

  /// Whether the value of a node after `place` differs from zero.
  private func isCut(
    after place: Int, _ node: Node
  ) throws(RealmFileError) -> Bool {
    let size = valueByteCount(of: node)
    return try differsFromZero(place..<min(node.extent.upperBound, place + size))
  }

  /// The bytes of whole words that a value of a node can have: a decimal has two words, and one of them
  /// is often 0.
  private func valueByteCount(of node: Node) -> Int {
    node.header.widthType == .multiply && node.header.width == 16 ? 16 : 8
  }

  /// Whether a word of `bytes` is not zero.
  func differsFromZero(_ bytes: Range<Int>) throws(RealmFileError) -> Bool {
    guard !bytes.isEmpty, let slice = try nodes.readableBytes(in: bytes) else { return false }
    return stride(from: 0, to: slice.count & ~7, by: 8).contains {
      slice.littleEndian(at: $0) != 0
    }
  }

  /// Marks runs of sectors with noise as dead if a node has other values right before and after them.
  ///
  /// The noise of a compressed image begins and ends anywhere, so blobs need both. Numbers of a leaf
  /// that are all random are the app's own.
  mutating func judgeNoise() throws(RealmFileError) {
    let size = DamageWalk.sectorByteCount
    let mark = nodes.mark()
    var covering = CoveringNode()
    for run in signs.noise.runs(in: 0..<end / size) {
      defer { nodes.release(to: mark) }
      let bytes = run.lowerBound * size..<run.upperBound * size
      // A node that begins there has its header.
      guard isUsed(bytes), !hasStarts(bytes),
        let node = try covering.find(bytes.lowerBound, in: self)
      else { continue }
      let payload = node.ref + NodeHeader.byteCount..<node.extent.upperBound
      let before =
        max(payload.lowerBound, bytes.lowerBound - DamageWalk.noiseWindow)..<bytes.lowerBound
      let after =
        bytes
        .upperBound..<max(
          bytes.upperBound, min(payload.upperBound, bytes.upperBound + DamageWalk.noiseWindow))
      let (isBefore, isAfter) = (
        try condition(before, isBefore: true), try condition(after, isBefore: false)
      )
      guard isBefore != .noise, isAfter != .noise else { continue }
      // Noise that goes on after the node is not part of a value.
      let others = [
        isBefore == .other, isAfter == .other,
        bytes.upperBound - payload.upperBound >= DamageWalk.leastNoiseBehind,
        try isText(before),
      ].count { $0 }
      let isNumbers = node.header.widthType != .ignore
      if others >= 2 || others == 1 && (isNumbers || isDamaged) { markDead(bytes) }
    }
  }

  /// The bytes beside noise that are looked at, those right next to it, and the fewest that show
  /// something.
  private static let (noiseWindow, nextToNoise, leastNoiseWindow) = (256, 64, 24)
  /// The fewest bytes of noise after a node that are not part of it.
  private static let leastNoiseBehind = 128

  /// Whether bytes are many, and letters or other characters of text. The header of an image is not only that.
  private func isText(_ bytes: Range<Int>) throws(RealmFileError) -> Bool {
    guard bytes.count == DamageWalk.noiseWindow, let slice = try nodes.readableBytes(in: bytes)
    else { return false }
    return (0..<slice.count).allSatisfy { 0x20..<0x7F ~= slice[$0] }
  }

  private enum NoiseCondition { case noise, other, unknown }

  /// What the bytes of a node beside noise look like. If noise begins elsewhere, it is also next to the
  /// first sector of noise.
  private func condition(
    _ window: Range<Int>, isBefore: Bool
  ) throws(RealmFileError) -> NoiseCondition {
    guard window.count >= DamageWalk.leastNoiseWindow else { return .unknown }
    let count = min(window.count, DamageWalk.nextToNoise)
    let next =
      isBefore
      ? window.upperBound - count..<window.upperBound
      : window.lowerBound..<window.lowerBound + count
    guard try !isNoise(window) else { return .noise }
    return try isNoise(next) ? .noise : .other
  }

  private func isNoise(_ bytes: Range<Int>) throws(RealmFileError) -> Bool {
    guard let slice = try nodes.readableBytes(in: bytes) else { return false }
    let words = stride(from: 0, to: slice.count & ~7, by: 8).map { slice.littleEndian(at: $0) }
    return words.count > DamageWalk.nextToNoise / 8
      ? NoiseTest.isNoise(words) : NoiseTest.isShortNoise(words)
  }

  // MARK: Headers of other nodes

  /// The most elements of a node whose header counts as one among values: fewer than text looks like.
  private static let foreignCountLimit = 1 << 16

  /// Marks sectors as dead in which a header of another node is among the values of a node. They were
  /// overwritten with bytes of another place.
  mutating func judgeForeignHeaders() throws(RealmFileError) {
    let mark = nodes.mark()
    var covering = CoveringNode()
    for unit in signs.headers.runs(in: allUnits).joined()
    where taken.contains(unit) && !starts.contains(unit) {
      defer { nodes.release(to: mark) }
      let place = unit * DamageWalk.unitByteCount
      guard let node = try covering.find(place, in: self), !isKilled(node.ref), !node.hasRefs,
        node.bytes.count >= DamageWalk.leastForeignBytes
      else { continue }
      let offset = place - node.ref - NodeHeader.byteCount
      guard offset <= node.bytes.count - NodeHeader.byteCount,
        let header = NodeHeader(word: node.bytes.littleEndian(at: offset)), header.count > 0,
        header.count < DamageWalk.foreignCountLimit,
        !header.hasRefs || header.width >= 8,
        header.nodeByteCount <= end - node.ref
      else { continue }
      // The header of the node itself survived, so its sector is another one.
      if place / DamageWalk.sectorByteCount > node.ref / DamageWalk.sectorByteCount {
        markDead(place..<place + NodeHeader.byteCount)
      }
    }
  }

  /// A smaller node lies in one sector, or its values are too few to show anything.
  private static let leastForeignBytes = 16
}
