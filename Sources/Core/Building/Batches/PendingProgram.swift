import RealmModel
import RealmStorage

/// Nodes that wait for object keys: a list of steps that create them later. The steps are integers, so they
/// are small and can move to a file.
///
/// ```
/// node   options, number of segments; then the elements in segments:
///   values    count; the elements
///   links     count, row, whether each belongs to the next row; keys are taken from the next links
///   embedded  count, row, whether each belongs to the next row; class; first number
///   children  count; first number of a node of this program
/// sort   row; start, count: sorts the keys of `count` links, the first of them `start` links ahead, all of the
///        object in the row
/// ```
struct PendingProgram {
  /// Flags of a node.
  struct Options: OptionSet {
    let rawValue: UInt16
    /// Keys are stored plus one.
    static let biased = Options(rawValue: 1 << 8)
    /// The node is the root of a collection of links: its context flag shows whether a link is unresolved.
    static let marksUnresolved = Options(rawValue: 1 << 9)
    /// The links of the node are values of objects, not elements of collections in such values.
    static let valuesOfObjects = Options(rawValue: 1 << 10)

    /// The node has the context flag, whatever links it waits for.
    static let context = Options(kind: NodeEncoder.hasContext)
    /// The elements of the node are refs.
    static let refs = Options(kind: NodeEncoder.hasRefs)

    init(rawValue: UInt16) { self.rawValue = rawValue }
    /// - Parameter kind: inner, hasRefs and context bits.
    init(kind: UInt8) { rawValue = UInt16(kind) }
    var kind: UInt8 { UInt8(truncatingIfNeeded: rawValue) }
  }

  enum SegmentKind: Int { case values, links, embedded, children }

  /// A run of elements of one kind.
  struct Segment {
    let kind: SegmentKind
    let count: Int
    /// Row of the object with the first element.
    let row: Int
    /// True if each element is in the row after the previous element; false if all are in one row.
    let isSpread: Bool

    init(_ kind: SegmentKind, count: Int, row: Int = 0, isSpread: Bool = false) {
      (self.kind, self.count, self.row, self.isSpread) = (kind, count, row, isSpread)
    }

    /// Bits 0–31: count; bits 32–33: kind; bit 34: spread; bits 40–55: row.
    init?(word: Int64) {
      guard let kind = SegmentKind(rawValue: Int(word >> 32 & 3)) else { return nil }
      self.init(
        kind, count: Int(word & 0xFFFF_FFFF), row: Int(word >> 40 & 0xFFFF),
        isSpread: word >> 34 & 1 != 0)
    }

    var word: Int64 {
      Int64(count) | Int64(kind.rawValue) << 32 | (isSpread ? 1 << 34 : 0) | Int64(row) << 40
    }
  }

  var words: [Int64] = []
  private(set) var nodeCount = 0

  /// Marks a sort step, which creates no node. Bits 0–31 are the row; in the next integer, bits 32–61 are the
  /// start and bits 0–31 the count.
  private static let sortMark: Int64 = 1 << 62

  mutating func append(sortFrom start: Int, count: Int, row: Int) {
    words.append(PendingProgram.sortMark | Int64(row))
    words.append(Int64(start) << 32 | Int64(count))
  }

  /// Appends a node.
  ///
  /// - Returns: the number of the node in the program.
  mutating func append(_ elements: ElementList, _ options: Options) -> Int {
    let header = words.count
    words.append(0)
    var segments = 0
    var next = 0
    var i = 0
    let holes = elements.holes
    while next < elements.count {
      let end = i < holes.count ? holes[i].index : elements.count
      if next < end {
        words.append(Segment(.values, count: end - next).word)
        words += elements.values[next..<end]
        (next, segments) = (end, segments + 1)
        continue
      }
      let start = i
      i += 1
      while i < holes.count, holes[i].index == holes[start].index + i - start,
        PendingProgram.continues(
          holes[i].hole, holes[start].hole, after: i - start,
          isSpread: PendingProgram.isSpread(holes, from: start))
      {
        i += 1
      }
      append(
        holes[start].hole, count: i - start,
        isSpread: i - start > 1
          && PendingProgram.isSpread(holes, from: start))
      (next, segments) = (next + i - start, segments + 1)
    }
    words[header] = Int64(options.rawValue) | Int64(segments) << 16
    defer { nodeCount += 1 }
    return nodeCount
  }

  private static func row(_ hole: ElementList.Hole) -> Int {
    switch hole {
    case .link(_, _, _, let row, _), .embedded(_, _, let row): row
    case .child: 0
    }
  }

  private static func isSpread(
    _ holes: [(index: Int, hole: ElementList.Hole)], from start: Int
  ) -> Bool {
    start + 1 < holes.count && row(holes[start + 1].hole) != row(holes[start].hole)
  }

  /// Whether `hole` extends the segment that starts with `first`, `offset` elements earlier.
  private static func continues(
    _ hole: ElementList.Hole, _ first: ElementList.Hole, after offset: Int, isSpread: Bool
  ) -> Bool {
    guard row(hole) == row(first) + (isSpread ? offset : 0) else { return false }
    switch (hole, first) {
    case (.link, .link): return true
    case (.embedded(let target, let number, _), .embedded(let other, let start, _)):
      return target == other && number == start + offset
    case (.child(let number), .child(let start)): return number == start + offset
    default: return false
    }
  }

  private mutating func append(_ first: ElementList.Hole, count: Int, isSpread: Bool) {
    let row = PendingProgram.row(first)
    switch first {
    case .link: words.append(Segment(.links, count: count, row: row, isSpread: isSpread).word)
    case .embedded(let target, let number, _):
      words.append(Segment(.embedded, count: count, row: row, isSpread: isSpread).word)
      words.append(Int64(target))
      words.append(Int64(number))
    case .child(let number):
      words.append(Segment(.children, count: count).word)
      words.append(Int64(number))
    }
  }
}

extension PendingProgram {
  /// Updates the refs of moved nodes.
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
  /// - Parameter first: returns the number of objects of a class in all pieces before this one.
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

  /// Reads the header of a node, and moves `position` past it.
  ///
  /// - Returns: nil for a sort step, which is skipped.
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
  func run(_ keys: inout ResolvedLinks, into nodes: NodeBuffer) throws(BuildError) -> Ref {
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
  /// Number of integers after the first one.
  fileprivate var wordCount: Int {
    switch kind {
    case .values: count
    case .links: 0
    case .embedded: 2
    case .children: 1
    }
  }
}
