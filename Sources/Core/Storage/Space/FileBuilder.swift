/// Writes a fresh realm from the trees of a snapshot (chapter 1, section 3.7): header, names, tables,
/// history, free list and top array, packed from byte 24 on.
///
/// A file gets *normal form*, in which an SDK opens it without changing a byte: slot 0 of the header is
/// live, the size is a multiple of a page, and the free list has one chunk, the rest behind the top
/// array. A stream gets *streaming form*, whose top ref is in a footer; the first SDK that opens it
/// for writing brings it to normal form.
///
/// Invariant 1: nodes and free list together tile the file from byte 24 to its logical size.
package struct FileBuilder {
  /// What the top array says beside its trees.
  package struct Top: Equatable, Sendable {
    /// At least 1.
    package var version: Int
    package var historyType: Int
    package var historySchemaVersion: Int
    package var fileIdent: Int
    /// Whether the history tree is copied.
    package var keepsHistory: Bool

    package init(
      version: Int, historyType: Int, historySchemaVersion: Int, fileIdent: Int,
      keepsHistory: Bool
    ) {
      (self.version, self.historyType) = (version, historyType)
      (self.historySchemaVersion, self.fileIdent) = (historySchemaVersion, fileIdent)
      self.keepsHistory = keepsHistory
    }

    /// That of `snapshot`.
    package init(of snapshot: Snapshot) {
      let top = snapshot.top
      self.init(
        version: top.version, historyType: top.historyType,
        historySchemaVersion: top.historySchemaVersion, fileIdent: top.fileIdent,
        keepsHistory: true)
    }
  }

  /// Sizes of files are multiples of this.
  private static let pageByteCount = 4096
  /// Encrypted ones hold whole pages of all systems: older libraries decrypt in units of the
  /// system's pages and want all of one or nothing (section 5.7).
  private static let encryptedPageByteCount = 16_384

  private let snapshot: Snapshot
  private let top: Top
  private let edits: NodeEdits
  private let output: RealmOutput

  package init(_ snapshot: Snapshot, top: Top, edits: NodeEdits, into output: RealmOutput) {
    (self.snapshot, self.top, self.edits, self.output) = (snapshot, top, edits, output)
  }

  /// Writes the file; the output is not published.
  ///
  /// - Parameter progress: told bytes of data written.
  /// - Returns: bytes of the file.
  /// - Throws: `damaged` and the errors of the source, without a path; those of the output.
  package func write(progress: @escaping (Int) -> Void) throws(RealmFileError) -> Int {
    let isStreaming = !output.hasHeaderAtEnd
    try output.append(
      isStreaming ? header(top: FileHeader.streamingMark) : [UInt8](repeating: 0, count: 24))
    guard snapshot.top.ref != 0 else { return try finish(topRef: 0, isStreaming) }

    let nodes = try snapshot.makeReaderOfAll()
    var copier = NodeCopier(nodes: nodes, output: output, edits: edits, progress: progress)
    let (names, tables, history) = try nodes.traversing { () throws(RealmFileError) in
      (
        try copier.copy(snapshot.top.tableNames), try copier.copy(snapshot.top.tables),
        top.keepsHistory && snapshot.top.history != 0 ? try copier.copy(snapshot.top.history) : 0
      )
    }
    try copier.checkEdits()
    let layout =
      isStreaming ? EndLayout(streamingFrom: output.position) : endLayout(from: output.position)
    for list in layout.lists { try output.append(list) }
    let slots = [
      Int64(names), Int64(tables), tagged(layout.logicalSize), Int64(layout.refs[0]),
      Int64(layout.refs[1]), Int64(layout.refs[2]), tagged(top.version), tagged(top.historyType),
      Int64(history), tagged(top.historySchemaVersion), tagged(top.fileIdent),
    ]
    let topRef = output.position
    try output.append(
      NodeEncoder.integers(
        kind: NodeEncoder.hasRefs, slots, widthCode: layout.topWidthCode))
    try output.appendZeros(max(0, layout.logicalSize - output.position))
    return try finish(topRef: topRef, isStreaming)
  }

  /// Writes what is behind the last node, and the header.
  private func finish(topRef: Ref, _ isStreaming: Bool) throws(RealmFileError) -> Int {
    guard isStreaming else {
      try output.appendZeros(rest(behind: output.position))
      return try output.finish(header: header(top: UInt64(topRef)))
    }
    let footerStart = output.position + FileHeader.footerByteCount
    // An encrypted file has whole pages, and the footer at the end of the last.
    try output.appendZeros(output.isEncrypted ? rest(behind: footerStart) : 0)
    try output.append(
      [UInt64(topRef), FileHeader.cookie].flatMap { FileBuilder.bytes(of: $0) })
    return try output.finish(header: nil)
  }

  private var unit: Int {
    output.isEncrypted ? FileBuilder.encryptedPageByteCount : FileBuilder.pageByteCount
  }

  /// Bytes from `position` to the end of its page; 0 at a multiple of pages.
  private func rest(behind position: Int) -> Int { (unit - position % unit) % unit }

  /// The header, with `top` in slot 0 and the format of the snapshot.
  private func header(top: UInt64) -> [UInt8] {
    FileBuilder.bytes(of: top) + FileBuilder.bytes(of: 0) + FileHeader.mnemonic
      + [UInt8(snapshot.format), 0, 0, 0]
  }

  private static func bytes(of value: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: value >> UInt64($0 * 8)) }
  }

  /// What a slot of the top array holds for an integer from 0 on.
  private func tagged(_ value: Int) -> Int64 { Int64(bitPattern: UInt64(value) << 1 | 1) }

  /// The three lists and the top array: how large they are depends on where they end.
  private struct EndLayout {
    /// The nodes of positions, lengths and versions.
    var lists: [[UInt8]] = []
    var refs: [Ref] = []
    var logicalSize = 0
    var topWidthCode: UInt8 = 7

    init() {}

    /// Empty lists; the file ends with the top array.
    init(streamingFrom start: Int) {
      lists = Array(repeating: NodeEncoder.integers([]), count: 3)
      refs = (0..<3).map { start + $0 * NodeHeader.byteCount }
      let topStart = start + 3 * NodeHeader.byteCount
      logicalSize =
        topStart + NodeEncoder.byteCount(of: FileBuilder.slotCount, widthCode: topWidthCode)
    }
  }

  private static let slotCount = TopArray.Slot.fileIdent + 1

  /// The layout of normal form from `start` on: one chunk from the end of the top array to the end of
  /// its page, or of the next where nothing would be left of it.
  private func endLayout(from start: Int) -> EndLayout {
    var layout = EndLayout()
    // One element that is not zero takes 8 bytes at any width, a zero none.
    layout.refs = [start, start + 16, start + 32]
    let topEnd =
      start + 40
      + NodeEncoder.byteCount(of: FileBuilder.slotCount, widthCode: layout.topWidthCode)
    let chunk = rest(behind: topEnd) == 0 ? unit : rest(behind: topEnd)
    layout.logicalSize = topEnd + chunk
    layout.lists = [
      NodeEncoder.integers([Int64(topEnd)]), NodeEncoder.integers([Int64(chunk)]),
      NodeEncoder.integers([0]),
    ]
    return layout
  }
}
