import RealmModel
import RealmStorage

/// The rules for leaves that decoding does not check (chapter 2, section 9).
extension Leaf {
  /// The column or collection of a leaf.
  struct Place {
    let type: ColumnType
    let isNullable: Bool
    /// True for a leaf of a cluster, false for a leaf of a collection.
    let isInCluster: Bool
    /// File format of the realm.
    let format: FileFormat
  }

  /// Checks the leaf `node`; `batch` is its decoded content.
  ///
  /// - Parameter collectionKeys: keys of the collections found so far in the leaves of the same
  ///   collection.
  /// - Throws: the errors of opening a node.
  static func check(
    _ node: Node, _ batch: LeafValues, _ place: Place, collectionKeys: inout Set<Int64>,
    _ nodes: NodeReader, _ findings: inout Findings
  ) throws(RealmFileError) {
    checkContext(node, place, &findings)
    switch batch {
    case .scalar(let values): try check(node, values, place, nodes, &findings)
    case .mixed(let values):
      guard place.type == .mixed else { return }
      try MixedLeaf(node, nodes, isLookUp: true).check(
        values, format: place.format, isInCluster: place.isInCluster,
        collectionKeys: &collectionKeys, nodes, &findings)
    case .link, .collection: break
    }
  }

  private static func check(
    _ node: Node, _ values: ScalarColumn, _ place: Place, _ nodes: NodeReader,
    _ findings: inout Findings
  ) throws(RealmFileError) {
    if !place.isNullable { checkNulls(values, at: node, &findings) }
    switch values {
    case .int: if place.isNullable { try NullableIntegerLeaf(node).check(&findings) }
    case .bool: try BoolLeaf(node).check(&findings)
    case .string(let values):
      try StringLeaf.check(node, terminator: 1, nodes, &findings)
      StringLeaf.checkUTF8(values, at: node, &findings)
    case .binary: try StringLeaf.check(node, terminator: 0, nodes, &findings)
    case .timestamp(let seconds, let nanoseconds, let nulls):
      try TimestampLeaf(node, nodes, isLookUp: true)
        .check(seconds, nanoseconds, nulls, &findings)
    case .decimal: try DecimalLeaf(node).check(format: place.format, &findings)
    case .objectId: try FixedBytesLeaf(node, size: FixedBytesLeaf.objectIdSize).check(&findings)
    case .uuid: try FixedBytesLeaf(node, size: FixedBytesLeaf.uuidSize).check(&findings)
    case .float, .double: break
    }
  }

  /// Adds the finding for a context flag on a node in which the flag has no meaning (section 1.4).
  static func reportContext(_ node: Node, _ findings: inout Findings) {
    findings.add(
      .nodeContext, at: node.ref, "the context flag is set, which means nothing in \(node.form)")
  }

  private static func checkContext(_ node: Node, _ place: Place, _ findings: inout Findings) {
    guard node.hasContext else { return }
    // The flag has a meaning in leaves of these types.
    switch place.type {
    case .string where !node.isIntegers && node.hasRefs, .binary, .decimal, .mixed: return
    case .link where !place.isInCluster: return
    default: reportContext(node, &findings)
    }
  }

  private static func checkNulls(
    _ column: ScalarColumn, at node: Node, _ findings: inout Findings
  ) {
    var nulls = RowCount()
    switch column {
    case .bool(_, let mask), .float(_, let mask), .double(_, let mask), .timestamp(_, _, let mask):
      guard !mask.isEmpty else { return }
      for row in 0..<column.count where mask[row] { nulls.add(row) }
    case .string(let values), .binary(let values), .objectId(let values), .uuid(let values):
      for row in values.indices where values[row] == nil { nulls.add(row) }
    case .decimal(let values): for row in values.indices where values[row].isNull { nulls.add(row) }
    case .int: return
    }
    nulls.report(
      .leafNull, at: node.ref, of: column.count, "values are null in a required property", &findings
    )
  }
}

/// The rows of a leaf that break a rule. One finding reports them together.
struct RowCount {
  private(set) var count = 0
  private var first = 0

  @inline(__always)
  mutating func add(_ row: Int) {
    if count == 0 { first = row }
    count += 1
  }

  /// Adds one finding if there are such rows: "3 of 200 values are null; the first is row 7".
  func report(
    _ rule: Rule, at ref: Ref, of total: Int, _ problem: String, _ findings: inout Findings
  ) {
    guard count > 0 else { return }
    findings.add(
      rule, at: ref, row: first, "\(count) of \(total) \(problem); the first is row \(first)")
  }
}
