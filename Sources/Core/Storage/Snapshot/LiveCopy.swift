#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Copies a realm to which another process may be writing. A copy is accepted only if it provably holds one
/// version: the stamp of the file is the same before and after (chapter 1, section 6.7).
package enum LiveCopy {
  /// Maximum number of attempts.
  static let attempts = 10
  /// Sleeps before attempt `attempt`, which is 0 for the first one: 2 ms, then twice as long each time, up to
  /// 50 ms.
  static func pause(before attempt: Int) {
    if attempt > 0 { usleep(min(50, 1 << UInt32(attempt)) * 1000) }
  }

  /// A proven copy of the open file `descriptor`, without a name.
  ///
  /// - Parameters:
  ///   - key: for an encrypted realm; the copy stays encrypted.
  ///   - path: a path of the file.
  /// - Throws: the error of the last attempt, such as `changedWhileReading` if the copy could not be proven or
  ///   `shrankWhileReading` if the file became shorter; `cannotCreate`, `inputOutput`.
  package static func make(
    of descriptor: FileDescriptor, key: RealmKey?, path: String
  ) throws(RealmFileError) -> FileDescriptor {
    let file = try DataFile(descriptor, key: key)
    var last = RealmFileError(.changedWhileReading)
    for attempt in 0..<attempts {
      pause(before: attempt)
      let before: VersionStamp
      do {
        before = try VersionStamp(file)
      } catch {
        // What looks like damage may be a state between two versions.
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

  /// Copies the file as it is now.
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

  static func copyPlain(
    _ source: FileDescriptor, _ size: Int, to copy: FileDescriptor,
    pieceByteCount: Int = FilePieces.usualByteCount
  ) throws(RealmFileError) {
    var pieces = FilePieces(source, count: size, pieceByteCount: pieceByteCount)
    while let piece = try pieces.next() {
      let offset = pieces.offset - piece.count
      unsafe try piece.withUnsafeBufferPointer { (bytes) throws(RealmFileError) in
        unsafe try UnlinkedFile.write(UnsafeRawBufferPointer(bytes), at: offset, of: copy)
      }
    }
  }

  /// Copies the file block by block: a metadata page and its data pages. The other process may rewrite a page
  /// with nodes of this version, because another part of the page is free. So a block is copied again until each
  /// page matches its HMAC, or until the block stops changing: then its invalid pages are damaged or unused.
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
        PageBuffer.pause(before: attempt)
        // The halves of the buffer alternate, so that the previous copy can be compared.
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
          unsafe try UnlinkedFile.write(UnsafeRawBufferPointer(block), at: offset, of: copy)
          break
        }
        if attempt == PageBuffer.attempts - 1 { throw RealmFileError(.changedWhileReading) }
      }
    }
  }

  /// Whether two buffers of the same size have the same bytes.
  @unsafe
  private static func isEqual(
    _ a: UnsafeMutableRawBufferPointer, _ b: UnsafeMutableRawBufferPointer
  ) -> Bool {
    guard let a = a.baseAddress, let other = b.baseAddress else { return true }
    return unsafe memcmp(a, other, b.count) == 0
  }

  /// Whether every complete page of the block is valid.
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
