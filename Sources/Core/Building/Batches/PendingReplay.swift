import RealmModel
import RealmStorage

/// Provides the keys that a program needs when its nodes are created.
protocol PendingKeys {
  /// The key of the next link, for the object in `row`.
  ///
  /// - Parameter isValueOfObject: false for a link in a collection.
  mutating func nextLink(row: Int, isValueOfObject: Bool) throws(BuildError) -> ObjectKey
  /// Sorts some of the next links, which belong to the object in `row`, by key.
  mutating func sortLinks(_ range: Range<Int>, row: Int) throws(BuildError)
  /// The key of an embedded object that the object in `row` owns.
  mutating func embedded(target: Int, number: Int, row: Int) throws(BuildError) -> ObjectKey
}

extension PendingProgram {
  /// Updates the refs of nodes that were moved.
  mutating func move(_ move: RefMove) {
    var position = 0
    while position < words.count {
      guard let node = nodeHeader(&position) else { continue }
      let hasRefs = node.options.kind & NodeEncoder.hasRefs != 0
      for _ in 0..<node.segments {
        guard let segment = Segment(word: words[position]) else { return }
        position += 1
        if hasRefs, segment.kind == .values {
          for i in position..<(position + segment.count) where words[i] & 1 == 0 {
            words[i] = Int64(move[Int(words[i])])
          }
        }
        position += segment.wordCount
      }
    }
  }

  /// Numbers embedded objects among all objects of their class.
  ///
  /// - Parameter first: returns the number of objects of a class that were placed before those of the
  ///   piece.
  mutating func renumber(_ first: (Int) -> Int) {
    var position = 0
    while position < words.count {
      guard let node = nodeHeader(&position) else { continue }
      for _ in 0..<node.segments {
        guard let segment = Segment(word: words[position]) else { return }
        position += 1
        if segment.kind == .embedded {
          words[position + 1] += Int64(first(Int(words[position])))
        }
        position += segment.wordCount
      }
    }
  }

  /// Reads the start of a step, and moves `position` past it.
  ///
  /// - Returns: nil for a step that creates no node.
  private func nodeHeader(_ position: inout Int) -> (options: Options, segments: Int)? {
    let word = words[position]
    position += 1
    guard word & PendingProgram.sortMark == 0 else {
      position += 1
      return nil
    }
    return (Options(rawValue: UInt16(truncatingIfNeeded: word)), Int(word >> 16))
  }

  /// Appends all nodes.
  ///
  /// - Returns: the ref of the last node.
  func run(_ keys: inout some PendingKeys, into nodes: NodeBuffer) throws(BuildError) -> Ref {
    var refs: [Ref] = []
    var position = 0
    var hasUnresolved = false
    while position < words.count {
      let first = words[position]
      guard let node = nodeHeader(&position) else {
        let range = words[position - 1]
        let start = Int(range >> 32 & 0x3FFF_FFFF)
        try keys.sortLinks(
          start..<(start + Int(range & 0xFFFF_FFFF)), row: Int(first & 0xFFFF_FFFF))
        continue
      }
      var elements: [Int64] = []
      let isBiased = node.options.contains(.biased)
      for _ in 0..<node.segments {
        guard let segment = Segment(word: words[position]) else { return 0 }
        let start = position + 1
        position = start + segment.wordCount
        switch segment.kind {
        case .values: elements += words[start..<position]
        case .children:
          let child = Int(words[start])
          for i in child..<(child + segment.count) { elements.append(Int64(refs[i])) }
        case .links:
          for i in 0..<segment.count {
            let key = try keys.nextLink(
              row: segment.row + (segment.isSpread ? i : 0),
              isValueOfObject: node.options.contains(.valuesOfObjects))
            if key.isUnresolved { hasUnresolved = true }
            elements.append(LinkLeaf.element(key, isBiased: isBiased))
          }
        case .embedded:
          for i in 0..<segment.count {
            let key = try keys.embedded(
              target: Int(words[start]), number: Int(words[start + 1]) + i,
              row: segment.row + (segment.isSpread ? i : 0))
            elements.append(LinkLeaf.element(key, isBiased: isBiased))
          }
        }
      }
      var kind = node.options.kind
      if node.options.contains(.marksUnresolved) {
        if hasUnresolved { kind |= Options.context.kind }
        hasUnresolved = false
      }
      refs.append(
        kind & NodeEncoder.hasRefs != 0
          ? nodes.append(refs: elements, kind: kind) : nodes.append(integers: elements, kind: kind))
    }
    return refs.last ?? 0
  }
}

extension PendingProgram.Segment {
  /// Number of integers of the step after its first integer.
  fileprivate var wordCount: Int {
    switch kind {
    case .values: count
    case .links: 0
    case .embedded: 2
    case .children: 1
    }
  }
}
