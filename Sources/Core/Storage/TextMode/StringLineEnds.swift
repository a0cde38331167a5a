/// Finds out which carriage returns of a node with strings were there before, from where its strings end.
struct StringLineEnds {
  let ends: LineEnds

  /// - Parameters:
  ///   - stretch: a node, and how many of its carriage returns were there before.
  ///   - nodes: the realm without the others. Only what is inside of such nodes can be wrong in it.
  ///   - offsets: for a node with the bytes of several strings, where they end.
  /// - Returns: the indices of the carriage returns; nil if the strings do not decide.
  func chosen(
    in stretch: LineEndDecision.Stretch, _ nodes: NodeReader, offsets: [Int]?
  ) -> [Int]? {
    guard let node = try? nodes.lookUp(stretch.start.original),
      let payload = ends.position(NodeHeader.byteCount, after: stretch.start, keeping: 0)
    else { return nil }
    let lengths: [Int]
    let isString: ([UInt8]) -> Bool
    switch node.header.widthType {
    case .bits: return nil
    case .multiply:
      // Short strings (chapter 2, section 3.6): zeros, and in the last byte their number; the width for null.
      guard node.width > 0 else { return nil }
      lengths = Array(repeating: node.width, count: node.count)
      isString = { bytes in
        guard let last = bytes.last else { return false }
        let length = bytes.count - 1 - Int(last)
        // A string with zeros inside decides nothing: too many bytes look like one.
        return length >= -1 && !bytes[..<max(0, length)].contains(0)
          && bytes[max(0, length)..<(bytes.count - 1)].allSatisfy { $0 == 0 }
      }
    case .ignore:
      // Strings with a zero byte after each (chapter 2, section 3.6).
      guard let offsets, offsets.last == node.count, offsets.first ?? 0 >= 0,
        zip(offsets, offsets.dropFirst()).allSatisfy({ $0 <= $1 })
      else { return nil }
      lengths = zip([0] + offsets, offsets).map { $1 - $0 }
      isString = { $0.isEmpty || $0.firstIndex(of: 0) == $0.count - 1 }
    }
    return choose(lengths, from: payload, stretch, isString)
  }

  /// For each string in turn, keeps all, none, or as many as fit; those of a string that could be others are not a choice.
  private func choose(
    _ lengths: [Int], from start: LineEnds.Position, _ stretch: LineEndDecision.Stretch,
    _ isString: ([UInt8]) -> Bool
  ) -> [Int]? {
    var (position, chosen) = (start, [Int]())
    for length in lengths where length > 0 {
      guard let all = ends.position(length, after: position, keeping: 0) else { return nil }
      let count = all.index - position.index
      guard
        let kept = (0...count).first(where: {
          ends.original(length, from: position, keeping: $0).map(isString) ?? false
        }), let next = ends.position(length, after: position, keeping: kept)
      else { return nil }
      guard kept == 0 || kept == next.index - position.index else { return nil }
      if kept > 0 { chosen += position.index..<next.index }
      position = next
    }
    return chosen.count == stretch.kept ? chosen : nil
  }
}
