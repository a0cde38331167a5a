import RealmModel
import RealmStorage

/// Where an encoded node is.
enum NodePlace {
  /// At this ref of the same buffer; 0 for no node.
  case placed(Ref)
  /// The node waits for keys; this is its number in the program.
  case pending(Int)
}

/// The elements of a node of integers or refs. Some elements may be unknown until later.
struct ElementList {
  /// An element that is not known yet.
  enum Hole {
    /// The key of the object of class `target` with this primary key; or the key, if it is known but must
    /// be sorted together with unknown ones.
    case link(
      target: Int, identity: BatchValue, isUnresolved: Bool, row: Int, key: ObjectKey? = nil)
    /// The key of the embedded object of class `target` with this number in the piece.
    case embedded(target: Int, number: Int, row: Int)
    /// The ref of a node that waits itself.
    case child(Int)
  }

  private(set) var values: [Int64] = []
  /// The unknown elements, sorted by index.
  private(set) var holes: [(index: Int, hole: Hole)] = []

  var count: Int { values.count }

  mutating func append(_ value: Int64) { values.append(value) }
  mutating func append(ref: Ref) { values.append(Int64(ref)) }

  mutating func append(_ hole: Hole) {
    holes.append((values.count, hole))
    values.append(0)
  }

  mutating func append(_ place: NodePlace) {
    switch place {
    case .placed(let ref): append(ref: ref)
    case .pending(let number): append(.child(number))
    }
  }
}

/// Nodes that wait for object keys, as a list of steps that create them later. The steps are stored as an
/// array of integers, which is small and can be moved to a file.
///
/// ```
/// node   options, number of segments; then the elements in segments:
///   values    count; the elements
///   links     count, row, whether each belongs to the next row; keys are taken from the next links
///   embedded  count, row, whether each belongs to the next row; class; first number
///   children  count; first number of a node of this program
/// sort   row; start, count: sorts the keys of these of the next links, which belong to the row
/// ```
struct PendingProgram {
  /// Flags of a node.
  struct Options: OptionSet {
    let rawValue: UInt16
    /// Keys are stored plus one.
    static let biased = Options(rawValue: 1 << 8)
    /// The node is the root of a collection of links: its context flag states whether a link is
    /// unresolved.
    static let marksUnresolved = Options(rawValue: 1 << 9)
    /// The links in it are values of objects, and not in collections inside of such values.
    static let valuesOfObjects = Options(rawValue: 1 << 10)

    /// The context flag.
    static let context = Options(kind: NodeEncoder.hasContext)

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
    /// Row of the object that the first element belongs to.
    let row: Int
    /// True if each element belongs to the row after the previous element's row.
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

  /// Marks a sort step, which creates no node: the row in bits 0–31. The next integer has start in bits
  /// 32–61, count in bits 0–31.
  static let sortMark: Int64 = 1 << 62

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
