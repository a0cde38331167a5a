/// The root of a snapshot: an array of twelve slots, fewer in older and streamed files (chapter 1, section 2).
package struct TopArray: Equatable, Sendable {
  /// Positions in the array.
  package enum Slot {
    package static let tableNames = 0
    package static let tables = 1
    package static let logicalSize = 2
    package static let freePositions = 3
    package static let freeLengths = 4
    package static let freeVersions = 5
    package static let version = 6
    package static let historyType = 7
    package static let history = 8
    package static let historySchemaVersion = 9
    package static let fileIdent = 10
    package static let evacuation = 11
  }
  /// The highest version that is accepted; no realm has that many commits. A version plus a number of history
  /// entries, which the size of the file bounds, cannot overflow.
  static let highestVersion = 1 << 61
  /// Logical sizes from here on are not accepted; no realm has that many bytes.
  package static let sizeLimit = 1 << 48
  /// The lengths that the reference accepts (section 2.2).
  package static let legalCounts: Set<Int> = [3, 5, 7, 9, 10, 11, 12]

  /// Ref of the array itself; 0 for a realm without any commit.
  package let ref: Ref
  /// Bytes of the array itself, including its header.
  package let byteCount: Int
  /// The slots as stored, unchecked.
  package let slots: [Int64]
  /// Number of slots.
  package let count: Int
  /// Whether the header of the array has the flag for refs, as required.
  package let hasRefs: Bool
  /// The array of table names, short strings.
  package let tableNames: Ref
  /// The array of tables, with one element for each table slot.
  package let tables: Ref
  /// Bytes of the file that belong to this snapshot.
  package let logicalSize: Int
  /// Number of this snapshot; 1 if the file has none.
  package let version: Int
  /// The code of the history kind (chapter 4, section 1.1).
  package let historyType: Int
  /// Root of the history; 0 if there is none.
  package let history: Ref
  package let historySchemaVersion: Int
  /// The file identifier assigned by a sync server; 0 if there is none.
  package let fileIdent: Int
  /// The free list; nil if the array has no slots for it, or if those slots hold no refs: a damaged free list
  /// must not prevent reading the data.
  package let freeList: FreeList.Refs?

  /// Whether two top arrays of copies of one file describe the same version.
  package static func == (a: TopArray, b: TopArray) -> Bool {
    a.ref == b.ref && a.version == b.version && a.logicalSize == b.logicalSize
  }

  /// A realm without any commit: no tables, version 1 (section 1.2).
  static let empty = TopArray()

  private init() {
    (ref, byteCount, slots, hasRefs) = (0, 0, [], true)
    (count, tableNames, tables) = (0, 0, 0)
    (logicalSize, version) = (FileHeader.byteCount, 1)
    (historyType, history, historySchemaVersion, fileIdent) = (0, 0, 0, 0)
    freeList = nil
  }

  /// Decodes the top array at `ref`, and checks rows 11 to 13 of section 1.3.
  ///
  /// - Throws: `damagedHeader`, `truncated`, or the errors of opening a node.
  package init(at ref: Ref, in source: ByteSource) throws(RealmFileError) {
    let node = try TopArray.node(at: ref, in: source)
    self.ref = ref
    count = node.count
    byteCount = node.header.nodeByteCount
    slots = node.integers()
    hasRefs = node.hasRefs
    logicalSize = node.slotInteger(at: Slot.logicalSize)
    guard logicalSize < TopArray.sizeLimit else {
      throw RealmFileError(
        .damagedHeader("the logical size is \(logicalSize), expected less than 2⁴⁸"), offset: ref)
    }
    guard logicalSize <= source.count else {
      throw RealmFileError(.truncated(missingBytes: logicalSize - source.count), offset: ref)
    }
    // Not covered by rows 11 and 12, but nothing past the logical size can be read.
    guard byteCount <= logicalSize - ref else {
      throw RealmFileError(
        .damagedHeader("the logical size is \(logicalSize), expected at least \(ref + byteCount)"),
        offset: ref)
    }
    tableNames = try TopArray.tree(node, Slot.tableNames, logicalSize)
    tables = try TopArray.tree(node, Slot.tables, logicalSize)
    freeList = TopArray.freeList(node)

    func integer(_ slot: Int) -> Int { slot < node.count ? node.slotInteger(at: slot) : 0 }
    version = max(1, integer(Slot.version))
    guard version <= TopArray.highestVersion else {
      throw RealmFileError(
        .damagedHeader(
          "the version is \(version), expected at most \(TopArray.highestVersion)"), offset: ref)
    }
    historyType = integer(Slot.historyType)
    history = node.count > Slot.history ? try node.ref(at: Slot.history) : 0
    historySchemaVersion = integer(Slot.historySchemaVersion)
    fileIdent = integer(Slot.fileIdent)
  }

  /// The node at `ref`, if it can be a top array. Distinguishes a truncated file from a damaged one.
  private static func node(at ref: Ref, in source: ByteSource) throws(RealmFileError) -> Node {
    let room = source.count - ref
    guard room >= NodeHeader.byteCount else {
      throw RealmFileError(.truncated(missingBytes: NodeHeader.byteCount - room), offset: ref)
    }
    let start = try source.copy(at: ref, count: NodeHeader.byteCount)
    guard let header = NodeHeader(word: littleEndian(start[...])), header.widthType == .bits,
      !header.isInner
    else {
      throw RealmFileError(.damagedHeader("the top ref does not refer to a top array"), offset: ref)
    }
    guard legalCounts.contains(header.count) else {
      throw RealmFileError(
        .damagedHeader("the top array has \(header.count) slots, expected 3, 5, 7 or 9 to 12"),
        offset: ref)
    }
    guard header.nodeByteCount <= room else {
      throw RealmFileError(.truncated(missingBytes: header.nodeByteCount - room), offset: ref)
    }
    return try NodeReader(source: source, logicalSize: source.count).lookUp(ref)
  }

  /// The ref in slot `slot`, which must hold one.
  private static func tree(
    _ node: Node, _ slot: Int, _ logicalSize: Int
  ) throws(RealmFileError) -> Ref {
    let raw = node.integer(at: slot)
    guard raw > 0, raw & 7 == 0, raw <= logicalSize else {
      throw RealmFileError(
        .damagedHeader(
          "slot \(slot) of the top array is \(raw), expected a ref up to \(logicalSize)"),
        offset: node.ref)
    }
    return Int(raw)
  }

  /// The three refs of the free list, if all slots hold refs.
  private static func freeList(_ node: Node) -> FreeList.Refs? {
    guard node.count > Slot.freeVersions,
      let positions = try? node.ref(at: Slot.freePositions),
      let lengths = try? node.ref(at: Slot.freeLengths),
      let versions = try? node.ref(at: Slot.freeVersions)
    else { return nil }
    return FreeList.Refs(positions: positions, lengths: lengths, versions: versions)
  }
}

extension TopArray {
  /// Width code of a new top array: elements of 64 bits.
  static let encodedWidthCode: UInt8 = 7

  /// The node of a new top array (chapter 1, section 2.1).
  ///
  /// - Parameters:
  ///   - freeList: nil for none.
  ///   - slotCount: number of slots, at most ``Slot/fileIdent`` + 1.
  package static func encode(
    _ trees: RealmFileWriter.Trees, _ facts: RealmFileWriter.Facts, logicalSize: Int,
    freeList: FreeList.Refs?, slotCount: Int
  ) -> [UInt8] {
    func tagged(_ value: Int) -> Int64 { Int64(value) << 1 | 1 }
    let slots = [
      Int64(trees.tableNames), Int64(trees.tables), tagged(logicalSize),
      Int64(freeList?.positions ?? 0), Int64(freeList?.lengths ?? 0),
      Int64(freeList?.versions ?? 0),
      tagged(facts.version), tagged(facts.historyType), Int64(trees.history),
      tagged(facts.historySchemaVersion), tagged(facts.fileIdent),
    ]
    return NodeEncoder.integers(
      kind: NodeEncoder.hasRefs, Array(slots.prefix(slotCount)), widthCode: encodedWidthCode)
  }
}
