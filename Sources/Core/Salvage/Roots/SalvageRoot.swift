package import RealmStorage

/// A node of a damaged file that can be the top array of a version.
package struct SalvageRoot: Sendable {
  typealias Origin = SalvageReport.Root.Origin

  let ref: Ref
  let origin: Origin
  /// File format of the version: that of its slot in the header, or of the header's live slot for
  /// other roots; the newest one if unknown.
  package private(set) var format: Int
  /// Whether the header states one of the formats 2 to 9, although the tables have clusters: an upgrade did not finish.
  var isUpgrade = false
  /// Number of the version; 1 if the root has none.
  package let version: Int
  /// Bytes that belong to the version.
  let logicalSize: Int
  let tableNames: Ref
  package let tables: Ref
  /// Code of the history kind.
  package let historyType: Int
  /// The free list; nil for a root without one.
  let freeList: FreeList.Refs?
  /// Where a walk over the nodes of the version begins.
  let starts: [Ref]
  /// The elements of the list of tables, if the list itself is lost.
  let tableElements: [Int64]?
  /// Whether all bytes are certain to belong to the version, because it has no free list.
  let hasNoFreeSpace: Bool

  /// Decodes a root. Unlike ``TopArray``, accepts one in a truncated file.
  ///
  /// - Returns: nil if the node at `ref` cannot be a top array.
  init?(at ref: Ref, _ nodes: NodeReader, origin: Origin, format: Int) {
    guard let root = RootNode(at: ref, nodes) else { return nil }
    self.init(root, origin: origin, format: format)
  }

  init(_ root: RootNode, origin: Origin, format: Int) {
    (ref, self.origin, self.format) = (root.ref, origin, format)
    (logicalSize, tableNames, tables) = (root.logicalSize, root.tableNames, root.tables)
    (version, historyType) = (root.version, root.historyType)
    (starts, tableElements) = ([root.ref], nil)
    (freeList, hasNoFreeSpace) = (root.freeList, root.hasNoFreeSpace)
  }

  /// The parts of a version whose top array or list of tables is lost.
  struct Parts: Sendable {
    /// The names of the tables; nil if they are lost.
    var tableNames: Ref?
    /// The list of tables; nil if it is lost.
    var tables: Ref?
    /// The elements of the list of tables: 0 for a lost table.
    var elements: [Int64] = []
    /// The free list; nil if unknown.
    var freeList: FreeList.Refs?
    /// Whether the file has one version only, without free space.
    var hasNoFreeSpace = false

    init() {}
  }

  /// A root made from found parts.
  ///
  /// - Parameters:
  ///   - top: the top array if it can be read; otherwise another version, for its number and history.
  ///   - isTop: whether `top` is the top array of the version.
  init(
    _ parts: Parts, like top: SalvageRoot?, isTop: Bool, format: Int, logicalSize: Int
  ) {
    ref = isTop ? top?.ref ?? 0 : parts.tables ?? 0
    (origin, self.format) = (.rebuilt, format)
    version = top?.version ?? 1
    self.logicalSize = isTop ? top?.logicalSize ?? logicalSize : logicalSize
    tableNames = parts.tableNames ?? 0
    tables = parts.tables ?? 0
    historyType = top?.historyType ?? 0
    freeList = isTop ? top?.freeList : parts.freeList
    let children =
      parts.tables.map { [$0] }
      ?? parts.elements.filter { $0 != 0 && $0 & 1 == 0 }.map { Ref($0) }
    let lists = freeList?.all ?? []
    // The top array refers to its own names and lists.
    let names = parts.tableNames.flatMap { isTop && $0 == top?.tableNames ? nil : [$0] } ?? []
    starts = children + names + (isTop ? [ref] : lists)
    tableElements = parts.tables == nil ? parts.elements : nil
    hasNoFreeSpace = freeList == nil && (isTop || parts.hasNoFreeSpace)
  }

  /// The elements of the list of tables; nil if it cannot be read.
  func elements(_ nodes: NodeReader) -> [Int64]? {
    if let tableElements { return tableElements }
    guard let list = try? nodes.lookUp(tables), list.hasRefs, list.count < 1 << 16 else {
      return nil
    }
    return (0..<list.count).map { list.integer(at: $0) }
  }

  /// Whether the version has one of the formats 2 to 9.
  package var isLegacy: Bool { FileFormat.legacyNumbers.contains(format) }

  /// The same version in another file format.
  func inFormat(_ format: Int) -> SalvageRoot {
    var root = self
    root.format = format
    return root
  }
}
