/// Writes a new realm file from encoded nodes (chapter 1, section 3.7): the header, the nodes from
/// byte 24 on, the free list and the top array.
///
/// A file has *normal form*, which an SDK opens without changing a byte: slot 0 of the header is
/// live, the size is a multiple of a page, and the free list has one chunk, the space after the top
/// array. A stream has *streaming form*, whose top ref is in a footer; the first SDK that opens it
/// for writing converts it to normal form.
///
/// Children are appended before their parents, because a parent holds their refs; appended nodes
/// never change. The writer does not interpret nodes.
///
/// Invariant 1: the nodes and the free list together cover the file from byte 24 to its logical
/// size, without overlap.
package struct RealmFileWriter {
  /// The content of the top array, other than the trees.
  package struct Facts: Equatable, Sendable {
    /// At least 1.
    package var version: Int
    package var historyType: Int
    package var historySchemaVersion: Int
    package var fileIdent: Int

    package init(version: Int, historyType: Int, historySchemaVersion: Int, fileIdent: Int) {
      (self.version, self.historyType) = (version, historyType)
      (self.historySchemaVersion, self.fileIdent) = (historySchemaVersion, fileIdent)
    }
  }

  /// The roots of the trees: refs of the new file.
  package struct Trees: Equatable, Sendable {
    package var tableNames: Ref
    package var tables: Ref
    /// 0 for no history.
    package var history: Ref

    package init(tableNames: Ref, tables: Ref, history: Ref = 0) {
      (self.tableNames, self.tables, self.history) = (tableNames, tables, history)
    }
  }

  /// File sizes are multiples of this.
  private static let pageByteCount = 4096
  /// Sizes of encrypted files are multiples of this: older libraries decrypt in units of the system's page size, which
  /// must be complete (section 5.7).
  package static let encryptedPageByteCount = 16_384

  private let output: RealmOutput
  package let format: FileFormat

  /// Starts the file.
  ///
  /// - Parameters:
  ///   - output: a new output, to which nothing was appended.
  ///   - format: the file format for the header; ``FileFormat/none`` for a realm without any commit.
  /// - Throws: the errors of the output.
  package init(into output: RealmOutput, format: FileFormat) throws(RealmFileError) {
    (self.output, self.format) = (output, format)
    // The header of a file is written at the end; these zeros keep its place.
    try output.append(
      isStreaming
        ? header(top: FileHeader.streamingMark) : [UInt8](repeating: 0, count: FileHeader.byteCount)
    )
  }

  // MARK: Nodes

  /// Whether the realm is encrypted.
  package var isEncrypted: Bool { output.isEncrypted }

  /// The ref of the next appended node.
  @inline(__always)
  package var position: Ref { output.position }

  /// Appends encoded nodes.
  ///
  /// - Parameter nodes: whole nodes without gaps, with refs of this file.
  /// - Returns: the ref of the first node.
  /// - Throws: the errors of the output.
  @discardableResult
  package func append(_ nodes: [UInt8]) throws(RealmFileError) -> Ref {
    try unsafe nodes.withUnsafeBufferPointer { (nodes) throws(RealmFileError) in
      try unsafe append(UnsafeRawBufferPointer(nodes))
    }
  }

  /// Like ``append(_:)-([UInt8])``.
  @unsafe
  @discardableResult
  package func append(_ nodes: UnsafeRawBufferPointer) throws(RealmFileError) -> Ref {
    precondition(nodes.count % 8 == 0, "nodes are multiples of 8 bytes")
    let ref = position
    try unsafe output.append(nodes)
    return ref
  }

  /// Room in which a node of `count` bytes can be encoded, and then be appended with ``advance(by:)``; nil if the
  /// buffer has less room, so that the node must be encoded elsewhere.
  @unsafe
  @inline(__always)
  func room(for count: Int) -> UnsafeMutableRawPointer? { unsafe output.room(for: count) }

  /// Appends the `count` bytes that were encoded in the result of ``room(for:)``.
  @inline(__always)
  func advance(by count: Int) { output.advance(by: count) }

  // MARK: The end

  /// Writes the free list, the top array and the rest of the file, without publishing the output.
  ///
  /// - Parameter trees: nil for a realm without any commit, which has no nodes.
  /// - Returns: the size of the file in bytes.
  /// - Throws: the errors of the output.
  package func finish(_ trees: Trees?, _ facts: Facts) throws(RealmFileError) -> Int {
    guard let trees else { return try finish(topRef: 0) }
    let slotCount =
      trees.history != 0 ? format.topSlotCount : format.topSlotCountWithoutHistory
    let layout =
      isStreaming
      ? EndLayout(streamingFrom: output.position, slotCount: slotCount)
      : endLayout(from: output.position, slotCount: slotCount)
    for list in layout.lists { try output.append(list) }
    let topRef = output.position
    try output.append(
      TopArray.encode(
        trees, facts, logicalSize: layout.logicalSize,
        freeList: FreeList.Refs(
          positions: layout.refs[0], lengths: layout.refs[1], versions: layout.refs[2]),
        slotCount: slotCount))
    try output.appendZeros(max(0, layout.logicalSize - output.position))
    return try finish(topRef: topRef)
  }

  /// Writes the bytes after the last node, and the header.
  private func finish(topRef: Ref) throws(RealmFileError) -> Int {
    guard isStreaming else {
      try output.appendZeros(rest(after: output.position))
      return try output.finish(header: header(top: UInt64(topRef)))
    }
    let footerEnd = output.position + FileHeader.footerByteCount
    // An encrypted file consists of whole pages, with the footer at the end of the last one.
    try output.appendZeros(output.isEncrypted ? rest(after: footerEnd) : 0)
    try output.append(FileHeader.encodeFooter(top: UInt64(topRef)))
    return try output.finish(header: nil)
  }

  private var isStreaming: Bool { !output.hasHeaderAtEnd }

  private var unit: Int {
    output.isEncrypted ? RealmFileWriter.encryptedPageByteCount : RealmFileWriter.pageByteCount
  }

  /// Bytes from `position` to the end of its page; 0 at a page boundary.
  private func rest(after position: Int) -> Int { (unit - position % unit) % unit }

  private func header(top: UInt64) -> [UInt8] { FileHeader.encode(top: top, format: format.number) }

  /// The three arrays of the free list, and where the top array ends.
  private struct EndLayout {
    /// The encoded positions, lengths and versions.
    var lists: [[UInt8]] = []
    var refs: [Ref] = []
    var logicalSize = 0

    init() {}

    /// Empty arrays; the logical size ends with the top array.
    init(streamingFrom start: Int, slotCount: Int) {
      lists = Array(repeating: NodeEncoder.integers([]), count: 3)
      refs = (0..<3).map { start + $0 * NodeHeader.byteCount }
      let topStart = start + 3 * NodeHeader.byteCount
      logicalSize =
        topStart + NodeEncoder.byteCount(of: slotCount, widthCode: TopArray.encodedWidthCode)
    }
  }

  /// The layout in normal form: one chunk from the end of the top array to the end of its page, or to the end of the
  /// next page if nothing would be left.
  private func endLayout(from start: Int, slotCount: Int) -> EndLayout {
    var layout = EndLayout()
    // Each array has one element: 8 bytes at any width, or none if it is 0.
    layout.refs = [start, start + 16, start + 32]
    let topEnd =
      start + 40
      + NodeEncoder.byteCount(of: slotCount, widthCode: TopArray.encodedWidthCode)
    let chunk = rest(after: topEnd) == 0 ? unit : rest(after: topEnd)
    layout.logicalSize = topEnd + chunk
    layout.lists = [
      NodeEncoder.integers([Int64(topEnd)]), NodeEncoder.integers([Int64(chunk)]),
      NodeEncoder.integers([0]),
    ]
    return layout
  }
}
