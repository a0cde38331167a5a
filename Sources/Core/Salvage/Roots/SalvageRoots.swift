package import RealmStorage

/// The roots in a damaged file: those that header and footer refer to, and those that a scan finds.
package struct SalvageRoots: Sendable {
  /// The most roots to keep; the newest ones are kept.
  private static let limit = 1000

  /// The newest version first; of the roots of one version, those that the header refers to first.
  package private(set) var roots: [SalvageRoot] = []
  /// The file format in the header; the newest one if it cannot be read.
  private(set) var format: Int
  /// Whether the header is intact enough to trust its format.
  let isFormatKnown: Bool
  /// Whether the flags of the header are valid, so that they select the slot of the newest version.
  private(set) var areFlagsKnown = true
  /// Whether the file header has the mnemonic of a realm.
  private(set) var hasMnemonic = false
  /// What is wrong with the file header.
  private(set) var headerProblems: [String] = []
  /// Byte offset of the root that the header refers to, if the file is truncated before it.
  private(set) var cutOffRoot: Ref?
  /// The number of the version before the newest one, if the header refers to a newest root and it is
  /// lost: roots with higher numbers are then the newest. Nil if the newest root is there or unknown.
  private(set) var versionBeforeLost: Int?

  /// - Throws: `newerFormat` and `oldFormat` for a file with an undamaged header; errors that are not
  ///   damage.
  package init(_ file: DamagedFile) throws(RealmFileError) {
    let nodes = try file.makeReader()
    let header = try SalvageRoots.header(nodes)
    let live = header.map { SalvageRoots.live($0, nodes) } ?? 0
    let (format, isFormatKnown, problems) = try SalvageRoots.readFormat(header, live: live)
    (self.format, self.isFormatKnown, headerProblems) = (format, isFormatKnown, problems)
    let formats = header.map { [$0.format(ofSlot: live), $0.format(ofSlot: 1 - live)] } ?? []
    var found: [Ref: SalvageRoot] = [:]
    func add(_ ref: Ref?, _ origin: SalvageRoot.Origin, _ format: Int) {
      guard let ref, found[ref] == nil,
        let root = SalvageRoot(at: ref, nodes, origin: origin, format: format)
      else { return }
      found[ref] = root.inLayout(of: formats, nodes)
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
    try RootNode.scan(nodes) { root in
      guard found[root.ref] == nil else { return true }
      scanned.append(
        SalvageRoot(root, origin: .scan, format: format).inLayout(of: formats, nodes))
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
    // If there is a newer root, the header should refer to that one, and its ref is damaged.
    let isOtherCutOff = header.slots[1 - live] >= UInt64(file.byteCount)
    if headerProblems.isEmpty, !header.isStreaming,
      isOtherCutOff || !roots.contains(where: { $0.version > before }),
      let ref = Int(exactly: header.slots[live]), ref & 7 == 0, ref >= file.byteCount,
      header.slots.allSatisfy({ $0 < SalvageRoots.refLimit })
    {
      cutOffRoot = ref
    } else {
      headerProblems.append("it refers to no top array")
    }
  }

  /// Whether the flags are valid.
  private static func hasFlags(_ header: FileHeader) -> Bool { header.bytes[23] & ~1 == 0 }

  /// Whether the file format is one of 2 to 9.
  var isLegacy: Bool { FileFormat.legacyNumbers.contains(format) }

  /// The slot of the newest version. If the flags are invalid, the one with the newer root.
  private static func live(_ header: FileHeader, _ nodes: NodeReader) -> Int {
    guard !hasFlags(header), !header.isStreaming else { return header.selected }
    let versions = [0, 1].map { slot in
      ref(header.slots[slot], nodes.logicalSize).flatMap {
        SalvageRoot(at: $0, nodes, origin: .header, format: FileFormat.current.number)?.version
      } ?? 0
    }
    return versions[0] > versions[1] ? 0 : 1
  }

  /// Replaces a format that was unknown.
  mutating func setFormat(_ format: Int) {
    self.format = format
    roots = roots.map { $0.inFormat(format) }
  }

  private static func keepNewest(_ roots: inout [SalvageRoot]) {
    roots.sort { ($1.version, $1.ref) < ($0.version, $0.ref) }
    roots.removeSubrange(min(limit, roots.count)...)
  }

  /// The header; nil if its page cannot be decrypted or the file is too short.
  private static func header(_ nodes: NodeReader) throws(RealmFileError) -> FileHeader? {
    try undamaged(nodes.source.copy(at: 0, count: FileHeader.byteCount))
      .map { FileHeader(bytes: $0) }
  }

  /// The newest format that a later library may have.
  private static let latestFormat = 31

  /// The format of the live slot, or of the other one; the newest one if both are unknown.
  ///
  /// A format that never existed is damage, and so is one that is far newer than any. A live format
  /// older than the one in the other slot is not damage: an upgrade writes the newer one there
  /// before it makes that slot the live one.
  ///
  /// - Returns: the format, whether the header is intact enough to trust it, and what is wrong.
  private static func readFormat(
    _ header: FileHeader?, live slot: Int
  ) throws(RealmFileError) -> (Int, isKnown: Bool, problems: [String]) {
    guard let header else { return (FileFormat.current.number, false, ["it cannot be read"]) }
    var problems: [String] = []
    let isTrusted =
      FileHeader.hasMnemonic(header.bytes) && header.bytes[22] == 0 && hasFlags(header)
    if !FileHeader.hasMnemonic(header.bytes) { problems.append("it has no mnemonic T-DB") }
    if !hasFlags(header) {
      problems.append("its flags are \(header.bytes[23]), expected 0 or 1")
    }
    let (live, other) = (header.format(ofSlot: slot), header.format(ofSlot: 1 - slot))
    let isOtherReadable = FileFormat.all.contains { $0.number == other }
    let isImpossible =
      live > latestFormat
      || !FileFormat.all.contains { $0.number == live }
        && (2..<FileFormat.current.number).contains(live)
    if isTrusted, !isImpossible {
      do throws(RealmFileError) {
        if case let format = try header.readableFormat(ofSlot: slot), format != .none {
          return (format.number, true, problems)
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
    // Without the mnemonic, any byte can look like a format. An old one would make all nodes unreadable.
    let possible = { (format: Int) in
      FileFormat.all.contains { $0.number == format }
        && (FileHeader.hasMnemonic(header.bytes) || !FileFormat.legacyNumbers.contains(format))
    }
    if let known = formats.first(where: possible) {
      return (known, false, problems)
    }
    if !isImpossible { problems.append("its file formats are \(live) and \(other)") }
    return (FileFormat.current.number, false, problems)
  }

  /// The end of all possible roots. The upper bytes of larger refs are overwritten.
  private static let refLimit: UInt64 = 1 << 40

  /// The ref in a slot of the header. If it is too large, it is tried without its upper bytes: records
  /// of a network protocol are known to overwrite them.
  private static func ref(_ raw: UInt64, _ size: Int) -> Ref? {
    for candidate in [raw, raw & (refLimit - 1)] {
      guard candidate & 7 == 0, let ref = Int(exactly: candidate), ref >= FileHeader.byteCount,
        ref < size
      else { continue }
      return ref
    }
    return nil
  }

  /// The ref in the footer of a file in streaming form, which is at its end.
  private static func footer(_ nodes: NodeReader) -> Ref? {
    let start = nodes.logicalSize - FileHeader.footerByteCount
    guard start >= FileHeader.byteCount,
      let footer = try? nodes.source.copy(at: start, count: FileHeader.footerByteCount),
      littleEndian(footer[8...]) == FileHeader.cookie
    else { return nil }
    return ref(littleEndian(footer[..<8]), nodes.logicalSize)
  }
}
