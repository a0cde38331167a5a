/// One version of a realm, opened for reading. The file is never changed.
///
/// A snapshot may be shared between threads; each of them reads through a ``NodeReader`` of its own.
public final class Snapshot: Sendable {
  /// Which of the two versions that a file names.
  public enum Version: Sendable {
    /// The newest commit.
    case latest
    /// The commit before the newest one: the other top ref.
    case previous
  }

  /// Path as the user wrote it.
  public let path: String
  /// Bytes of the file on disk.
  public let fileByteCount: Int
  public let isEncrypted: Bool
  public let header: FileHeader
  public let top: TopArray
  /// File format of this version: 10 to 24, or 0 for a realm without any commit.
  public let format: Int

  private let descriptor: FileDescriptor
  private let mapping: MappedFile
  private let key: RealmKey?

  /// Opens a version of the realm at `path`.
  ///
  /// - Parameters:
  ///   - key: for an encrypted realm.
  ///   - version: which version.
  /// - Throws: everything that chapter 1, section 1.3 says, told apart: empty, not a realm,
  ///   truncated, wrong key, not encrypted, key missing, damaged page or header, old or newer
  ///   format; `noPreviousVersion`; `unreadable`. Always with the path.
  public init(
    path: String, key: RealmKey? = nil, version: Version = .latest
  ) throws(RealmFileError) {
    do throws(RealmFileError) {
      let descriptor = try FileDescriptor.openForReading(path)
      let size = try descriptor.size()
      guard size > 0 else { throw RealmFileError(.empty) }
      let mapping = try MappedFile(descriptor: descriptor.number, count: size)
      let source = try Snapshot.openSource(mapping, descriptor: descriptor, key: key)
      let (header, latest) = try FileHeader.locateTop(in: source)

      var top = TopArray.empty
      let slot: Int
      switch version {
      case .latest:
        slot = header.selected
        if latest != 0 { top = try TopArray(at: latest, in: source) }
      case .previous:
        slot = 1 - header.selected
        top = try Snapshot.previousTop(header: header, latest: latest, in: source)
      }
      format = header.format(ofSlot: slot)
      guard FileHeader.readableFormats.contains(format) || (format == 0 && top.ref == 0) else {
        throw RealmFileError(format > 24 ? .newerFormat(format) : .oldFormat(format))
      }
      (self.path, self.descriptor, self.mapping, self.key) = (path, descriptor, mapping, key)
      (fileByteCount, isEncrypted) = (size, key != nil)
      (self.header, self.top) = (header, top)
    } catch {
      throw error.adding(path: path)
    }
  }

  /// Bytes of data in the file: its size, for an encrypted file without the metadata pages.
  public var dataByteCount: Int {
    isEncrypted ? EncryptedLayout.dataByteCount(fileByteCount: fileByteCount) : fileByteCount
  }

  /// A reader for one thread.
  ///
  /// - Throws: `inputOutput` where an encrypted realm cannot get its address space.
  public func makeReader() throws(RealmFileError) -> NodeReader {
    NodeReader(source: try makeSource(), logicalSize: top.logicalSize)
  }

  private func makeSource() throws(RealmFileError) -> ByteSource {
    guard let key else { return ByteSource(mapping: mapping) }
    return ByteSource(pages: try DecryptedPages(file: mapping, key: key))
  }

  /// Proves that everything read from this snapshot so far belongs to it: the file still names the
  /// same version (chapter 1, section 6.7), so no block of it was given to another one.
  ///
  /// - Throws: `changedWhileReading` or `shrankWhileReading`.
  public func prove() throws(RealmFileError) {
    guard !mapping.wasCut, try descriptor.size() >= fileByteCount else {
      throw RealmFileError(.shrankWhileReading, path: path)
    }
    let source = try makeSource()
    guard let (now, ref) = try? FileHeader.locateTop(in: source), now == header,
      ref == 0 || (try? TopArray(at: ref, in: source)) != nil
    else { throw RealmFileError(.changedWhileReading, path: path) }
  }

  /// The source of the bytes, decrypted where there is a key; tells apart what is wrong with a key.
  private static func openSource(
    _ mapping: MappedFile, descriptor: FileDescriptor, key: RealmKey?
  ) throws(RealmFileError) -> ByteSource {
    let start = try descriptor.read(at: 0, count: FileHeader.byteCount)
    let looksPlain = FileHeader.hasMnemonic(start)
    guard let key else {
      guard looksPlain || !looksEncrypted(start, size: mapping.count) else {
        throw RealmFileError(.keyMissing)
      }
      guard looksPlain || mapping.count >= FileHeader.byteCount else {
        throw RealmFileError(.notARealm)
      }
      return ByteSource(mapping: mapping)
    }
    if looksPlain { throw RealmFileError(.notEncrypted) }
    guard mapping.count >= EncryptedLayout.minimumFileByteCount else {
      throw RealmFileError(
        .truncated(missingBytes: EncryptedLayout.minimumFileByteCount - mapping.count))
    }
    let pages = try DecryptedPages(file: mapping, key: key)
    do throws(RealmFileError) {
      try pages.decrypt(0..<FileHeader.byteCount)
    } catch {
      guard case .damagedPage = error.kind, pages.keyFitsAnyPage(before: 4096) else {
        throw RealmFileError(.wrongKey)
      }
      throw error
    }
    let source = ByteSource(pages: pages)
    // The HMAC does not vouch for the AES half of the key (section 5.5).
    guard FileHeader.hasMnemonic(try source.copy(at: 0, count: FileHeader.byteCount)) else {
      throw RealmFileError(.wrongKey)
    }
    return source
  }

  /// The heuristic of chapter 1, section 5.5: whole pages, and the two halves of the first metadata
  /// entry hold neighbouring counters.
  private static func looksEncrypted(_ start: [UInt8], size: Int) -> Bool {
    guard size >= EncryptedLayout.minimumFileByteCount, size % EncryptedLayout.pageByteCount == 0,
      start.count >= 4
    else { return false }
    let counter = littleEndian(start[0..<4])
    return counter > 0 && counter < 1 << 24
  }

  /// The top array of the slot that is not live, if that commit is the one before the live one.
  private static func previousTop(
    header: FileHeader, latest: Ref, in source: ByteSource
  ) throws(RealmFileError) -> TopArray {
    let ref = try header.locatePreviousTop(size: source.count)
    guard latest != 0, let top = try? TopArray(at: ref, in: source),
      top.version < (try TopArray(at: latest, in: source)).version
    else { throw RealmFileError(.noPreviousVersion) }
    return top
  }
}
