/// Which carriage returns were in a realm before a program put one before each line feed.
///
/// Nodes decide: they lie one after the other, so that the size in the header of a node says where the next one begins, and all
/// begin at multiples of eight. Where both all and no carriage returns of a node fit neither, the number of them is known, and
/// ``StringLineEnds`` looks for the ones.
struct LineEndDecision {
  /// A range of the file in which some of the carriage returns were there before.
  struct Stretch {
    let start: LineEnds.Position
    /// The end of its carriage returns.
    let end: Int
    /// How many of them were there before.
    let kept: Int
  }

  let ends: LineEnds
  /// The indices of the carriage returns that were there before.
  private(set) var kept: Set<Int> = []
  /// The ranges in which the nodes do not say which ones.
  private(set) var stretches: [Stretch] = []
  /// Number of nodes behind which the next one begins where it should, if carriage returns before it are taken out.
  private(set) var confirmed = 0

  /// Number of carriage returns that are taken out.
  var removed: Int { ends.places.count - kept.count }

  /// Takes out all of them.
  init(removingAllOf ends: LineEnds) { self.ends = ends }

  /// - Returns: nil if the header has no mnemonic.
  init?(_ ends: LineEnds, mnemonicOffset: Int) {
    self.ends = ends
    let start = LineEnds.Position(original: 0, changed: 0, index: 0)
    let before = ends.index(from: mnemonicOffset)
    let inSlots = mnemonicOffset - FileHeader.mnemonicOffset
    guard 0...before ~= inSlots else { return nil }
    keep(before - inSlots, of: start, before)
    // Behind the mnemonic are formats and flags, none of which is 13.
    guard
      let nodes = ends.position(FileHeader.byteCount, after: start, keeping: before - inSlots)
    else { return nil }
    decide(from: nodes)
  }

  /// Decides node for node.
  private mutating func decide(from start: LineEnds.Position) {
    var position = start
    while position.changed < ends.bytes.count {
      if let (next, kept) = node(at: position) {
        keep(kept, of: position, next.index)
        if position.index > 0 { confirmed += 1 }
        position = next
      } else if let (next, kept) = nextHeader(after: position) {
        keep(kept, of: position, next.index)
        position = next
      } else {
        return
      }
    }
  }

  /// The end of the node at `position`, and how many of its carriage returns were there before; nil if there is no node, or no other
  /// node behind it.
  private func node(at position: LineEnds.Position) -> (LineEnds.Position, kept: Int)? {
    let inHeader = ends.index(from: position.changed + 2 * NodeHeader.byteCount) - position.index
    for keptInHeader in 0...max(0, inHeader) {
      guard let header = header(at: position, keeping: keptInHeader),
        let all = ends.position(header.nodeByteCount, after: position, keeping: keptInHeader)
      else { continue }
      for kept in keptInHeader...max(keptInHeader, all.index - position.index) {
        guard let end = ends.position(header.nodeByteCount, after: position, keeping: kept) else {
          continue
        }
        if end.changed == ends.bytes.count || hasHeader(at: end) { return (end, kept) }
      }
    }
    return nil
  }

  private func hasHeader(at position: LineEnds.Position) -> Bool {
    let inHeader = ends.index(from: position.changed + 2 * NodeHeader.byteCount) - position.index
    return (0...max(0, inHeader)).contains { header(at: position, keeping: $0) != nil }
  }

  /// The header of a node with the filler of current libraries that fits the file.
  private func header(at position: LineEnds.Position, keeping kept: Int) -> NodeHeader? {
    // The filler has no line feeds, so this is fast for what is no header.
    guard position.changed + NodeHeader.byteCount <= ends.bytes.count,
      (0..<4).allSatisfy({ ends.bytes[position.changed + $0] == 0x41 }),
      let bytes = ends.original(NodeHeader.byteCount, from: position, keeping: kept),
      let header = NodeHeader(word: littleEndian(bytes[...])),
      header.nodeByteCount <= ends.bytes.count - position.changed
    else { return nil }
    return header
  }

  /// The next header, or the end of the file, and how many carriage returns before it were there before: as few as possible, so that
  /// it begins at a multiple of eight.
  private func nextHeader(after position: LineEnds.Position) -> (LineEnds.Position, kept: Int)? {
    var index = position.index
    for offset in (position.changed + 1)..<(ends.bytes.count + 1) {
      while index < ends.places.count, ends.places[index] < offset { index += 1 }
      let isEnd = offset == ends.bytes.count
      guard isEnd || ends.bytes[offset] == 0x41 else { continue }
      let original = position.original + offset - position.changed - (index - position.index)
      let kept = -original & 7
      let next = LineEnds.Position(original: original + kept, changed: offset, index: index)
      guard kept <= index - position.index, isEnd || hasHeader(at: next) else { continue }
      return (next, kept)
    }
    return nil
  }

  /// Notes that `count` of the carriage returns from `position` up to `end` were there before.
  private mutating func keep(_ count: Int, of position: LineEnds.Position, _ end: Int) {
    guard count > 0 else { return }
    // If the choice is open, these are taken until strings say which ones.
    kept.formUnion((end - count)..<end)
    guard count < end - position.index else { return }
    stretches.append(Stretch(start: position, end: end, kept: count))
  }

  /// Replaces the choice in a stretch.
  mutating func choose(_ chosen: [Int], in stretch: Stretch) {
    kept.subtract(stretch.start.index..<stretch.end)
    kept.formUnion(chosen)
  }
}
