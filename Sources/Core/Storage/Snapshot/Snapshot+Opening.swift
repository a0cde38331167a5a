extension Snapshot {
  /// The parts of a snapshot: an open file, its mapping, header and top array.
  struct Opened {
    let fileByteCount: Int
    let use: RealmUse.State
    let isCopy: Bool
    let descriptor: FileDescriptor
    let mapping: MappedFile
    let cache: PageCache?
    let stamp: VersionStamp?
    let contents: Contents

    /// Opens the file, and copies it if `access` requires that.
    ///
    /// - Parameter cacheByteCount: maximum bytes of decrypted pages in the cache.
    init(
      path: String, key: RealmKey?, version: Version, access: Access, cacheByteCount: Int
    ) throws(RealmFileError) {
      let file = try FileDescriptor.openForReading(path)
      use = access == .exclusive ? .free : RealmUse.state(ofRealmAt: path)
      let mayChange = use != .free
      isCopy = access == .copied || access == .whole && mayChange

      guard isCopy else {
        // If a commit happens while the header is read, the next attempt reads the new header.
        var found: (parts: Parts, stamp: VersionStamp)?
        for attempt in 0..<LiveCopy.attempts where found == nil {
          LiveCopy.pause(before: attempt)
          found = try Opened.look(
            at: file, key: key, version: version, mayChange: mayChange,
            cacheByteCount: cacheByteCount, isLast: attempt == LiveCopy.attempts - 1)
        }
        guard let found else { throw RealmFileError(.changedWhileReading) }
        descriptor = file
        (fileByteCount, mapping) = (found.parts.mapping.count, found.parts.mapping)
        (cache, stamp, contents) = (found.parts.cache, found.stamp, found.parts.contents)
        return
      }
      // Throws before the file is copied if it cannot be opened with this key. The original is not mapped.
      fileByteCount = try file.size()
      guard fileByteCount > 0 else { throw RealmFileError(.empty) }
      _ = try Parts.isEncrypted(file, byteCount: fileByteCount, key: key)
      let copy = try LiveCopy.make(of: file, key: key, path: path)
      let parts = try Parts(
        file: copy, key: key, version: version, mayChange: false, cacheByteCount: cacheByteCount)
      (descriptor, mapping, cache) = (copy, parts.mapping, parts.cache)
      (stamp, contents) = (nil, parts.contents)
    }

    /// One attempt to open a file in place; nil if stamp and header belong to different versions, or if an error
    /// may have that cause and this is not the last attempt.
    private static func look(
      at file: FileDescriptor, key: RealmKey?, version: Version, mayChange: Bool,
      cacheByteCount: Int, isLast: Bool
    ) throws(RealmFileError) -> (parts: Parts, stamp: VersionStamp)? {
      var stamp: VersionStamp?
      if let data = try? DataFile(file, key: key) { stamp = try? VersionStamp(data) }
      do throws(RealmFileError) {
        let parts = try Parts(
          file: file, key: key, version: version, mayChange: mayChange,
          cacheByteCount: cacheByteCount)
        guard let stamp, stamp.header == parts.contents.header.bytes else { return nil }
        return (parts, stamp)
      } catch {
        // An error is final if the file did not change.
        guard mayChange, !isLast, (try? VersionStamp(try DataFile(file, key: key))) != stamp else {
          throw error
        }
        return nil
      }
    }
  }

  /// A mapped file, its header and its top array.
  package struct Parts {
    let mapping: MappedFile
    /// Nil for a plain file.
    let cache: PageCache?
    let contents: Contents

    init(
      file: FileDescriptor, key: RealmKey?, version: Version, mayChange: Bool, cacheByteCount: Int
    ) throws(RealmFileError) {
      mapping = try Parts.map(file)
      do throws(RealmFileError) {
        let source: ByteSource
        (source, cache) = try Parts.source(
          mapping, file, key: key, mayChange: mayChange, cacheByteCount: cacheByteCount)
        contents = try Contents(source, version: version)
      } catch {
        throw Snapshot.readFault(mapping, file, needed: 0) ?? error
      }
    }

    /// The mapping of the whole file.
    ///
    /// - Throws: `empty`, `inputOutput`.
    package static func map(_ file: FileDescriptor) throws(RealmFileError) -> MappedFile {
      let size = try file.size()
      guard size > 0 else { throw RealmFileError(.empty) }
      return try MappedFile(descriptor: file.number, count: size)
    }

    /// The source of the bytes and, with a key, the cache of its pages.
    ///
    /// - Throws: same as ``isEncrypted(_:byteCount:key:)``.
    package static func source(
      _ mapping: MappedFile, _ file: FileDescriptor, key: RealmKey?, mayChange: Bool,
      cacheByteCount: Int
    ) throws(RealmFileError) -> (ByteSource, PageCache?) {
      let isEncrypted = try isEncrypted(file, byteCount: mapping.count, key: key)
      guard isEncrypted, let key else { return (ByteSource(mapping: mapping), nil) }
      let cache = try PageCache(
        EncryptedFile(mapping: mapping, key: key, mayChange: mayChange), byteCount: cacheByteCount)
      return (ByteSource(pages: try PageView(of: cache)), cache)
    }

    /// Finds out whether a file is encrypted, and whether a key is missing, wrong or superfluous (chapter 1, section 5.5).
    /// Reads through the descriptor, so it may be a file that another process truncates.
    fileprivate static func isEncrypted(
      _ file: FileDescriptor, byteCount: Int, key: RealmKey?
    ) throws(RealmFileError) -> Bool {
      let start = try file.read(at: 0, count: EncryptedLayout.entryByteCount)
      let looksEncrypted = EncryptedLayout.isLikelyEntry(start)
      let notARealm = RealmFileError(
        .notARealm,
        found: ForeignContent.name(
          start: Array(start.prefix(FileHeader.byteCount)), size: byteCount))
      if FileHeader.hasMnemonic(start) {
        guard key == nil else { throw RealmFileError(.notEncrypted) }
        return false
      }
      guard let key else {
        // Also if the file does not consist of whole pages: it can be a truncated encrypted realm.
        if looksEncrypted { throw RealmFileError(.keyMissing) }
        return false
      }
      guard byteCount >= EncryptedLayout.minimumFileByteCount else {
        guard looksEncrypted else { throw notARealm }
        throw RealmFileError(
          .truncated(missingBytes: EncryptedLayout.minimumFileByteCount - byteCount))
      }
      let data = try DataFile(file, key: key)
      guard try data.isValid(page: 0, mayChange: true) else {
        let pages =
          EncryptedLayout.dataByteCount(fileByteCount: byteCount) / EncryptedLayout.pageByteCount
        for page in 1..<max(1, min(4096, pages)) where try data.isValid(page: page) {
          throw RealmFileError(.damagedPage(0), offset: 0)
        }
        throw looksEncrypted ? RealmFileError(.wrongKey) : notARealm
      }
      // The HMAC does not prove the AES half of the key.
      guard FileHeader.hasMnemonic(try data.read(at: 0, count: FileHeader.byteCount)) else {
        throw RealmFileError(.wrongKey)
      }
      return true
    }
  }

  /// The checked header and top array of one version (chapter 1, section 1.3).
  struct Contents {
    let header: FileHeader
    let top: TopArray
    let format: FileFormat

    /// - Throws: `notARealm`, `truncated`, `damagedHeader`, `oldFormat`, `newerFormat`,
    ///   `unknownHistory`, `noPreviousVersion`; the errors of an encrypted source.
    init(_ source: ByteSource, version: Version) throws(RealmFileError) {
      header = try FileHeader(in: source)
      switch version {
      case .latest:
        (format, top) = try Contents.latest(header, source)
      case .previous:
        (format, top) = try Contents.previous(header, source)
      }
      guard 0...4 ~= top.historyType else {
        throw RealmFileError(.unknownHistory(top.historyType), offset: top.ref)
      }
    }

    private static func latest(
      _ header: FileHeader, _ source: ByteSource
    ) throws(RealmFileError) -> (format: FileFormat, top: TopArray) {
      let format = try header.readableFormat(ofSlot: header.selected)
      let ref = try header.locateTop(in: source)
      guard format != .none || ref == 0 else {
        throw RealmFileError(
          .damagedHeader("the file format is 0, but there is a commit"),
          offset: 20 + header.selected)
      }
      if ref == 0 { try checkIsNew(header, source) }
      let top = ref == 0 ? TopArray.empty : try TopArray(at: ref, in: source)
      // Row 5 is checked last, because the checks before it know how many bytes are missing.
      guard source.count & 7 == 0 else {
        throw RealmFileError(
          .damagedHeader("the file has \(source.count) bytes, expected a multiple of 8"))
      }
      return (format, top)
    }

    /// The number of the version of the first commit (chapter 1, section 1.2).
    private static let firstVersion = 2
    /// Nodes begin right after the header, so its first bytes show whether there are any.
    private static let firstNodesByteCount = 4096

    /// Checks that a realm whose live slot has no top ref can be one without any commit (chapter 1, sections 1.2 and 1.5).
    ///
    /// - Throws: `damagedHeader`.
    private static func checkIsNew(
      _ header: FileHeader, _ source: ByteSource
    ) throws(RealmFileError) {
      let other = header.slots[1 - header.selected]
      if other == FileHeader.streamingMark || header.isStreaming {
        // The first app that opens a file in streaming form sets the flag, and keeps the mark.
        let end = min(
          source.count - FileHeader.footerByteCount, FileHeader.byteCount + firstNodesByteCount)
        let start = try source.copy(
          at: FileHeader.byteCount, count: max(0, end - FileHeader.byteCount))
        guard !start.allSatisfy({ $0 == 0 }) else { return }
        throw RealmFileError(
          .damagedHeader("the top ref is 0, as before the first commit, but there are nodes"),
          offset: header.isStreaming
            ? source.count - FileHeader.footerByteCount : 8 * header.selected)
      }
      // The first commit writes the inactive slot before it makes it the live one. Only that of several commits at once, which no
      // SDK makes at first, has a later version.
      if let ref = Int(exactly: other), ref & 7 == 0, ref >= FileHeader.byteCount,
        ref < source.count, let top = try? TopArray(at: ref, in: source),
        top.version > firstVersion
      {
        throw RealmFileError(
          .damagedHeader(
            "the live slot is 0, as before the first commit, but the other one has version \(top.version)"
          ),
          offset: 8 * header.selected)
      }
    }

    /// The version of the slot that is not live, if it is older than the live one. The live version may be
    /// damaged: then this is how the rest of the data can be read.
    private static func previous(
      _ header: FileHeader, _ source: ByteSource
    ) throws(RealmFileError) -> (format: FileFormat, top: TopArray) {
      let ref = try header.locatePreviousTop(size: source.count)
      let format = try header.readableFormat(ofSlot: 1 - header.selected)
      guard format != .none, let top = try? TopArray(at: ref, in: source) else {
        throw RealmFileError(.noPreviousVersion)
      }
      if let latest = try? header.locateTop(in: source) {
        guard latest != 0 else { throw RealmFileError(.noPreviousVersion) }
        if let newest = try? TopArray(at: latest, in: source), newest.version <= top.version {
          throw RealmFileError(.noPreviousVersion)
        }
      }
      return (format, top)
    }
  }
}
