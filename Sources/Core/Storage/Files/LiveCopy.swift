#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Copies a realm that another process may be writing to, and accepts the copy only when it is proven
/// to hold one version (chapter 1, section 6.7): the stamp of the file is the same before and after.
enum LiveCopy {
  /// Copies that are made at most.
  static let attempts = 10
  /// Bytes that are copied in one go.
  private static let pieceByteCount = 1 << 20

  /// A proven copy of the open file `descriptor`, without a name.
  ///
  /// - Parameters:
  ///   - key: for an encrypted realm; the copy stays encrypted.
  ///   - path: a path of the file.
  /// - Throws: `changedWhileReading` when no copy was proven, `shrankWhileReading` when the file
  ///   became shorter each time, or what was wrong with the file the last time; `cannotCreate`,
  ///   `inputOutput`.
  static func make(
    of descriptor: FileDescriptor, key: RealmKey?, path: String
  ) throws(RealmFileError) -> FileDescriptor {
    let file = try DataFile(descriptor, key: key)
    var last = RealmFileError(.changedWhileReading)
    for attempt in 0..<attempts {
      if attempt > 0 { pause(milliseconds: min(50, 1 << attempt)) }
      let before: VersionStamp
      do {
        before = try VersionStamp(file)
      } catch {
        // What looks damaged may be between two states.
        last = error
        continue
      }
      do {
        let copy = try copy(descriptor, key: key, path: path)
        if try VersionStamp(file) == before { return copy }
        last = RealmFileError(.changedWhileReading)
      } catch {
        switch error.kind {
        case .shrankWhileReading, .truncated, .damagedPage, .damagedHeader, .notARealm,
          .changedWhileReading:
          last = error
        default: throw error
        }
      }
    }
    throw last
  }

  /// One copy of all bytes that the file has now.
  private static func copy(
    _ descriptor: FileDescriptor, key: RealmKey?, path: String
  ) throws(RealmFileError) -> FileDescriptor {
    let size = try descriptor.size()
    guard let key else {
      if let clone = UnlinkedFile.clone(of: descriptor, at: path) { return clone }
      let copy = try UnlinkedFile.make()
      try copyPlain(descriptor, size, to: copy)
      return copy
    }
    let copy = try UnlinkedFile.make()
    try copyEncrypted(descriptor, size, cipher: try PageCipher(key: key), to: copy)
    return copy
  }

  private static func copyPlain(
    _ source: FileDescriptor, _ size: Int, to copy: FileDescriptor
  ) throws(RealmFileError) {
    let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceByteCount, alignment: 4096)
    defer { unsafe piece.deallocate() }
    for offset in stride(from: 0, to: size, by: pieceByteCount) {
      let part = unsafe UnsafeMutableRawBufferPointer(
        rebasing: piece[..<min(pieceByteCount, size - offset)])
      guard unsafe try source.read(at: offset, into: part) == part.count else {
        throw RealmFileError(.shrankWhileReading)
      }
      unsafe try copy.write(UnsafeRawBufferPointer(part), at: offset)
    }
  }

  /// Copies blocks of a metadata page and its pages. A page with nodes of this version may be
  /// rewritten, as another part of it is free: the block is copied again until each of its pages
  /// verifies, or until it does not change any more, when its invalid pages are damaged or unused.
  private static func copyEncrypted(
    _ source: FileDescriptor, _ size: Int, cipher: PageCipher, to copy: FileDescriptor
  ) throws(RealmFileError) {
    let blockByteCount = (EncryptedLayout.pagesPerBlock + 1) * EncryptedLayout.pageByteCount
    let memory = UnsafeMutableRawBufferPointer.allocate(
      byteCount: 2 * blockByteCount + EncryptedLayout.pageByteCount, alignment: 4096)
    defer { unsafe memory.deallocate() }

    for offset in stride(from: 0, to: size, by: blockByteCount) {
      let byteCount = min(blockByteCount, size - offset)
      let entriesByteCount = min(EncryptedLayout.pageByteCount, byteCount)
      let entriesAfter = unsafe UnsafeMutableRawBufferPointer(
        rebasing: memory[(2 * blockByteCount)..<(2 * blockByteCount + entriesByteCount)])
      for attempt in 0..<PageBuffer.attempts {
        if attempt > 0 { pause(milliseconds: 1 << (attempt - 1)) }
        // The two halves of the memory take turns, so that the copy before is there to compare.
        let half = attempt % 2 * blockByteCount
        let block = unsafe UnsafeMutableRawBufferPointer(
          rebasing: memory[half..<(half + byteCount)])
        let other = unsafe UnsafeMutableRawBufferPointer(
          rebasing: memory[(blockByteCount - half)..<(blockByteCount - half + byteCount)])
        guard unsafe try source.read(at: offset, into: block) == byteCount,
          unsafe try source.read(at: offset, into: entriesAfter) == entriesByteCount
        else { throw RealmFileError(.shrankWhileReading) }
        let entries = unsafe UnsafeMutableRawBufferPointer(rebasing: block[..<entriesByteCount])
        if unsafe isEqual(entries, entriesAfter),
          unsafe isValid(block, cipher: cipher) || attempt > 0 && isEqual(block, other)
        {
          unsafe try copy.write(UnsafeRawBufferPointer(block), at: offset)
          break
        }
        if attempt == PageBuffer.attempts - 1 { throw RealmFileError(.changedWhileReading) }
      }
    }
  }

  /// True where two buffers of one size hold the same bytes.
  @unsafe
  private static func isEqual(
    _ a: UnsafeMutableRawBufferPointer, _ b: UnsafeMutableRawBufferPointer
  ) -> Bool {
    guard let a = a.baseAddress, let other = b.baseAddress else { return true }
    return unsafe memcmp(a, other, b.count) == 0
  }

  /// True where no whole page of the block is invalid.
  @unsafe
  private static func isValid(
    _ block: UnsafeMutableRawBufferPointer, cipher: PageCipher
  ) -> Bool {
    guard let base = block.baseAddress else { return true }
    let pages = block.count / EncryptedLayout.pageByteCount - 1
    for page in 0..<max(0, pages) {
      let state = unsafe PageState(
        entry: base + page * EncryptedLayout.entryByteCount,
        page: base + (page + 1) * EncryptedLayout.pageByteCount, cipher: cipher)
      if state == .invalid { return false }
    }
    return true
  }
}
