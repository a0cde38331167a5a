/// The root of a snapshot: twelve slots; fewer in older and streamed files (chapter 1, section 2).
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
  /// The highest version of a snapshot. No realm has as many commits; sums of a version and of a number of
  /// entries, which is bounded by the size of a file, cannot overflow.
  static let highestVersion = 1 << 61
  /// Lengths that the reference accepts (section 2.2).
  package static let legalCounts: Set<Int> = [3, 5, 7, 9, 10, 11, 12]

  /// Ref of the array itself; 0 for a realm without any commit.
  package let ref: Ref
  /// Bytes of the array itself, header included.
  package let byteCount: Int
  /// The slots as stored, neither checked nor decoded; for examining the file.
  package let slots: [Int64]
  /// Number of slots.
  package let count: Int
  /// Whether the header of the array has the flag for refs, as it should.
  package let hasRefs: Bool
  /// Short-string array of table names.
  package let tableNames: Ref
  /// Array with one element for each table slot.
  package let tables: Ref
  /// Bytes of the file that belong to this snapshot.
  package let logicalSize: Int
  /// Number of this snapshot; 1 if the file has none.
  package let version: Int
  /// Code of the history kind (chapter 4, section 1.1).
  package let historyType: Int
  /// Root of the history; 0 if there is none.
  package let history: Ref
  package let historySchemaVersion: Int
  /// The file identifier assigned by a sync server; 0 if there is none.
  package let fileIdent: Int
  /// The free list. Nil in streamed files without version, and if
  /// those slots hold no refs: a damaged free list must not prevent reading the data.
  package let freeList: FreeList.Refs?

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

  /// No realm has as many bytes.
  package static let sizeLimit = 1 << 48

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
    // Not covered by rows 11 and 12. Without this check, nodes past the logical size would be
    // unreadable later.
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

  /// The node at `ref`, if it can be a top array. Distinguishes a truncated file from a damaged
  /// one.
  private static func node(at ref: Ref, in source: ByteSource) throws(RealmFileError) -> Node {
    let room = source.count - ref
    guard room >= NodeHeader.byteCount else {
      throw RealmFileError(.truncated(missingBytes: NodeHeader.byteCount - room), offset: ref)
    }
    let start = try source.copy(at: ref, count: NodeHeader.byteCount)
    guard let header = NodeHeader(word: littleEndian(start[...])), header.widthType == .bits,
      !header.isInner
    else {
      throw RealmFileError(.damagedHeader("the top ref does not lead to a top array"), offset: ref)
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

  /// The ref in one of the two slots that must hold one.
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
