import RealmStorage

/// Checks of leaves that reading them does not need (chapter 2, section 9). The codecs check the rest
/// when they decode the same leaf.
struct LeafCheck {
  /// What a leaf belongs to.
  struct Place {
    let type: ColumnType
    let isNullable: Bool
    /// A leaf of a cluster, not of a collection.
    let isInCluster: Bool
    var isEnumerated = false
  }

  let nodes: NodeReader
  let format: Int
  private(set) var defects: [Defect] = []
  /// Keys of the nested collections of the collection at hand.
  var collectionKeys: Set<Int64> = []

  init(nodes: NodeReader, format: Int) { (self.nodes, self.format) = (nodes, format) }

  /// The defects found so far, which are forgotten.
  mutating func takeDefects() -> [Defect] {
    defer { defects.removeAll(keepingCapacity: true) }
    return defects
  }

  /// Starts with another collection.
  mutating func beginCollection() { collectionKeys.removeAll(keepingCapacity: true) }

  mutating func add(_ defect: Defect?) {
    if let defect { defects.append(defect) }
  }

  /// Checks the leaf `node`, which was decoded to `batch`.
  ///
  /// - Throws: what opening a node throws.
  mutating func check(
    _ node: Node, _ batch: ColumnBatch, _ place: Place
  ) throws(RealmFileError) {
    checkContext(node, place)
    if !place.isNullable { checkNulls(node, batch) }
    switch place.type {
    case .int where place.isNullable: checkNullValue(node)
    case .bool: checkBooleans(node)
    case .string where !(place.isEnumerated && node.isIntegers):
      try checkStrings(node, terminator: 1)
      checkText(node, batch)
    case .string: checkText(node, batch)
    case .binary: try checkStrings(node, terminator: 0)
    case .timestamp: try checkTimestamps(node, batch)
    case .decimal:
      if format < 24, node.count > 0, node.width != 16 {
        add(Defect(.leafDecimalWidth, at: node.ref, "decimals have \(node.width) bytes"))
      }
    case .objectId: checkNullBits(node, size: 12, rows: batch.count)
    case .uuid: checkNullBits(node, size: 16, rows: batch.count)
    case .mixed: try checkMixed(node, batch, place)
    case .int, .float, .double, .link, .typedLink, .backlink: break
    }
  }

  /// Section 1.4: in leaves of these types the flag has no meaning.
  private mutating func checkContext(_ node: Node, _ place: Place) {
    guard node.hasContext else { return }
    switch place.type {
    case .string where !place.isEnumerated && node.hasRefs, .binary, .decimal, .mixed: return
    case .link where !place.isInCluster: return
    default: add(Defect(.nodeContext, at: node.ref))
    }
  }

  private mutating func checkNulls(_ node: Node, _ batch: ColumnBatch) {
    let rows: [Int]
    switch batch {
    case .bool(_, let nulls), .float(_, let nulls), .double(_, let nulls),
      .timestamp(_, _, let nulls):
      guard !nulls.isEmpty else { return }
      rows = (0..<batch.count).filter { nulls[$0] }
    case .string(let values), .binary(let values), .objectId(let values), .uuid(let values):
      rows = values.indices.filter { values[$0] == nil }
    case .decimal(let values): rows = values.indices.filter { values[$0].isNull }
    case .int, .link, .mixed, .collection: return
    }
    add(Defect(.leafNull, at: node.ref, rows: rows, of: batch.count, "are null"))
  }

  /// Section 3.2: the reference takes the largest value of the width for null when it stores a new
  /// value, whatever element 0 says.
  private mutating func checkNullValue(_ node: Node) {
    guard node.width < 64 else { return }
    let largest: Int64 =
      switch node.width {
      case 0: 0
      case 1: 1
      case 2: 3
      case 4: 15
      default: (1 << Int64(node.width - 1)) - 1
      }
    guard node.integer(at: 0) != largest else { return }
    add(
      Defect(
        .leafNullValue, at: node.ref, "the null value is \(node.integer(at: 0)), not \(largest)"))
  }

  private mutating func checkBooleans(_ node: Node) {
    guard node.width > 1 else { return }
    let values = node.integers()
    let rows = values.indices.filter { values[$0] != 0 && values[$0] != 1 && values[$0] != 3 }
    add(Defect(.leafBool, at: node.ref, rows: rows, of: values.count, "are no booleans"))
  }

  private mutating func checkTimestamps(
    _ node: Node, _ batch: ColumnBatch
  ) throws(RealmFileError) {
    let seconds = try nodes.lookUp(try node.ref(at: 0))
    checkNullValue(seconds)
    if seconds.hasContext { add(Defect(.nodeContext, at: seconds.ref)) }
    guard case .timestamp(let whole, let parts, let nulls) = batch else { return }
    let rows = whole.indices.filter { row in
      !nulls[row] && !LeafCheck.isDate(seconds: whole[row], nanoseconds: parts[row])
    }
    add(Defect(.leafTimestamp, at: node.ref, rows: rows, of: whole.count, "are no dates"))
  }

  /// Section 3.10.
  static func isDate(seconds: Int64, nanoseconds: Int64) -> Bool {
    nanoseconds.magnitude < 1_000_000_000
      && (seconds == 0 || nanoseconds == 0 || (seconds < 0) == (nanoseconds < 0))
  }

  private mutating func checkNullBits(_ node: Node, size: Int, rows: Int) {
    guard rows & 7 != 0 else { return }
    let flags = node.bytes[rows / 8 * (8 * size + 1)]
    if flags >> UInt8(rows & 7) != 0 { add(Defect(.leafFixedBytesFlags, at: node.ref)) }
  }
}
