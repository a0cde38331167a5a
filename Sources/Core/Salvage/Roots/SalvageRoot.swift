package import RealmStorage

/// A node of a damaged file that can be the top array of a version.
package struct SalvageRoot: Sendable {
  /// Where the root was found.
  package enum Origin: String, Sendable {
    /// The live slot of the file header.
    case header
    /// The other slot of the file header.
    case otherSlot
    /// The footer of a file in streaming form.
    case footer
    /// Neither header nor footer name it.
    case scan
    /// The top array or the list of tables is lost; the tables were found by a scan.
    case rebuilt
  }

  package let ref: Ref
  package let origin: Origin
  /// File format of the version: that of its slot; for other roots that of the header, or the newest one if
  /// the header does not tell.
  package private(set) var format: Int
  /// Number of the version; 1 if the root has none.
  package let version: Int
  /// Bytes that belong to the version.
  package let logicalSize: Int
  package let tableNames: Ref
  package let tables: Ref
  /// Code of the history kind.
  package let historyType: Int
  /// The free list; nil for a root without one.
  package let freeList: FreeList.Refs?
  /// Where a walk over the nodes of the version begins.
  let starts: [Ref]
  /// The elements of the list of tables, if the list itself is lost.
  package let tableElements: [Int64]?
  /// Whether it is certain that all bytes belong to the version: it has no list of free space.
  let hasNoFreeSpace: Bool

  /// Decodes a root; unlike ``TopArray``, also one of a file that is truncated.
  ///
  /// - Returns: nil if the node at `ref` cannot be a top array.
  init?(at ref: Ref, _ nodes: NodeReader, origin: Origin, format: Int) {
    guard let node = try? nodes.lookUp(ref), node.hasRefs, !node.isInner, !node.hasContext,
      TopArray.legalCounts.contains(node.count)
    else { return nil }
    typealias Slot = TopArray.Slot
    func slot(_ slot: Int) -> Int64 { slot < node.count ? node.integer(at: slot) : 0 }
    func child(_ slot: Int) -> Ref? {
      let raw = node.integer(at: slot)
      return raw >= FileHeader.byteCount && raw & 7 == 0 && raw < TopArray.sizeLimit
        ? Int(raw) : nil
    }
    let size = slot(Slot.logicalSize)
    guard let names = child(Slot.tableNames), let tables = child(Slot.tables), names != tables,
      size & 1 != 0, size > 0, size >> 1 < TopArray.sizeLimit,
      case let logicalSize = Int(size >> 1), logicalSize & 7 == 0,
      logicalSize >= ref + node.header.nodeByteCount, names < logicalSize, tables < logicalSize,
      node.count <= Slot.version || slot(Slot.version) & 1 != 0 && slot(Slot.version) > 0
    else { return nil }
    (self.ref, self.origin, self.format) = (ref, origin, format)
    (self.logicalSize, tableNames, self.tables) = (logicalSize, names, tables)
    version = node.count > Slot.version ? max(1, Int(slot(Slot.version) >> 1)) : 1
    let history = slot(Slot.historyType)
    historyType = history & 1 != 0 && history >> 1 <= 4 && history > 0 ? Int(history >> 1) : 0
    (starts, tableElements) = ([ref], nil)
    let freeList: FreeList.Refs? =
      if node.count > Slot.freeVersions, let positions = child(Slot.freePositions),
        let lengths = child(Slot.freeLengths), let versions = child(Slot.freeVersions)
      { FreeList.Refs(positions: positions, lengths: lengths, versions: versions) } else { nil }
    self.freeList = freeList
    // A list that cannot be found is not an empty one.
    hasNoFreeSpace = [Slot.freePositions, Slot.freeLengths, Slot.freeVersions].allSatisfy {
      node.count <= $0 || slot($0) == 0
    }
  }

  /// Parts of a version whose top array or list of tables is lost.
  package struct Parts: Sendable {
    /// The names of the tables; nil if they are lost.
    package var tableNames: Ref?
    /// The list of tables; nil if it is lost.
    package var tables: Ref?
    /// The elements of the list of tables: 0 for a table that is lost.
    package var elements: [Int64] = []
    /// The free list, as far as it is known.
    package var freeList: FreeList.Refs?
    /// Whether the file has one version only, without free space.
    package var hasNoFreeSpace = false

    package init() {}
  }

  /// A root of found parts.
  ///
  /// - Parameters:
  ///   - top: the top array, if it can be read; else another version, whose number and format are taken.
  ///   - isTop: whether `top` is the top array of the version.
  package init(
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
    // The top array leads to its own names and lists.
    let names = parts.tableNames.flatMap { isTop && $0 == top?.tableNames ? nil : [$0] } ?? []
    starts = children + names + (isTop ? [ref] : lists)
    tableElements = parts.tables == nil ? parts.elements : nil
    hasNoFreeSpace = freeList == nil && (isTop || parts.hasNoFreeSpace)
  }

  /// The same version in another file format.
  package func inFormat(_ format: Int) -> SalvageRoot {
    var root = self
    root.format = format
    return root
  }

  /// Whether the node at the first or the second ref has the form that it should have.
  func leadsSomewhere(_ nodes: NodeReader) -> Bool {
    let names = try? nodes.lookUp(tableNames)
    if names?.header.widthType == .multiply { return true }
    guard let tables = try? nodes.lookUp(tables) else { return false }
    return tables.hasRefs && !tables.isInner
  }
}

/// Finds the roots of a damaged file: those that header and footer name, and those that a scan finds.
package struct SalvageRoots: Sendable {
  /// The most roots that are kept; of more, those of the newest versions.
  private static let limit = 1000

  /// The newest version first; of roots of one version, those that the header names first.
  package private(set) var roots: [SalvageRoot] = []
  /// File format that the header tells; the newest one if it does not.
  package private(set) var format: Int
  /// Whether the header is so sound that its format is trusted.
  package let isFormatKnown: Bool
  /// Whether the flags of the header tell which of its slots names the newest version.
  package private(set) var areFlagsKnown = true
  /// Whether the file header has the mnemonic of a realm.
  package private(set) var hasMnemonic = false
  /// What is wrong with the file header; empty for a sound one.
  package private(set) var headerProblems: [String] = []
  /// The first byte of the root that the header names, if it lies behind the end of the file: that was cut off.
  package private(set) var cutOffRoot: Ref?
  /// The version before the newest one if the header names a newest one whose root is lost: a root with a
  /// higher version is then the newest. Nil if the newest root is there, or if nothing is known of it.
  package private(set) var versionBeforeLost: Int?

  /// - Throws: `newerFormat` and `oldFormat` for a file whose header is sound; errors that say nothing about
  ///   the file.
  package init(_ file: DamagedFile) throws(RealmFileError) {
    let nodes = try file.makeReader()
    let header = try SalvageRoots.header(nodes)
    let live = header.map { SalvageRoots.live($0, nodes) } ?? 0
    let (format, isFormatKnown, problems) = try SalvageRoots.readFormat(header, live: live)
    (self.format, self.isFormatKnown, headerProblems) = (format, isFormatKnown, problems)
    var found: [Ref: SalvageRoot] = [:]
    func add(_ ref: Ref?, _ origin: SalvageRoot.Origin, _ format: Int) {
      guard let ref, found[ref] == nil,
        let root = SalvageRoot(at: ref, nodes, origin: origin, format: format)
      else { return }
      found[ref] = root
    }
    if let header {
      hasMnemonic = FileHeader.hasMnemonic(header.bytes)
      areFlagsKnown = SalvageRoots.hasFlags(header)
      let size = file.byteCount
      let footer = SalvageRoots.footer(nodes)
      if header.isStreaming || footer != nil { add(footer, .footer, format) }
      add(SalvageRoots.ref(header.slots[live], size), .header, format)
      add(SalvageRoots.ref(header.slots[1 - live], size), .otherSlot, format)
    }
    let named = found.values.contains { $0.origin != .otherSlot }
    var scanned: [SalvageRoot] = []
    try NodeScan.run(nodes, in: 0..<file.byteCount) { ref, header in
      guard header.hasRefs, !header.isInner, TopArray.legalCounts.contains(header.count),
        found[ref] == nil,
        let root = SalvageRoot(at: ref, nodes, origin: .scan, format: format),
        root.leadsSomewhere(nodes)
      else { return true }
      scanned.append(root)
      if scanned.count > 2 * SalvageRoots.limit { SalvageRoots.keepNewest(&scanned) }
      return true
    }
    SalvageRoots.keepNewest(&scanned)
    let isScanned = { (root: SalvageRoot) in root.origin == .scan ? 1 : 0 }
    roots = (Array(found.values) + scanned).sorted {
      ($1.version, isScanned($0), $1.ref) < ($0.version, isScanned($1), $0.ref)
    }
    guard !named, let header, header.slots[live] != 0 else { return }
    let before = roots.first { $0.origin == .otherSlot }?.version ?? 0
    versionBeforeLost = before
    // A newer root would be the one that the header should name.
    let isOtherCutOff = header.slots[1 - live] >= UInt64(file.byteCount)
    if headerProblems.isEmpty, !header.isStreaming,
      isOtherCutOff || !roots.contains(where: { $0.version > before }),
      let ref = Int(exactly: header.slots[live]), ref & 7 == 0, ref >= file.byteCount,
      header.slots.allSatisfy({ $0 < SalvageRoots.refLimit })
    {
      cutOffRoot = ref
    } else {
      headerProblems.append("it names no top array")
    }
  }

  /// Whether the flags tell which slot names the newest version.
  private static func hasFlags(_ header: FileHeader) -> Bool { header.bytes[23] & ~1 == 0 }

  /// The slot that names the newest version: if the flags do not tell, the one with the newer root.
  private static func live(_ header: FileHeader, _ nodes: NodeReader) -> Int {
    guard !hasFlags(header), !header.isStreaming else { return header.selected }
    let versions = [0, 1].map { slot in
      ref(header.slots[slot], nodes.logicalSize).flatMap {
        SalvageRoot(at: $0, nodes, origin: .header, format: FileHeader.newestFormat)?.version
      } ?? 0
    }
    return versions[0] > versions[1] ? 0 : 1
  }

  /// Replaces a format that is not known.
  package mutating func setFormat(_ format: Int) {
    self.format = format
    roots = roots.map { $0.inFormat(format) }
  }

  private static func keepNewest(_ roots: inout [SalvageRoot]) {
    roots.sort { ($1.version, $1.ref) < ($0.version, $0.ref) }
    roots.removeSubrange(min(limit, roots.count)...)
  }

  /// The header as far as it can be read; nil if its page cannot be decrypted or the file is too short.
  private static func header(_ nodes: NodeReader) throws(RealmFileError) -> FileHeader? {
    do throws(RealmFileError) {
      return FileHeader(bytes: try nodes.source.copy(at: 0, count: FileHeader.byteCount))
    } catch {
      guard error.isDamage else { throw error }
      return nil
    }
  }

  /// The newest format for which a later library may have been made.
  private static let latestFormat = 31

  /// The format of the live slot, or of the other one; the newest one if both are unknown.
  ///
  /// A format that never existed is damaged, and so is one that is far newer than any. An older format than that of the
  /// other slot is not: an upgrade writes the newer one there before it makes that slot the live one.
  ///
  /// - Returns: the format, whether the header is so sound that it is known, and what is wrong with the header.
  private static func readFormat(
    _ header: FileHeader?, live slot: Int
  ) throws(RealmFileError) -> (Int, isKnown: Bool, problems: [String]) {
    guard let header else { return (FileHeader.newestFormat, false, ["it cannot be read"]) }
    var problems: [String] = []
    let isSound =
      FileHeader.hasMnemonic(header.bytes) && header.bytes[22] == 0 && hasFlags(header)
    if !FileHeader.hasMnemonic(header.bytes) { problems.append("it has no mnemonic T-DB") }
    if !hasFlags(header) {
      problems.append("its flags are \(header.bytes[23]), expected 0 or 1")
    }
    let (live, other) = (header.format(ofSlot: slot), header.format(ofSlot: 1 - slot))
    let isOtherReadable = FileHeader.readableFormats.contains(other)
    let isImpossible =
      live > latestFormat
      || !FileHeader.readableFormats.contains(live) && (2..<FileHeader.newestFormat).contains(live)
    if isSound, !isImpossible {
      do throws(RealmFileError) {
        if case let format = try header.readableFormat(ofSlot: slot), format != 0 {
          return (format, true, problems)
        }
      } catch {
        switch error.kind {
        case .newerFormat, .oldFormat: throw error
        default: break
        }
      }
    }
    let formats = isImpossible ? [other] : [live, other]
    if isImpossible {
      problems.append(
        "its file format is \(live)\(isOtherReadable ? ", and \(other) in the other slot" : "")")
    }
    // Of a header without mnemonic any byte can be a format; those of other nodes would make all unreadable.
    let possible = { (format: Int) in
      FileHeader.readableFormats.contains(format)
        && (FileHeader.hasMnemonic(header.bytes) || !FileHeader.legacyFormats.contains(format))
    }
    if let known = formats.first(where: possible) {
      return (known, false, problems)
    }
    if !isImpossible { problems.append("its file formats are \(live) and \(other)") }
    return (FileHeader.newestFormat, false, problems)
  }

  /// No root of a realm lies so far behind: upper bytes of larger refs are overwritten.
  private static let refLimit: UInt64 = 1 << 40

  /// The ref in a slot of the header. Refs below 2⁴⁰ are tried without their upper bytes, which are known to
  /// be overwritten by records of a network protocol.
  private static func ref(_ raw: UInt64, _ size: Int) -> Ref? {
    for candidate in [raw, raw & (refLimit - 1)] {
      guard candidate & 7 == 0, let ref = Int(exactly: candidate), ref >= FileHeader.byteCount,
        ref < size
      else { continue }
      return ref
    }
    return nil
  }

  /// The ref in the footer of a file in streaming form, which is at the end or, in a file that grew since, at
  /// the logical size that it names.
  private static func footer(_ nodes: NodeReader) -> Ref? {
    let start = nodes.logicalSize - FileHeader.footerByteCount
    guard start >= FileHeader.byteCount,
      let footer = try? nodes.source.copy(at: start, count: FileHeader.footerByteCount),
      littleEndian(footer[8...]) == FileHeader.cookie
    else { return nil }
    return ref(littleEndian(footer[..<8]), nodes.logicalSize)
  }
}
