/// Identifies the live version of a file by its header and the bytes of the top array that the header
/// selects (chapter 1, section 6.7).
///
/// If two stamps of a file are equal, no block of the version was reused in between, because the
/// blocks of the selected version are never overwritten while it stays selected. A header may
/// return to the same bytes, but not with the same top array, which contains the version number. The
/// previous version is not protected: the next commit may reuse its blocks before the header changes.
struct VersionStamp: Equatable {
  /// Maximum bytes of a top array: its header and twelve slots of 64 bits.
  private static let topByteCount = NodeHeader.byteCount + 12 * 8
  /// Maximum attempts to read the same header twice in a row.
  private static let attempts = 100

  /// The 24 bytes of the file header.
  let header: [UInt8]
  /// The bytes of the top array; empty for a realm without any commit, or if they cannot be read.
  let top: [UInt8]

  /// The current stamp of the file. A damaged top array contributes the bytes that can be read, because the
  /// caller may want the previous version.
  ///
  /// - Throws: `notARealm`, `truncated`, `damagedPage` if there is no header; `changedWhileReading`
  ///   if the header keeps changing; `inputOutput`.
  init(_ file: DataFile) throws(RealmFileError) {
    var bytes = try file.read(at: 0, count: FileHeader.byteCount)
    var isStable = false
    for _ in 0..<VersionStamp.attempts where !isStable {
      let again = try file.read(at: 0, count: FileHeader.byteCount)
      isStable = again == bytes
      bytes = again
    }
    guard isStable else { throw RealmFileError(.changedWhileReading) }
    guard FileHeader.hasMnemonic(bytes) else { throw RealmFileError(.notARealm) }
    header = bytes
    do throws(RealmFileError) {
      top = try VersionStamp.top(of: FileHeader(bytes: bytes), in: file)
    } catch {
      if case .inputOutput = error.kind { throw error }
      top = []
    }
  }

  /// The bytes of the top array that `header` selects.
  private static func top(
    of header: FileHeader, in file: DataFile
  ) throws(RealmFileError) -> [UInt8] {
    let size = try file.byteCount()
    var footer: [UInt8] = []
    if header.isStreaming, size >= FileHeader.byteCount + FileHeader.footerByteCount {
      footer = try file.read(
        at: size - FileHeader.footerByteCount, count: FileHeader.footerByteCount)
    }
    let ref = try header.locateTop(footer: footer, size: size)
    guard ref != 0 else { return [] }
    let start = try file.read(at: ref, count: min(topByteCount, size - ref))
    guard start.count >= NodeHeader.byteCount,
      let node = NodeHeader(word: littleEndian(start[0..<8]))
    else { return start }
    return Array(start.prefix(node.nodeByteCount))
  }
}
