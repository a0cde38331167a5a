package import RealmStorage

/// The bytes of a realm file with an untrusted header: plain, or decrypted page by page.
///
/// ``Snapshot`` opens a version through the header, and refuses a file with a damaged header. This
/// type recognizes keys and other kinds of files in the same way, and trusts nothing else.
package final class DamagedFile: Sendable {
  /// Path as the user wrote it.
  let path: String
  /// Bytes of the file on disk.
  let fileByteCount: Int
  /// Bytes of data: the size of the file, for an encrypted file without the metadata pages.
  package let byteCount: Int
  let key: RealmKey?
  package var isEncrypted: Bool { cache != nil }

  private let descriptor: FileDescriptor
  private let mapping: MappedFile
  /// The decrypted pages; nil for a plain file.
  private let cache: PageCache?
  /// The file that this is a corrected copy of; nil for no copy.
  private let uncorrected: DamagedFile?
  /// The carriage returns that a program put before line feeds, and that are not in the bytes that are read; nil for none.
  package let textUndo: TextUndo?

  /// If a process has the file open, a copy is read that is proven to hold one version.
  ///
  /// - Parameter cacheByteCount: the most bytes of decrypted pages to keep.
  /// - Throws: `inUse` if a process has the file open and the header is too damaged to compare the
  ///   version of a copy; `empty`, `keyMissing`, `wrongKey`, `notEncrypted`, `notARealm` and
  ///   `truncated` as ``Snapshot`` does; `unreadable`; `cannotCreate` and `inputOutput` of the copy.
  ///   All errors have the path.
  package init(
    path: String, key: RealmKey?, cacheByteCount: Int = Snapshot.usualCacheByteCount
  ) throws(RealmFileError) {
    do throws(RealmFileError) {
      var descriptor = try DamagedFile.open(path, key)
      fileByteCount = try descriptor.size()
      textUndo = try TextUndo(of: descriptor)
      if let textUndo {
        descriptor = textUndo.copy
      } else if case .replacementCharacters(let count)? = try TextChange(in: descriptor) {
        throw RealmFileError(.changedAsText(.replacementCharacters(count)))
      }
      let mapping = try Snapshot.Parts.map(descriptor)
      cache = try DamagedFile.cache(of: mapping, descriptor, key, cacheByteCount)
      (self.descriptor, self.mapping) = (descriptor, mapping)
    } catch {
      throw error.adding(path: path)
    }
    (self.path, self.key, uncorrected) = (path, key, nil)
    byteCount = cache.map(\.count) ?? mapping.count
  }

  /// The file, or a proven copy if a process has it open.
  private static func open(
    _ path: String, _ key: RealmKey?
  ) throws(RealmFileError) -> FileDescriptor {
    let file = try FileDescriptor.openForReading(path)
    guard RealmUse.state(ofRealmAt: path) != .free else { return file }
    do throws(RealmFileError) {
      return try LiveCopy.make(of: file, key: key, path: path)
    } catch {
      switch error.kind {
      case .cannotCreate, .inputOutput, .keyMissing, .wrongKey, .notEncrypted: throw error
      default: break
      }
      try RealmUse.checkIsFree(path)
      // The process has closed the file meanwhile.
      return file
    }
  }

  /// A copy of a plain file with corrected bits, in an unlinked file. The file does not change.
  ///
  /// - Throws: the errors of writing.
  init(copying file: DamagedFile, _ flips: Set<SalvageReport.Bit>) throws(RealmFileError) {
    let copy = try OutputFile(unlinkedBy: .system)
    let reader = try file.makeReader()
    let byOffset = Dictionary(grouping: flips, by: \.offset)
    let pieces = Dictionary(grouping: byOffset.keys) { $0 / DamagedFile.pieceByteCount }
    for start in stride(from: 0, to: file.byteCount, by: DamagedFile.pieceByteCount) {
      let count = min(DamagedFile.pieceByteCount, file.byteCount - start)
      var bytes = try reader.source.copy(at: start, count: count)
      for offset in pieces[start / DamagedFile.pieceByteCount] ?? [] {
        for flip in byOffset[offset] ?? [] { bytes[offset - start] ^= 1 << UInt8(flip.bit) }
      }
      try copy.write(bytes)
    }
    descriptor = copy.descriptor
    mapping = try Snapshot.Parts.map(copy.descriptor)
    (path, key, cache, uncorrected) = (file.path, nil, nil, file)
    textUndo = file.textUndo
    (fileByteCount, byteCount) = (file.fileByteCount, file.byteCount)
  }

  /// Bytes of a page of an encrypted file.
  private static let pageByteCount = EncryptedLayout.pageByteCount
  /// Bytes copied at a time.
  private static let pieceByteCount = 1 << 20

  /// The cache of the decrypted pages; nil for a plain file.
  private static func cache(
    of mapping: MappedFile, _ descriptor: FileDescriptor, _ key: RealmKey?, _ byteCount: Int
  ) throws(RealmFileError) -> PageCache? {
    do throws(RealmFileError) {
      return try Snapshot.Parts.source(
        mapping, descriptor, key: key, mayChange: false, cacheByteCount: byteCount
      ).1
    } catch {
      switch (error.kind, key) {
      case (.damagedPage(0), let key?):
        // The key fits other pages; only this one is lost.
        return try PageCache(
          EncryptedFile(mapping: mapping, key: key, mayChange: false), byteCount: byteCount)
      case (.keyMissing, nil):
        // Bytes written over the header of a plain realm can look like encrypted ones; nodes cannot.
        let nodes = NodeReader(source: ByteSource(mapping: mapping), logicalSize: mapping.count)
        guard NodeScan.findsNodes(nodes) else { throw error }
        return nil
      default: throw error
      }
    }
  }

  /// Whether the file has headers of nodes, whatever else it begins with.
  var hasNodes: Bool { (try? makeReader()).map(NodeScan.findsNodes) ?? false }

  /// What the file is instead of a realm; nil if unknown.
  package var foreignContent: String? {
    let start = (try? descriptor.read(at: 0, count: FileHeader.byteCount)) ?? []
    return ForeignContent.name(start: start, size: mapping.count)
  }

  /// Whether the file is a realm to which nothing was ever committed: the header has no refs and no
  /// file format, and only zeros follow it.
  ///
  /// - Throws: errors that are not damage.
  func isNeverCommitted() throws(RealmFileError) -> Bool {
    guard byteCount >= FileHeader.byteCount else { return false }
    let source = try makeReader().source
    for start in stride(from: 0, to: byteCount, by: DamagedFile.pageByteCount) {
      if isEncrypted {
        switch try source.condition(ofPage: start / DamagedFile.pageByteCount) {
        case .valid, .older: break
        case .empty where start > 0: continue
        case .empty, .damaged: return false
        }
      }
      let count = min(DamagedFile.pageByteCount, byteCount - start)
      var bytes = try source.copy(at: start, count: count)
      if start == 0 {
        guard FileHeader.hasMnemonic(bytes) else { return false }
        // The mnemonic, and the flag that selects a slot.
        bytes.replaceSubrange(16..<20, with: [0, 0, 0, 0])
        bytes[23] &= ~1
      }
      guard bytes.allSatisfy({ $0 == 0 }) else { return false }
    }
    return true
  }

  /// A reader of the whole file, for one thread.
  ///
  /// - Throws: `inputOutput` if there is no memory.
  package func makeReader() throws(RealmFileError) -> NodeReader {
    let source =
      if let cache { ByteSource(pages: try PageView(of: cache)) } else {
        ByteSource(mapping: mapping)
      }
    return NodeReader(source: source, logicalSize: byteCount)
  }

  /// The error if reading the file failed and zeros were seen instead; nil if all bytes were read.
  package var readFault: RealmFileError? {
    uncorrected?.readFault
      ?? Snapshot.readFault(mapping, descriptor, needed: mapping.count)?.adding(path: path)
  }
}
